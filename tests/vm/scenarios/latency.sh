# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 disk=512M journal=no daemon=yes
# vm-full: timeout=600
#
# From a pressure event to the knob: sched_waking of the daemon's trigger thread
# to the trace_marker line it writes just before a knob ([Daemon] TraceMarker=).
# Beside it, in the same guest and the same pressure, a bare thread in
# epoll_wait() that does nothing but write a mark. Times in an emulated guest are
# for holding one against the other.

#
# One sample at a time: a few cgroups die while nothing presses (nothing else
# makes the daemon act here), then a squeezed reader is thawed until an event
# has come, and frozen again until pressure counts as over.

need_daemon
full && : "${PULSES:=100}"
: "${PULSES:=12}"
parent=$CG/jobs
squeezed=$CG/squeezed
tracing=/sys/kernel/tracing

# A cgroup that reads more than it may keep stalls on memory all the time.
squeeze() {
	mkdir -p "$squeezed"
	echo 12M >"$squeezed/memory.high"
	reread "$squeezed" /disk/big /run/ready 0 &
	load=$!
	sleep 1
	echo 1 >"$squeezed/cgroup.freeze"
}

events() { ctl status --json | jget 'pressure.readings[].events' | awk '{ n += $1 } END { print n + 0 }'; }
more_events() { [ "$(events)" -gt "$seen" ]; }

pulse() {
	storm dying-create "$parent" /disk/jobs 5 >/dev/null
	sync
	storm dying-remove "$parent" 5 >/dev/null
	sleep 0.5
	seen=$(events)
	echo 0 >"$squeezed/cgroup.freeze"
	wait_for 10 more_events || say "a pulse without an event"
	echo 1 >"$squeezed/cgroup.freeze"
	# Hold=1s, and the window the kernel looks back over.
	sleep 2.5
}

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

dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
mkdir -p "$parent" /disk/jobs
sync
# Or its pages stay charged to us, and nobody is short of anything.
echo 1 >/proc/sys/vm/drop_caches
memory_on "$CG" && memory_on "$parent"

daemon_start "[Percpu]
ReapAbove=100000
ReapAfter=infinity
Cooldown=0
Trim=no
[Pressure]
Trigger=100ms/2s
Hold=1s
[Daemon]
TraceMarker=yes"
tid=$(trigger_thread)
[ -n "$tid" ] || abort "no thread of the daemon waits for pressure: $(cat /proc/"$daemon_pid"/task/*/comm)"
psiwatch /proc/pressure/memory 'some 100000 2000000' 'bare: event' >/run/bare &
bare=$!

squeeze
# All threads of the daemon, so that the saved trace tells where time went.
# shellcheck disable=SC2046
trace_start $bare $(ls "/proc/$daemon_pid/task")
for i in $(seq "$PULSES"); do
	pulse
done
kill $load
echo 0 >"$squeezed/cgroup.freeze"
kill $bare && wait $bare
echo 0 >$tracing/tracing_on
cat $tracing/trace >/run/trace
save /run/trace
say "$(cat /run/bare); $(grep -c tracing_mark_write /run/trace) marks"

ours=$(tracelat /run/trace "$tid" 'pcpu-reclaimd: write') ||
	{ grep -E 'waking|mark' /run/trace | head -n 40; abort "no knob write followed a pressure event: $ours"; }
base=$(tracelat /run/trace $bare 'bare: event') || abort "the bare thread saw nothing: $base"
say "daemon: $ours"
say "bare:   $base"
result samples "$(word samples "$ours")"
result p50_us "$(word p50_usec "$ours")" us
result p99_us "$(word p99_usec "$ours")" us
result bare_p50_us "$(word p50_usec "$base")" us
result bare_p99_us "$(word p99_usec "$base")" us
lag=$(ctl status --json | jget loop_lag_max_usec) || lag=-1
result loop_lag_max_us "$lag" us
assert_ge samples "$(word samples "$ours")" $((PULSES / 2))
ctl explain "${parent#"$CG"}" 2>&1
daemon_stop
