# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=300 modules=lzo-rle,zram daemon=yes
# vm-full: timeout=600
#
# Removed cgroups that hold a page of a tmpfs file. Without swap nothing can be
# done: the daemon stops within its budget, and explain says why. With swap
# (zram) the same cgroups go.

need_daemon
full && : "${N:=3000}"
: "${N:=500}"
parent=$CG/jobs

asked_bytes() {
	ctl history --json | jget 'records[].asked_bytes' 2>/dev/null |
		awk '{ n += $1 } END { print n + 0 }'
}

daemon_start ""
mkdir -p "$parent" /tmp/jobs
memory_on "$CG" && memory_on "$parent"
start=$(percpu_kb)
made=$(storm dying-create "$parent" /tmp/jobs "$N") || abort "storm: $made"
peak=$(percpu_kb)
gone=$(storm dying-remove "$parent" "$N") || abort "storm: $gone"
say "$made; $gone"
sleep 30
result noswap.percpu_start_kb "$start" kB
result noswap.percpu_peak_kb "$peak" kB
result noswap.percpu_end_kb "$(percpu_kb)" kB
result noswap.dying_end "$(dying)"
assert_ge noswap.dying_end "$(dying)" $((N * 99 / 100))
result noswap.asked_bytes "$(asked_bytes)" bytes
assert_le noswap.asked_bytes "$(asked_bytes)" $((256 << 20))
ctl explain "${parent#"$CG"}" 2>&1 | tee /run/explain.txt
save /run/explain.txt
grep -q 'swap' /run/explain.txt || fail "explain does not say that there is no swap"

[ -e /sys/block/zram0 ] || skip "no zram in this kernel; without swap: passed so far, $failures failures"
echo 256M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
since=$(now_ms)
# The daemon backs off after a fruitless reap; swap that appears ends that at
# the latest when the back-off does, or when somebody asks.
if wait_for 60 no_dying; then
	result zram.asked_by_hand 0
else
	result zram.asked_by_hand 1
	ctl reap "${parent#"$CG"}" || fail "pcpu-reclaimctl reap"
	wait_for 60 no_dying
fi
result zram.seconds $((($(now_ms) - since) / 1000)) s
left=$(staying)
result zram.dying_end "$left"
result zram.percpu_end_kb "$(percpu_kb)" kB
assert_le zram.dying_end "$left" 0
ctl explain "${parent#"$CG"}" 2>&1
daemon_stop
