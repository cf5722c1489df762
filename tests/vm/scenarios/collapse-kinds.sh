# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions timeout=600 daemon=yes
#
# Which memory becomes huge: what khugepaged would make huge and nothing else. A
# process with memory of every kind (thpkinds: plain, half touched, MADV_NOHUGEPAGE, MADV_HUGEPAGE,
# mlock, read-only, shared memory, userfaultfd, shared with a child after fork, ...) with
# transparent_hugepage/enabled always, madvise and never, and with PR_SET_THP_DISABLE:
# first left to khugepaged, then to a one-shot budget of its own (a kernel with the
# series), then to a policy of the daemon. Same huge pages of each kind, same memory in all.
# process_madvise(), on a kernel without the series, may leave out what userfaultfd watches.

. /vm/thp.sh
need_daemon

kinds_start() { # [disabled]
	: >/run/kinds
	(in_cgroup "$jobs"/target thpkinds "$@" >>/run/kinds 2>&1 &) 2>/dev/null
	wait_for 60 grep -q '^ready ' /run/kinds || abort "thpkinds is not ready: $(cat /run/kinds)"
	pid=$(word pid "$(grep '^ready ' /run/kinds)")
}

# KIND HUGE for each kind there is, in huge pages, and all of its Rss
huge_of_kinds() {
	awk 'FILENAME != "/run/kinds" {
			if ($1 ~ /^[0-9a-f]+-[0-9a-f]+$/) at = $1
			if ($1 == "AnonHugePages:") huge[at] = $2 / 2048
			next
		}
		$2 ~ /-/ { print $1, huge[$2] + 0 }' /proc/"$pid"/smaps /run/kinds
	echo "rss_kb $(rollup_kb "$pid" Rss)"
}

scans() { cat "$khugepaged"/full_scans; }
scanned() { [ "$(scans)" -ge $((scans0 + 3)) ]; }
by_khugepaged() {
	# It does not scan at all when nothing may be huge, or nobody's memory.
	[ "$enabled$disabled" = always ] || [ "$enabled" = madvise ] || return 0
	scans0=$(scans)
	khugepaged_set 65536 100
	wait_for 60 scanned || abort "khugepaged does not come round"
	khugepaged_hold
}

nothing_pending() { [ "$(stat_of "$pid" pending)" = 0 ]; }
by_task() {
	local i
	# Once more: what was busy the first time need not be the second.
	for i in 1 2 3; do
		echo 100000 >/proc/"$pid"/thp_collapse
		wait_for 20 nothing_pending || say "$(stat_of "$pid" pending) of 100000 pages stay pending"
	done
}

by_policy() { sleep 15; }

# Busy stacks and the like: memory may differ by a page or two, huge pages may not.
compare() { # WHO
	huge_of_kinds >/run/all
	grep -v '^rss_kb ' /run/all >"/run/huge.$1"
	rss=$(keyed /run/all rss_kb)
	if [ "$1" = khugepaged ]; then
		rss_khugepaged=$rss
		return
	fi
	differ=$(diff /run/huge.khugepaged "/run/huge.$1" | grep '^[-+][a-z]' | tr '\n' ' ')
	if ! has_task_collapse && [ "$differ" = "-uffd-full 3 +uffd-full 0 " ]; then
		say "$mode: left out: uffd-full"
		differ=
	fi
	[ -z "$differ" ] || fail "$mode: khugepaged (-) and $1 (+) differ: $differ"
	result "$mode.rss_$1_kb" "$rss" kB
	assert_le "$mode.rss_$1_kb" "$rss" $((rss_khugepaged * 101 / 100))
	result "$mode.huge_$1" "$(awk '{ n += $2 } END { print n }' "/run/huge.$1")" pages
}

one() { # WHO
	# shellcheck disable=SC2086 # none or one word
	kinds_start $disabled
	"by_$1"
	compare "$1"
	kill "$pid"
	wait_for 20 load_gone "$jobs"/target || abort "thpkinds does not end"
}

mode() { # NAME ENABLED [disabled]
	mode=$1 enabled=$2 disabled=${3:-}
	echo "$enabled" >"$THP"/enabled
	khugepaged_hold
	one khugepaged
	say "$mode: $(tr '\n' ' ' </run/huge.khugepaged)"
	if has_task_collapse; then
		echo 1 >"$task_collapse"/enabled
		one task
		echo 0 >"$task_collapse"/enabled
	fi
	daemon_start "[Policy target]
Match=/jobs/target
Collapse=64M/1s"
	one policy
	daemon_stop
}

[ -d "$khugepaged" ] || skip "this kernel has no huge pages"
mkdir -p "$jobs"
memory_on "$CG" && memory_on "$jobs"
mkdir -p "$jobs"/target
khugepaged_hold
mode always always
# The test itself: there is something to tell apart.
for k in "plain 3" "unaligned 2" "hugepage 3" "nohugepage 0" "uffd-half 0" "cow-all 0"; do
	grep -qx "$k" /run/huge.khugepaged || fail "khugepaged alone: not '$k'"
done
mode madvise madvise
assert_eq madvise.plain "$(keyed /run/huge.khugepaged plain)" 0
mode never never
mode disabled always disabled
assert_eq disabled.hugepage "$(keyed /run/huge.khugepaged hugepage)" 0
