#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds a machine out of plain files, for `pcpu-reclaimd --root DIR`.
#
#   fakeroot.sh DIR [v2|bare|hybrid|none] [percpu] [psi]
#
#   v2      a cgroup2 mount with the memory controller (the default)
#   bare    a cgroup2 mount without it, and no v1 memory either
#   hybrid  memory on cgroup v1, beside a cgroup2 without controllers
#   none    no cgroup mount at all
#   percpu  a kernel with the percpu series: /sys/kernel/mm/percpu
#   psi     a kernel with pressure files
#
# What is left out is absent, as it would be on a kernel without it: that is what
# most of the tests are about.
set -eu

dir=$1
shift
mode=v2
percpu='' psi=''
for word; do
	case $word in
	v2 | bare | hybrid | none) mode=$word ;;
	percpu) percpu=yes ;;
	psi) psi=yes ;;
	*)
		echo "fakeroot.sh: $word?" >&2
		exit 2
		;;
	esac
done

put() { # PATH LINE...
	file=$dir/$1
	shift
	mkdir -p "${file%/*}"
	printf '%s\n' "$@" > "$file"
}

put_memcg() { # CGROUP-DIRECTORY
	put "$1/cgroup.stat" 'nr_descendants 0' 'nr_dying_descendants 0'
	put "$1/memory.stat" 'anon 0' 'file 0' 'shmem 0' 'workingset_refault_anon 0' \
		'workingset_refault_file 0'
	: > "$dir/$1/memory.reclaim"
}

mkdir -p "$dir/run" "$dir/var/lib" "$dir/etc/pcpu-reclaimd/conf.d" "$dir/proc/self"
put proc/meminfo 'MemTotal:        4096000 kB' 'MemFree:         2048000 kB' \
	'SwapTotal:       1048576 kB' 'SwapFree:        1048576 kB' 'Percpu:             4096 kB'
put proc/sys/kernel/random/boot_id 3f0e6f1a-9d0c-4a52-8a53-3b6f4f9a1c55
put sys/devices/system/cpu/possible 0-1
put sys/devices/system/cpu/online 0-1

top='22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw'
v2='rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate'
case $mode in
none)
	put proc/self/mountinfo "$top"
	;;
v2 | bare)
	put proc/self/mountinfo "$top" "30 23 0:26 / /sys/fs/cgroup $v2"
	put proc/self/cgroup 0::/system.slice/test.service
	put sys/fs/cgroup/cgroup.stat 'nr_descendants 0' 'nr_dying_descendants 0'
	if [ "$mode" = v2 ]; then
		put sys/fs/cgroup/cgroup.controllers 'cpuset cpu io memory pids'
		put_memcg sys/fs/cgroup
	else
		put sys/fs/cgroup/cgroup.controllers 'cpuset cpu io pids'
	fi
	;;
hybrid)
	put proc/self/mountinfo "$top" \
		'29 23 0:25 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:8 - tmpfs tmpfs ro,mode=755' \
		"30 29 0:26 / /sys/fs/cgroup/unified $v2" \
		'31 29 0:27 / /sys/fs/cgroup/memory rw,nosuid shared:10 - cgroup cgroup rw,memory'
	put proc/self/cgroup 4:memory:/ 0::/
	put proc/cgroups '#subsys_name	hierarchy	num_cgroups	enabled' 'memory	4	1	1'
	put sys/fs/cgroup/unified/cgroup.controllers ''
	put sys/fs/cgroup/memory/memory.usage_in_bytes 0
	: > "$dir/sys/fs/cgroup/memory/memory.force_empty"
	;;
esac

if [ -n "$psi" ]; then
	put proc/pressure/memory 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0' \
		'full avg10=0.00 avg60=0.00 avg300=0.00 total=0'
fi
if [ -n "$percpu" ]; then
	knobs=sys/kernel/mm/percpu
	put $knobs/nr_units 2
	put $knobs/unit_pages 44
	put $knobs/populated_pages 500
	put $knobs/empty_pages 4
	put $knobs/isolated_empty_pages 0
	put $knobs/empty_pages_low 2
	put $knobs/empty_pages_high 4
	put $knobs/reclaim_min_percent 25
	put $knobs/metadata_bytes 262144
	put $knobs/depopulated_pages 0
	put $knobs/repopulated_pages 0
	put $knobs/trim_runs 0
	: > "$dir/$knobs/reclaim"
fi
