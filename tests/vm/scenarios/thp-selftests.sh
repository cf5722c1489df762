# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions mem=4G timeout=900 selftests=mm
# vm-full: timeout=2400
#
# The kernel's own tests of huge pages: khugepaged with anonymous and with shared
# memory, splitting, transhuge-stress; as thp-migration (the same file), which wants
# two nodes and a clock that goes on, migration. Each is a result: 1 ok, 0 not_ok, -1 skip. What counts is that a patched
# kernel says what the stock one says (run --same-as KERNEL), with the per-task collapse off, and with
# COLLAPSE=yes: then the tests themselves and a process beside them are asked for all they have all
# the time. Only the test that splits is not asked itself: it would find whole again what it has split.
#
# The clock counts instructions, as the tests wait for khugepaged 3 s and no longer.

. /vm/thp.sh
tests="khugepaged split stress"
[ "$VM_SCENARIO" != thp-migration ] || tests=migration
dir=/usr/lib/selftests
cg=$CG/selftests

# said NAME VALUE WORD
said() {
	result "$1" "$2" "$3"
	total=$((total + 1))
}

# ended NAME STATUS
ended() {
	case $2 in
	0) said "$1" 1 ok ;;
	4) said "$1" -1 skip ;;
	*) said "$1" 0 not_ok ;;
	esac
}

# call FILE SECONDS PROGRAM ARGUMENT...: what it says, without colours; its status
call() {
	local out=$1 seconds=$2 status program=$dir/$3
	shift 3
	in_cgroup "$cg" timeout "$seconds" "$program" "$@" >/run/raw 2>&1 </dev/null
	status=$?
	tr -d '\033' </run/raw | sed 's/\[[0-9]*m//g' >"$out"
	save "$out"
	return $status
}

# "Run test: NAME (CONTEXT:MEMORY)" and below it lines that end in OK, Skip, Timeout, Fail.
test_khugepaged() {
	local memory status
	for memory in anon shmem; do
		call /run/khugepaged.$memory 800 khugepaged all:$memory
		status=$?
		awk '/^Run test: / { name = $3 "." $4; gsub(/[():]/, ".", name); sub(/\.+$/, "", name); gsub(/\.+/, ".", name); all[n++] = name }
			/(Fail|Timeout|Unexpected)/ && name { bad[name] = 1 }
			END { for (i = 0; i < n; i++) print all[i], bad[all[i]] + 0 }' /run/khugepaged.$memory >/run/lines
		while read -r name bad; do
			ended "$name" "$bad"
		done </run/lines
		ended khugepaged.$memory $status
	done
}

# 6.1 says nothing but how it ended, later ones a TAP line each.
tap() { # NAME SECONDS PROGRAM
	call "/run/$1" "$2" "$3"
	ended "$1" $?
	sed -n 's/^ok \([0-9]*\) .*SKIP.*/\1 4/p; t; s/^ok \([0-9]*\) .*/\1 0/p; s/^not ok \([0-9]*\) .*/\1 1/p' \
		"/run/$1" >/run/lines
	while read -r n bad; do
		ended "$1.$n" "$bad"
	done </run/lines
}
test_split() { tap split 120 split_huge_page_test; }
test_migration() { tap migration 800 migration; }

# It goes on for ever, or it is an error: some of its rounds are enough.
test_stress() {
	call /run/stress 10 transhuge-stress 256
	if grep -q ' 0 failed' /run/stress && ! grep -q ' [1-9][0-9]* failed' /run/stress; then
		said stress 1 ok
	else
		said stress 0 not_ok
	fi
}

# Everybody in there, again and again, for more than there is in each 10 ms.
ask_on_and_on() {
	until [ -e /run/enough ]; do
		for p in $(cat "$jobs"/cgroup.procs) $([ -e /run/not-itself ] || cat "$cg"/cgroup.procs); do
			(echo "200000 10 1000" >"/proc/$p/thp_collapse") 2>/dev/null
		done
		sleep 0.1
	done
}

mkdir -p "$cg" "$jobs"
memory_on "$CG"
if [ -e /sys/block/zram0 ]; then
	echo 512M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
fi
if [ "${COLLAPSE:-no}" = yes ]; then
	has_task_collapse || skip "this kernel has no $task_collapse"
	echo 1 >"$task_collapse"/enabled
	load_start "$jobs" beside 4 64 300 20000
	load_wait beside
	ask_on_and_on &
	asker=$!
fi

total=0
for t in $tests; do
	if [ "$t" = split ]; then : >/run/not-itself; else rm -f /run/not-itself; fi
	"test_$t"
done

collapsed=$(keyed /proc/vmstat thp_task_collapse)
if [ "${COLLAPSE:-no}" = yes ]; then
	touch /run/enough
	wait "$asker"
	result collapsed "$collapsed" "huge pages"
	assert_ge collapsed "$collapsed" 32
elif has_task_collapse; then
	assert_eq collapsed "$collapsed" 0
fi
result total $total tests
