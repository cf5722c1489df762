# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 timeout=400 carry=test_vmalloc stalls=count
# vm-full: timeout=1800
#
# Everything that allocates, frees, isolates, populates and depopulates percpu
# pages, beside each other, on a kernel that checks itself (NAME-debug: lockdep,
# KASAN, the series' own check of its counters after each step of a trim):
# percpu allocations that sleep (test_vmalloc, fork and exec in a cgroup, mkdir)
# and that may not (BPF, also with a cgroup at its limit), cgroups made and
# removed, CPUs taken off and on, trims, and the knobs moved. For FOR seconds of
# the guest's time: 30, in the full tier 600. Any complaint of the kernel fails
# it, stalls and hung tasks included; and nothing of it all may stay behind.
#
# 6.12 counts the fair server of a CPU, which sees to it that real-time tasks leave some
# time to others, as one more task there. When its timer comes while all CPUs wait for
# one to be taken off, the kernel warns that this one was "not properly vacated", stock
# and patched (until mainline's 52d15521eb75, which 6.12 has not got). So there is none here,
# and how many were put out is told. FAIR_PERIOD=stock leaves them as they are, and with
# NANOSECONDS, 1000000 of them, nearly every CPU shows it: for -base kernels.

knobs=/sys/kernel/mm/percpu
parent=$CG/stress
for_s=${FOR:-30}
if [ -z "${FOR:-}" ] && full; then for_s=600; fi

# fair_servers FILE VALUE: how many there are. A runtime of 0 puts them out.
fair_servers() {
	local server n=0
	for server in /sys/kernel/debug/sched/fair_server/cpu*; do
		[ -e "$server" ] || continue
		echo "$2" >"$server/$1" || return 1
		n=$((n + 1))
	done
	echo $n
}

# Counts allocations that may not sleep where they are made, failures left out.
trace=/sys/kernel/tracing/instances/stress
watch_atomic() {
	mkdir $trace && echo 16 >$trace/buffer_size_kb &&
		echo is_atomic==1 >$trace/events/percpu/percpu_alloc_percpu/filter &&
		echo 1 >$trace/events/percpu/percpu_alloc_percpu/enable
}
atomic_allocations() { cat $trace/per_cpu/*/stats | awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }'; }

cgroups() {
	storm percpu-create "$parent/$1" 10 10 >/dev/null &&
		storm percpu-remove "$parent/$1" 10 10 0 >/dev/null &&
		storm clear "$parent/$1" >/dev/null
}

# 35,000 allocations in each of two threads; the module never stays.
allocations() {
	insmod /vm/modules/test_vmalloc.ko run_test_mask=128 nr_threads=2 2>/dev/null
	! dmesg | grep -q 'pcpu_alloc_test.* failed: [1-9]'
}

atomic() { atomicpcpu 500 8 >>/run/atomic.free; }

in_cgroup() { # NAME COMMAND...
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo 0 >"'"$parent"'/$1/cgroup.procs" && shift && exec "$@"' - "$@"
}

# One that is killed for want of memory, before it can say anything, is as good.
atomic_tight() { in_cgroup tight atomicpcpu 500 8 >>/run/atomic.tight || true; }

execs() {
	in_cgroup execs sh -c 'for i in 1 2 3 4 5 6 7 8; do busybox true & done; wait'
}

hotplug() {
	local cpu
	for cpu in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.2
		echo 1 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.1
	done
}

trims() {
	echo max >$knobs/reclaim
	sleep 0.05
	# Less than that may be there: EAGAIN is no failure here.
	echo 64K >$knobs/reclaim 2>/dev/null
	sleep 0.05
}

# set_knob FILE VALUE: where the kernel has it, and lets it be set
set_knob() {
	[ "$(stat -c %a "$knobs/$1" 2>/dev/null)" != 644 ] || echo "$2" >"$knobs/$1"
}

move_knobs() {
	set_knob empty_pages_high 32 && set_knob empty_pages_low 16 || return 1
	set_knob reclaim_min_percent 1 || return 1
	sleep 0.3
	set_knob empty_pages_low 1 && set_knob empty_pages_high 2 || return 1
	set_knob reclaim_min_percent 100 || return 1
	sleep 0.3
}

[ -e /vm/modules/test_vmalloc.ko ] || skip "this kernel has no test_vmalloc module"
[ -e /proc/lockdep ] || say "no lockdep in this kernel: it shows less than it should"
mkdir -p "$parent/a" "$parent/b" "$parent/tight" "$parent/execs"
memory_on "$CG" && memory_on "$parent" && memory_on "$parent/a" && memory_on "$parent/b"
echo 2M >"$parent/tight/memory.max"
if has_trim_knob; then
	low=$(cat $knobs/empty_pages_low)
	high=$(cat $knobs/empty_pages_high)
	percent=$(cat $knobs/reclaim_min_percent 2>/dev/null)
fi
before=$(percpu_kb)
case ${FAIR_PERIOD:-} in
stock) ;;
'')
	servers=$(fair_servers runtime 0) || abort "the fair servers can't be put out"
	result fair_servers_out "$servers"
	;;
*)
	fair_servers runtime $((FAIR_PERIOD / 20))
	# One that is set twice within its old period is another thing to warn of.
	sleep 3
	fair_servers period "$FAIR_PERIOD"
	;;
esac
watch_atomic || abort "no tracepoint tells of allocations that may not sleep"

loop cgroups_a cgroups a &
loop cgroups_b cgroups b &
loop allocations allocations &
loop atomic atomic &
loop atomic_tight atomic_tight &
loop execs execs &
loop hotplug hotplug &
if has_trim_knob; then
	loop trims trims &
	loop knobs move_knobs &
fi
sleep "$for_s"
touch /run/enough
wait
if [ -e /run/failed ]; then
	fail "$(cat /run/failed)"
fi

for f in /run/rounds.*; do
	result "${f#/run/}" "$(cat "$f")"
	assert_ge "${f#/run/}" "$(cat "$f")" 1
done
result atomic_allocations "$(atomic_allocations)"
assert_ge atomic_allocations "$(atomic_allocations)" 1000
for f in free tight; do
	result "atomic_$f" "$(awk -F '[ =]' '{ n += $2 } END { print n + 0 }' /run/atomic.$f)" elements
	result "refused_$f" "$(awk -F '[ =]' '{ n += $4 } END { print n + 0 }' /run/atomic.$f)" elements
done

# What stays is what was there before, give or take free chunks and the float.
storm clear "$parent" >/dev/null && rmdir "$parent"
if has_trim_knob; then
	set_knob empty_pages_high "$high"
	set_knob empty_pages_low "$low"
	[ -z "$percent" ] || set_knob reclaim_min_percent "$percent"
	wait_for 20 no_dying
	echo max >$knobs/reclaim
	sleep 1
	for f in trim_runs trim_tlb_flushes depopulated_pages repopulated_pages; do
		result $f "$(cat $knobs/$f)"
	done
	assert_le empty_pages "$(empty_pages)" "$high"
	assert_ge repopulated_pages "$(cat $knobs/repopulated_pages)" 1
fi
result before_kb "$before" kB
result after_kb "$(percpu_kb)" kB
