# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=900 disk=1G selftests=cgroup carry=test_vmalloc
# vm-full: timeout=2400
#
# The kernel's own tests of what the series in kernel-patches/ goes near: cgroups
# with kernel memory, memory limits, their core, killing; and 35,000 percpu
# allocations. Each test is a result: 1 ok, 0 not_ok, -1 skip. What counts is that
# a patched kernel says what the stock one says (run --same-as KERNEL), with the
# knobs untouched, and with TRIM=yes, which has the empty percpu pages given back
# every 100 ms all the time, or BATCH=yes, which has workers free what any process
# leaves, and one that leaves much exits all the time. The quick tier leaves out what
# takes longest.

knobs=/sys/kernel/mm/percpu

# tests NAME: the lines of one program, "ok 1 NAME", "not ok 2 NAME", "ok 3 # SKIP NAME".
# Some come more than once: a child that a test forks inherits what is not written yet.
tests() {
	timeout 900 chroot /disk /test_"$1" >/run/test_"$1" 2>&1
	save /run/test_"$1"
	grep -E '^(not )?ok ' /run/test_"$1" | awk '!seen[$0]++' >/run/lines
	while read -r line; do
		case $line in
		'ok '*'# SKIP '*) said "$1.${line##* }" -1 skip ;;
		'ok '*) said "$1.${line##* }" 1 ok ;;
		*) said "$1.${line##* }" 0 not_ok ;;
		esac
	done </run/lines
}

# said NAME VALUE WORD
said() {
	result "$1" "$2" "$3"
	total=$((total + 1))
	[ "$3" != skip ] || skipped=$((skipped + 1))
}

# The module does its test while it is being inserted, and then refuses to stay.
pcpu_alloc_test() {
	if [ ! -e /vm/modules/test_vmalloc.ko ]; then
		said vmalloc.pcpu_alloc_test -1 skip
		return
	fi
	insmod /vm/modules/test_vmalloc.ko run_test_mask=128 2>/dev/null
	if dmesg | grep -q 'Summary: pcpu_alloc_test passed: 1 failed: 0 '; then
		said vmalloc.pcpu_alloc_test 1 ok
	else
		said vmalloc.pcpu_alloc_test 0 not_ok
	fi
}

trim_on_and_on() {
	until [ -e /run/enough ]; do
		echo max >$knobs/reclaim
		sleep 0.1
	done
}

if [ "${TRIM:-no}" = yes ]; then
	has_trim_knob || skip "this kernel has no trim knob"
	trim_on_and_on &
	trims=$!
fi
if [ "${BATCH:-no}" = yes ]; then
	need_batch_free
	batch_on 4
	exit_on_and_on &
	exits=$!
fi
if [ -e /sys/block/zram0 ]; then
	echo 1G >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
fi

# Their root is a real file system: dentries of what is not there are not kept on others.
for d in proc sys dev tmp; do
	mkdir -p /disk/$d
	mount --rbind /$d /disk/$d
done
cp /usr/lib/selftests/* /disk/

total=0 skipped=0
for t in kmem core kill; do
	tests $t
done
full && tests memcontrol
pcpu_alloc_test

if [ "${TRIM:-no}" = yes ]; then
	touch /run/enough
	wait "$trims"
	result trim_runs "$(cat $knobs/trim_runs)"
	assert_ge trim_runs "$(cat $knobs/trim_runs)" 20
elif has_trim_knob; then
	assert_eq trim_runs "$(cat $knobs/trim_runs)" 0
fi
if [ "${BATCH:-no}" = yes ]; then
	touch /run/enough
	wait "$exits" || fail "bigexit failed"
	assert_ge offloaded_pages "$(batch_sum offloaded_pages)" 10000
	batch_settled
fi
result total $total tests
result skipped $skipped tests
assert_ge total $total 20
