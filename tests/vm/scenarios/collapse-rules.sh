# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions timeout=600
#
# /proc/PID/thp_collapse of a kernel with the series, rule by rule: what may be
# written and by whom, budgets and rates kept to, what exec, fork and exit do to
# them, zombies, kernel threads, another pid namespace, 48 threads of one memory,
# a lease that runs out. The daemon takes no part. Which memory may become huge: collapse-kinds.

. /vm/thp.sh

# write FILE TEXT: what came of it: ok, or the error in words
write() {
	local said
	if said=$( (echo "$2" >"$1") 2>&1); then echo ok; else echo "${said##*: }"; fi
}
wrote() { assert_eq "'$2' written to $1" "$(write "$1" "$2")" "${3:-ok}"; }
budget_of() { keyed "/proc/$1/thp_collapse" budget; }
is_done() { [ "$(stat_of "$1" pending)" = 0 ]; }
huge() { echo $(($(rollup_kb "$1" AnonHugePages) / 2048)); }
is_zombie() { grep -q '^State:.*Z' "/proc/$1/status"; }
is_gone() { ! [ -e "/proc/$1" ]; }

# load NAME THREADS MB: sets pid
load() {
	load_start "$jobs"/target "$1" "$2" "$3" 300 20000
	load_wait "$1"
	pid=$(load_pid "$1")
}
end() {
	kill "$1"
	wait "$1" 2>/dev/null
	wait_for 20 is_gone "$1" || fail "$1 does not end"
}

rule_off() {
	load off 1 8
	echo 0 >"$task_collapse"/enabled
	wrote /proc/"$pid"/thp_collapse 4096 "Operation not supported"
	echo 1 >"$task_collapse"/enabled
	wrote /proc/"$pid"/thp_collapse "512 100 60000"
	wait_for 10 has_scanned "$pid" || fail "nothing is scanned at a rate"
	# What was asked before does not go on when the whole is switched off.
	echo 0 >"$task_collapse"/enabled
	sleep 0.5
	before=$(stat_of "$pid" scanned)
	sleep 2
	assert_eq scanned_while_off "$(stat_of "$pid" scanned)" "$before"
	echo 1 >"$task_collapse"/enabled
	end "$pid"
}
has_scanned() { [ "$(stat_of "$1" scanned)" -gt 0 ]; }

rule_syntax() {
	load syntax 1 8
	for text in -1 abc "1 2" "1 2 3 4" "1 abc 3" "99999999999999999999" "1,2,3" "512 0 1000"; do
		wrote /proc/"$pid"/thp_collapse "$text" "Invalid argument"
	done
	assert_eq budget_after_rubbish "$(budget_of "$pid")" 0
	assert_eq scanned_after_rubbish "$(stat_of "$pid" scanned)" 0
	assert_eq mode "$(stat -c %a /proc/"$pid"/thp_collapse)" 600
	assert_eq stat_mode "$(stat -c %a /proc/"$pid"/thp_collapse_stat)" 400
	for name in scanned collapsed alloc_failed skipped_busy full_scans pending; do
		[ -n "$(stat_of "$pid" $name)" ] || fail "thp_collapse_stat has no $name"
	done
	end "$pid"
}

# A budget is of PTEs, whoever of 48 threads spends it: 16 huge pages' worth, and the next 16.
rule_budget() {
	load budget 48 96
	vm0=$(keyed /proc/vmstat thp_task_collapse)
	for n in 1 2; do
		wrote /proc/"$pid"/thp_collapse 8192
		wait_for 20 is_done "$pid" || fail "$(stat_of "$pid" pending) PTEs stay pending"
		# Mappings that can't be huge count, too, a little.
		assert_le "scanned_$n" "$(stat_of "$pid" scanned)" $((8192 * n + 512))
		assert_ge "scanned_$n" "$(stat_of "$pid" scanned)" $((8192 * n - 512))
		assert_le "collapsed_$n" "$(huge "$pid")" $((16 * n))
		assert_ge "collapsed_$n" "$(huge "$pid")" $((14 * n))
	done
	assert_eq stat_collapsed "$(stat_of "$pid" collapsed)" "$(huge "$pid")"
	assert_eq vmstat $(($(keyed /proc/vmstat thp_task_collapse) - vm0)) "$(huge "$pid")"
	# More than there is: it goes round, and ends.
	wrote /proc/"$pid"/thp_collapse 200000
	wait_for 20 is_done "$pid" || fail "$(stat_of "$pid" pending) PTEs stay pending"
	assert_eq all "$(huge "$pid")" 48
	assert_ge full_scans "$(stat_of "$pid" full_scans)" 1
	end "$pid"
}

# 512 PTEs each 100 ms for 3 s, and no more once the lease is over.
rule_lease() {
	load lease 48 128
	wrote /proc/"$pid"/thp_collapse "512 100 3000"
	assert_eq budget "$(budget_of "$pid")" 512
	assert_eq period "$(keyed /proc/"$pid"/thp_collapse period_ms)" 100
	left=$(keyed /proc/"$pid"/thp_collapse lease_ms)
	assert_le lease_ms "$left" 3000
	assert_ge lease_ms "$left" 2000
	sleep 2
	assert_ge scanned_2s "$(stat_of "$pid" scanned)" $((512 * 18))
	assert_le scanned_2s "$(stat_of "$pid" scanned)" $((512 * 24))
	sleep 2
	assert_eq budget_after_lease "$(budget_of "$pid")" 0
	before=$(stat_of "$pid" scanned)
	assert_le scanned_lease "$before" $((512 * 32))
	sleep 3
	assert_eq scanned_after_lease "$(stat_of "$pid" scanned)" "$before"
	# Renewed, it goes on where it was, and a renewal is no budget of its own.
	made=$(huge "$pid")
	for i in 1 2 3 4 5 6 7 8 9 10; do
		wrote /proc/"$pid"/thp_collapse "512 100 3000"
		sleep 0.1
	done
	assert_le scanned_renewed "$(stat_of "$pid" scanned)" $((before + 512 * 14))
	assert_ge made_renewed "$(huge "$pid")" $((made + 7))
	wrote /proc/"$pid"/thp_collapse 0
	before=$(stat_of "$pid" scanned)
	sleep 2
	assert_eq scanned_after_0 "$(stat_of "$pid" scanned)" "$before"
	assert_eq pending_after_0 "$(stat_of "$pid" pending)" 0
	assert_eq budget_after_0 "$(budget_of "$pid")" 0
	end "$pid"
}

# One that sleeps does nothing and says so; awake again, it does one period's, not all that it missed.
rule_asleep() {
	load asleep 1 64
	echo 1 >"$jobs"/target/cgroup.freeze
	wait_for 10 is_frozen || fail "the target does not freeze"
	wrote /proc/"$pid"/thp_collapse "1024 100 60000"
	sleep 5
	assert_eq scanned_asleep "$(stat_of "$pid" scanned)" 0
	assert_ge pending_asleep "$(stat_of "$pid" pending)" 1
	assert_le pending_asleep "$(stat_of "$pid" pending)" 1024
	echo 0 >"$jobs"/target/cgroup.freeze
	sleep 1
	assert_ge scanned_awake "$(stat_of "$pid" scanned)" 5120
	assert_le scanned_awake "$(stat_of "$pid" scanned)" 13312
	end "$pid"
}
is_frozen() { [ "$(keyed "$jobs"/target/cgroup.events frozen)" = 1 ]; }

# A rate is of a memory: a new one has none.
rule_exec() {
	sh -c 'echo "512 100 60000" >/proc/$$/thp_collapse; exec sleep 1000' &
	pid=$!
	wait_for 10 grep -q sleep /proc/$pid/comm || fail "no exec"
	assert_eq budget_after_exec "$(budget_of $pid)" 0
	assert_eq scanned_after_exec "$(stat_of $pid scanned)" 0
	end $pid
}

rule_fork() {
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo "512 100 60000" >/proc/$$/thp_collapse
		(while :; do sleep 0.1; done) &
		echo $! >/run/child
		while :; do sleep 0.1; done' &
	pid=$!
	wait_for 10 test -s /run/child || fail "no child"
	assert_eq budget_of_parent "$(budget_of $pid)" 512
	assert_eq budget_of_child "$(budget_of "$(cat /run/child)")" 0
	sleep 1
	assert_eq scanned_of_child "$(stat_of "$(cat /run/child)" scanned)" 0
	kill "$(cat /run/child)"
	end $pid
}

# Nothing is kept alive by a rate or by an open file, and such a file says so.
rule_exit() {
	load exit 48 32
	free0=$(all_free_kb)
	wrote /proc/"$pid"/thp_collapse "4096 10 600000"
	exec 3<>/proc/"$pid"/thp_collapse
	sleep 0.5
	kill -9 "$pid"
	wait_for 20 is_gone "$pid" || fail "it does not end"
	said=$( (echo 512 >&3) 2>&1)
	assert_eq write_after_exit "${said##*: }" "No such process"
	wait_for 10 memory_back || fail "its memory does not come back: $free0 kB free, now $(all_free_kb)"
	exec 3>&-
}
memory_back() { [ "$(all_free_kb)" -gt $((free0 + 28000)) ]; }
# With what lies on the lists of CPUs, where whole huge pages may be.
all_free_kb() { awk -v free="$(meminfo MemFree)" '$1 == "count:" { n += $2 } END { print free + 4 * n }' /proc/zoneinfo; }

rule_nobody() {
	# It ends when the shell that would wait for it is no shell any more.
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'sleep 0.5 & echo $! >/run/zombie; exec sleep 1000' &
	pid=$!
	wait_for 10 test -s /run/zombie
	zombie=$(cat /run/zombie)
	wait_for 10 is_zombie "$zombie" || fail "no zombie"
	wrote /proc/"$zombie"/thp_collapse 512 "No such process"
	end $pid
	# kthreadd
	wrote /proc/2/thp_collapse 512 "No such process"
}

# Own memory, yes; that of others takes more than the same uid.
rule_permission() {
	wrote_as_guest self ok
	su guest -s /bin/sh -c 'exec sleep 1000' &
	wait_for 10 guest_sleeps || fail "nothing of uid 1000"
	wrote_as_guest "$(cat /run/guest)" "Operation not permitted"
	wrote_as_guest $$ "Permission denied"
	wrote /proc/"$(cat /run/guest)"/thp_collapse 512
	kill "$(cat /run/guest)"
}
guest_sleeps() {
	local p
	for p in /proc/[0-9]*; do
		if grep -q '^sleep$' "$p/comm" 2>/dev/null && [ "$(stat -c %u "$p")" = 1000 ]; then
			echo "${p##*/}" >/run/guest
			return 0
		fi
	done
	return 1
}
wrote_as_guest() { # PID SAID
	local said
	said=$(su guest -s /bin/sh -c "(echo 512 >/proc/$1/thp_collapse) 2>&1 && echo ok")
	assert_eq "as uid 1000, written to /proc/$1" "${said##*: }" "$2"
}

# From inside by the pids there, from outside by those here.
rule_namespace() {
	unshare -p -f --mount-proc sh -c 'echo "512 100 60000" >/proc/1/thp_collapse
		ls -d /proc/[0-9]* >/run/inside; while :; do sleep 0.1; done' &
	unshared=$!
	wait_for 10 test -s /run/inside || fail "no pid namespace"
	inner=$(cat /proc/$unshared/task/$unshared/children)
	inner=${inner%% *}
	assert_eq budget_from_inside "$(budget_of "$inner")" 512
	wrote /proc/"$inner"/thp_collapse "1024 100 60000"
	assert_eq budget_from_outside "$(nsenter -t "$inner" -p -m cat /proc/1/thp_collapse | awk '$1 == "budget" { print $2 }')" 1024
	kill -9 "$inner"
	wait $unshared 2>/dev/null
}

has_task_collapse || skip "this kernel has no $task_collapse"
assert_eq enabled_at_boot "$(cat "$task_collapse"/enabled)" 0
assert_eq max_pages_per_run "$(cat "$task_collapse"/max_pages_per_run)" 4096
assert_eq direct_compact "$(cat "$task_collapse"/direct_compact)" 0
mkdir -p "$jobs"
memory_on "$CG" && memory_on "$jobs"
mkdir -p "$jobs"/target
khugepaged_hold
echo 1 >"$task_collapse"/enabled
for rule in off syntax budget lease asleep exec fork exit nobody permission namespace; do
	failed=$failures
	"rule_$rule"
	result $rule $((failures == failed)) "$([ "$failures" = "$failed" ] && echo ok || echo not_ok)"
done
