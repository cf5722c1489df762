# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 mem=4G timeout=400 stalls=count
# vm-full: timeout=2400
#
# Processes that map, unmap, move, protect, lock, drop, fork, exec, exit and are
# killed (thpstorm) while random ones of them are asked to collapse their memory at
# random rates (thpask), khugepaged goes over them as fast as it can, its limits are
# moved, the per-task collapse is switched off and on, memory is compacted and
# swapped, CPUs are taken off and on. On a kernel that checks itself (NAME-debug), for FOR
# seconds of the guest's time: 30, in the full tier 600. Any complaint of the kernel fails it,
# stalls and hung tasks included; and nothing of it all may stay behind. The scheduler's
# fair servers are put out, for the reason that stress gives.

. /vm/thp.sh
for_s=${FOR:-30}
if [ -z "${FOR:-}" ] && full; then for_s=600; fi
storm_cg=$CG/storm

limits() {
	for none in 511 0 64 511; do
		echo $none >"$khugepaged"/max_ptes_none || return 1
		echo $((none / 2)) >"$khugepaged"/max_ptes_shared || return 1
		sleep 0.2
	done
	for run in 1 512 65536 4096; do
		echo $run >"$task_collapse"/max_pages_per_run || return 1
		echo $((run & 1)) >"$task_collapse"/direct_compact || return 1
		sleep 0.2
	done
}

switches() {
	sleep 1
	echo 0 >"$task_collapse"/enabled && sleep 0.05 && echo 1 >"$task_collapse"/enabled || return 1
	sleep 0.5
	echo never >"$THP"/enabled && sleep 0.05 && echo always >"$THP"/enabled
}

# Memory of the storm is swapped out and in, and huge pages are scarce at times.
squeeze() {
	# Less than that may be there.
	echo 32M >"$storm_cg"/memory.reclaim 2>/dev/null
	sleep 0.3
	echo 1 >/proc/sys/vm/compact_memory || return 1
	sleep 0.3
}

hotplug() {
	local cpu
	for cpu in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.3
		echo 1 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.3
	done
}

has_task_collapse || skip "this kernel has no $task_collapse"
[ -e /proc/lockdep ] || say "no lockdep in this kernel: it shows less than it should"
mkdir -p "$storm_cg"
memory_on "$CG"
# For want of memory the storm goes to swap, or processes of it.
echo 1500M >"$storm_cg"/memory.high
if [ -e /sys/block/zram0 ]; then
	echo 512M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
fi
for server in /sys/kernel/debug/sched/fair_server/cpu*; do
	[ ! -e "$server" ] || echo 0 >"$server/runtime" || abort "a fair server can't be put out"
done
free0=$(meminfo MemFree)
slab0=$(meminfo Slab)
collapsed0=$(keyed /proc/vmstat thp_task_collapse)
echo 1 >"$task_collapse"/enabled
khugepaged_set 65536 20

in_cgroup "$storm_cg" thpstorm "$for_s" 24 1 >/run/storm 2>&1 &
storm=$!
thpask "$for_s" "$storm_cg" 2 >/run/ask.1 2>&1 &
ask1=$!
thpask "$for_s" "$storm_cg" 3 >/run/ask.2 2>&1 &
ask2=$!
loop limits limits &
loop switches switches &
loop squeeze squeeze &
loop hotplug hotplug &
for job in $storm $ask1 $ask2; do
	wait "$job" || fail "$(cat /run/storm /run/ask.1 /run/ask.2)"
done
touch /run/enough
wait
if [ -e /run/failed ]; then
	fail "$(cat /run/failed)"
fi
say "$(cat /run/storm /run/ask.1 /run/ask.2)"

result started "$(word started "$(cat /run/storm)")" processes
for key in written refused gone read; do
	result $key $(($(word $key "$(cat /run/ask.1)") + $(word $key "$(cat /run/ask.2)")))
done
for f in /run/rounds.*; do
	result "${f#/run/}" "$(cat "$f")"
	assert_ge "${f#/run/}" "$(cat "$f")" 1
done
collapsed=$(($(keyed /proc/vmstat thp_task_collapse) - collapsed0))
result collapsed $collapsed "huge pages"
result failed "$(keyed /proc/vmstat thp_task_collapse_failed)"
assert_ge collapsed $collapsed "$for_s"
assert_ge written "$(word written "$(cat /run/ask.1)")" $((for_s * 3))

# All of them are gone: so is what they had. KASAN keeps freed objects for a while, up to
# a 32nd of the memory.
if grep -q kasan /proc/kallsyms; then
	kept=$(($(meminfo MemTotal) / 32))
else
	kept=0
fi
memory_back() { [ "$(meminfo MemFree)" -gt $((free0 - 65536 - kept)) ]; }
echo 0 >"$task_collapse"/enabled
khugepaged_defaults
wait_for 20 load_gone "$storm_cg" || fail "processes stay in the cgroup"
echo 1 >/proc/sys/vm/drop_caches
wait_for 20 memory_back
say "$((free0 - $(meminfo MemFree))) kB are not free again, slab $(($(meminfo Slab) - slab0)) kB more"
memory_back || fail "$((free0 - $(meminfo MemFree))) kB are not free again"
result free_left_kb $((free0 - $(meminfo MemFree))) kB
result anon_huge_left_kb "$(meminfo AnonHugePages)" kB
assert_le anon_huge_left_kb "$(meminfo AnonHugePages)" 8192
