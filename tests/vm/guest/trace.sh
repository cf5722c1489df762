# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# From waking a thread to what it writes, by the kernel's own trace: for scenarios that
# measure how soon the daemon acts. tracelat reads what comes of it.

tracing=/sys/kernel/tracing

# Only of these threads is it noted when they are woken.
trace_start() { # TID...
	local filter=
	for tid in "$@"; do
		filter="${filter:+$filter || }pid == $tid"
	done
	echo 0 >$tracing/tracing_on
	echo mono >$tracing/trace_clock
	echo 8192 >$tracing/buffer_size_kb
	echo "$filter" >$tracing/events/sched/sched_waking/filter
	echo 1 >$tracing/events/sched/sched_waking/enable
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
}

# Kept as /run/trace.
trace_end() {
	echo 0 >$tracing/tracing_on
	cat $tracing/trace >/run/trace
	save /run/trace
}

# The daemon's thread that waits for pressure.
trigger_thread() {
	local t
	for t in /proc/"$daemon_pid"/task/*; do
		[ "$(cat "$t/comm")" = pcr-psi ] && echo "${t##*/}"
	done
}

# A daemon that acts for pressure alone, and says so in the trace; the thread is $tid.
start_traced() { # [MORE SETTINGS]
	daemon_start "[Percpu]
ReapAbove=100000
ReapAfter=infinity
Cooldown=0
Trim=no
[Pressure]
Trigger=100ms/2s
Hold=1s
[Daemon]
TraceMarker=yes
${1:-}"
	tid=$(trigger_thread)
	[ -n "$tid" ] || abort "no thread of the daemon waits for pressure: $(cat /proc/"$daemon_pid"/task/*/comm)"
}

# A few cgroups below PARENT die while nothing presses; then LOAD, a cgroup that is frozen
# until then, presses until they have been reaped. Nothing asks the daemon meanwhile: an
# answer of its own would be measured with it.
pulse() { # PARENT LOAD [SECONDS to go on pressing]
	storm dying-create "$1" /disk/jobs 5 >/dev/null
	sync
	storm dying-remove "$1" 5 >/dev/null
	sleep 0.5
	echo 0 >"$2/cgroup.freeze"
	wait_for 10 no_dying "$1" || say "a pulse without a reap"
	sleep "${3:-0}"
	echo 1 >"$2/cgroup.freeze"
	# Hold=1s, and the window the kernel looks back over.
	sleep 2.5
}
