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

# The daemon's thread that waits for pressure.
trigger_thread() {
	local t
	for t in /proc/"$daemon_pid"/task/*; do
		[ "$(cat "$t/comm")" = pcr-psi ] && echo "${t##*/}"
	done
}
