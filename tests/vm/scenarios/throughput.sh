# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions timeout=900 carry=test_vmalloc
# vm-full: timeout=1800
#
# What the series costs with its knobs untouched: percpu allocations and frees
# (test_vmalloc), cgroups made and removed, fork and exec in a cgroup. In
# instructions of the guest, so that how busy the host is does not count; to hold
# a kernel against its -base, see compare. No daemon.

knobs=/sys/kernel/mm/percpu
parent=$CG/throughput
full && : "${N:=1000}"
: "${N:=200}"

[ -e /vm/modules/test_vmalloc.ko ] || skip "this kernel has no test_vmalloc module"
mkdir -p "$parent/execs"
memory_on "$CG" && memory_on "$parent"

took() { echo "${1##*usec=}"; }

# The module does its test while it is being inserted, and then refuses to stay; insmod
# tries another way then, and the second time is the warm one.
insmod /vm/modules/test_vmalloc.ko run_test_mask=128 nr_threads=1 2>/dev/null
alloc=$(dmesg | sed -n 's/.*Summary: pcpu_alloc_test passed: 1 failed: 0 .* avg: \([0-9]*\) usec.*/\1/p' | tail -n 1)
[ -n "$alloc" ] || abort "no summary of pcpu_alloc_test: $(dmesg | grep Summary)"
result alloc_usec "$alloc" us

made=$(storm percpu-create "$parent" "$N" 10) || abort "storm: $made"
result create_usec "$(took "$made")" us
gone=$(storm percpu-remove "$parent" "$N" 10 0) || abort "storm: $gone"
result remove_usec "$(took "$gone")" us

# A new mm each, whose counters are percpu memory and accounted (rss_stat).
sh -c 'echo 0 >"$1/execs/cgroup.procs"
	start=$(cat /proc/uptime)
	i=0
	while [ $i -lt 3000 ]; do
		/bin/busybox true
		i=$((i + 1))
	done
	echo "${start%% *} $(cut -d" " -f1 /proc/uptime)"' - "$parent" >/run/execs
result exec_usec "$(awk '{ printf "%d", ($2 - $1) * 1000000 }' /run/execs)" us
if has_trim_knob; then
	assert_eq trim_runs "$(cat $knobs/trim_runs)" 0
fi
