# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 mem=3G numa=0-1:1G/2-3:1G/:1G timeout=600 append=pti=on stalls=count
# vm-full: timeout=2400
#
# Processes end in every way, with every kind of memory, beside each other, on nodes
# one of which has no CPUs, on a kernel that checks itself (NAME-debug); meanwhile
# batch free is switched on and off, the limits of its workers and what may be
# pending are moved, and CPUs taken off and on. With --vm numa=0-1:3G/2-3: a node has no
# memory instead. For FOR seconds of the guest's time: 30, in the full tier 300.
# Any complaint of the kernel fails it, stalls and hung tasks included; and nothing
# of it all may stay behind.

need_batch_free
for_s=${FOR:-30}
if [ -z "${FOR:-}" ] && full; then for_s=300; fi
parent=$CG/exits

# A cgroup for each, so that one is removed while others exit. Memory of it that is
# given back late would be the next one's to wait for.
mix() { # NAME KIND MB END
	local group=$parent/$1
	mkdir "$group" || return 1
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo 0 >"$1/cgroup.procs" && shift && exec exitmix "$@" 2' - \
		"$group" "$2" "$3" "$4" >/dev/null 2>>/run/errors || return 1
	wait_for 10 rmdir "$group"
}

# Each kind with each end by turns; TURN picks where to begin.
mixes() { # NAME KIND...
	local name=$1 kind way
	shift
	for kind in "$@"; do
		for way in exit kill exec vfork fork threads mrelease reader; do
			enough || mix "$name" "$kind" "$mb" $way || return 1
		done
	done
}

# With a limit, so that some are killed by the kernel for want of memory.
oom() { oomstorm "$parent/limited" 36 24 2 >/dev/null 2>>/run/errors; }

switches() {
	echo 0 >"$batch/enabled" && sleep 0.3 && echo 1 >"$batch/enabled" && sleep 0.5 &&
		echo 4 >"$batch/max_pending_mb" && sleep 0.2 && echo 64 >"$batch/max_pending_mb"
}

limits() {
	local n
	for n in 1 16 2 4; do
		batch_limit $n && sleep 0.3 || return 1
	done
}

nices() {
	local f
	for f in /sys/devices/virtual/workqueue/batch_free_node*/nice; do
		echo 19 >"$f" && sleep 0.2 && echo 0 >"$f" || return 1
	done
}

# For a moment node 1 has none left.
hotplug() {
	local cpu
	for cpu in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.3
		[ $cpu = 2 ] || echo 1 >/sys/devices/system/cpu/cpu$cpu/online || return 1
		sleep 0.2
	done
	echo 1 >/sys/devices/system/cpu/cpu2/online
}

free_kb() { awk '/^(MemFree|Cached|Buffers|SReclaimable):/ { n += $2 } END { print n }' /proc/meminfo; }

mb=${MB:-24}
[ -e /proc/lockdep ] || say "no lockdep in this kernel: it shows less than it should"
dmesg | grep -q 'page tables isolation: enabled' || say "no page table isolation in this kernel"
kinds="anon thp swap shmem zero"
if [ -e /proc/sys/vm/nr_hugepages ]; then
	echo 64 >/proc/sys/vm/nr_hugepages
	kinds="$kinds hugetlb"
else
	say "no hugetlb in this kernel"
fi
if [ -e /sys/block/zram0 ]; then
	echo 512M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
fi
grep -q zram0 /proc/swaps || fail "no swap"
memory_on "$CG"
mkdir -p "$parent/limited"
memory_on "$parent"
echo 48M >"$parent/limited/memory.max"
echo 0 >"$parent/limited/memory.swap.max"
echo always >/sys/kernel/mm/transparent_hugepage/enabled
batch_on 4
# What caches keep is there from here on.
mix warm anon 16 exit || abort "exitmix: $(cat /run/errors)"
before=$(free_kb)

# shellcheck disable=SC2086 # a list of words
loop mixes_a mixes a $kinds &
loop mixes_b mixes b swap /tmp/shared anon thp &
loop mixes_c mixes c anon /tmp/shared shmem &
loop oom oom &
if has_batch_free; then
	loop switches switches &
	loop limits limits &
	loop nices nices &
fi
loop hotplug hotplug &
sleep "$for_s"
touch /run/enough
wait
[ ! -e /run/failed ] || fail "$(cat /run/failed); $(tail -n 3 /run/errors)"
for f in /run/rounds.*; do
	result "${f#/run/}" "$(cat "$f")"
	assert_ge "${f#/run/}" "$(cat "$f")" 1
done

rm -f /tmp/shared
if has_batch_free; then
	for f in offloaded_pages helped_pages inline_pages local_pages exits; do
		result $f "$(batch_sum $f)"
	done
	assert_ge offloaded_pages "$(batch_sum offloaded_pages)" 10000
fi
batch_settled
if ! wait_for 10 rmdir "$parent/limited" || ! rmdir "$parent"; then
	fail "cgroups can't be removed"
fi
wait_for 30 no_dying || say "$(dying) cgroups stay dying"
# Give or take what slabs and CPUs keep.
result free_before_kb "$before" kB
result free_after_kb "$(free_kb)" kB
assert_ge free_after_kb "$(free_kb)" $((before - 65536))
batch_off
