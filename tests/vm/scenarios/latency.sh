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

need_daemon
full && : "${RUN:=120}"
: "${RUN:=40}"
parent=$CG/jobs
tracing=/sys/kernel/tracing
trigger='some 100000 2000000'

# A cgroup that reads more than it may keep stalls on memory all the time.
pressure_start() {
	mkdir -p "$CG/squeezed"
	memory_on "$CG"
	echo 12M >"$CG/squeezed/memory.high"
	reread "$CG/squeezed" /disk/big /run/ready 0 &
	load=$!
}

# Something to reap at every event: a few dead cgroups each second.
feed() {
	local n=0
	while [ ! -e /run/stop ]; do
		storm dying-create "$parent" /disk/jobs 5 >/dev/null
		sync
		storm dying-remove "$parent" 5 >/dev/null
		n=$((n + 5))
		sleep 1
	done
	echo $n >/run/fed
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

# The trigger thread: the one of the daemon's that sleeps in epoll and is not
# its first.
trigger_thread() {
	local t name
	for t in /proc/"$daemon_pid"/task/*; do
		[ "${t##*/}" = "$daemon_pid" ] && continue
		name=$(cat "$t/comm")
		case $name in
		*psi* | *press* | *trigger*) echo "${t##*/}" && return ;;
		esac
	done
	for t in /proc/"$daemon_pid"/task/*; do
		[ "${t##*/}" = "$daemon_pid" ] && continue
		grep -q ep_poll "$t/wchan" && echo "${t##*/}" && return
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
Cooldown=0
TrimCooldown=0
[Pressure]
Trigger=100ms/2s
[Daemon]
TraceMarker=yes"
tid=$(trigger_thread)
[ -n "$tid" ] || abort "no thread of the daemon waits for pressure: $(cat /proc/"$daemon_pid"/task/*/comm)"
psiwatch /proc/pressure/memory "$trigger" 'bare: event' >/run/bare &
bare=$!

trace_start "$tid" $bare
pressure_start
feed &
sleep "$RUN"
touch /run/stop
kill $load
kill $bare && wait $bare
echo 0 >$tracing/tracing_on
cat $tracing/trace >/run/trace
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
assert_ge samples "$(word samples "$ours")" 5
daemon_stop
