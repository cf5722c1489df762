# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 disk=512M journal=no daemon=yes
# vm-full: timeout=1200
#
# From a pressure event to the knob: sched_waking of the daemon's trigger thread
# to the trace_marker line it writes just before a knob ([Daemon] TraceMarker=).
# Beside it, in the same guest and the same pressure, a bare thread in
# epoll_wait() that does nothing but write a mark. Times in an emulated guest are
# for holding one against the other.
#
# One sample at a time: a few cgroups die while nothing presses (nothing else
# makes the daemon act here), then a squeezed reader is thawed until they have been
# reaped, and frozen again until pressure counts as over. p99 of so few samples, up
# to a hundred, is the largest of them.
#
# The first pulse is shown by itself (first_us): most of it is the emulator that
# translates code which has never run. It also tells whether both threads see events.
#
# Last, the loop's longest turn while thousands of removed cgroups below one parent
# are reaped (loop_lag_max_us), beside what it was up to then, with the start and all
# the code that had never run (loop_lag_cold_us).

need_daemon
full && : "${PULSES:=40}" "${N:=3000}"
: "${PULSES:=12}" "${N:=1000}"
parent=$CG/jobs
many=$CG/many
squeezed=$CG/squeezed
. /vm/trace.sh

# A cgroup that reads more than it may keep stalls on memory all the time.
squeeze() {
	mkdir -p "$squeezed"
	echo 12M >"$squeezed/memory.high"
	reread "$squeezed" /disk/big /run/ready 0 &
	load=$!
	sleep 1
	echo 1 >"$squeezed/cgroup.freeze"
}

# All threads of the daemon, so that the saved trace tells where time went.
observe() {
	psiwatch /proc/pressure/memory 'some 100000 2000000' 'bare: event' >/run/bare &
	bare=$!
	# As the daemon runs.
	renice -n -5 -p "$bare"
	# shellcheck disable=SC2046
	trace_start "$bare" $(ls "/proc/$daemon_pid/task")
}

ours() { tracelat "$1" "$tid" 'pcpu-reclaimd: write'; }
base() { tracelat "$1" "$bare" 'bare: event'; }

bare_gone() { ! [ -e "/proc/$bare/fd/0" ]; }
stop_bare() {
	kill "$bare"
	wait_for 10 bare_gone || { say "the bare thread does not end" && kill -9 "$bare"; }
	wait "$bare"
}

# A pulse that both threads see; a trigger of the kernel's was once seen not to fire.
first_pulse() {
	local try
	for try in 1 2 3; do
		observe
		pulse "$parent" "$squeezed" 3
		cat "$tracing"/trace >/run/first
		if first=$(ours /run/first) && base /run/first >/dev/null; then
			echo >"$tracing"/trace
			return 0
		fi
		stop_bare
		say "try $try: an event that one of the two did not see: $(cat /run/bare)"
	done
	return 1
}

# A parent with N removed cgroups, which a policy of its own has reaped.
reap_many() {
	mkdir -p "$many" /disk/many
	memory_on "$many"
	storm dying-create "$many" /disk/many "$N" >/dev/null
	sync
	# The longest turn counts from here on, the second of these among them.
	ctl reload >/dev/null && ctl reload >/dev/null
	storm dying-remove "$many" "$N" >/dev/null
	wait_for 120 no_dying "$many" || fail "$(dying "$many") of $N removed cgroups are not reaped"
}

loop_lag() { ctl status --json | jget loop_lag_max_usec || echo -1; }

dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
mkdir -p "$parent" /disk/jobs
sync
# Or its pages stay charged to us, and nobody is short of anything.
echo 1 >/proc/sys/vm/drop_caches
memory_on "$CG" && memory_on "$parent"

start_traced "[Policy many]
Match=/many
ReapAbove=100"

squeeze
first_pulse || abort "no knob write follows a pressure event, or the bare thread sees none"
for i in $(seq "$PULSES"); do
	pulse "$parent" "$squeezed"
	[ $((i % 10)) -ne 0 ] || say "$i pulses"
done
kill $load
echo 0 >"$squeezed/cgroup.freeze"
stop_bare
trace_end
say "$(cat /run/bare); $(grep -c tracing_mark_write /run/trace) marks"

cold=$(loop_lag)
reap_many
lag=$(loop_lag)

daemon=$(ours /run/trace) || abort "no knob write followed a pressure event: $daemon"
bare=$(base /run/trace) || abort "the bare thread saw nothing: $bare"
say "daemon: $daemon"
say "bare:   $bare"
result samples "$(word samples "$daemon")"
result first_us "$(word max_usec "$first")" us
result p50_us "$(word p50_usec "$daemon")" us
result p99_us "$(word p99_usec "$daemon")" us
result bare_p50_us "$(word p50_usec "$bare")" us
result bare_p99_us "$(word p99_usec "$bare")" us
result loop_lag_cold_us "$cold" us
result loop_lag_max_us "$lag" us
assert_ge samples "$(word samples "$daemon")" $((PULSES * 3 / 4))
ctl explain "${parent#"$CG"}" 2>&1
daemon_stop
