# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions timeout=400 daemon=yes
#
# A daemon that is killed leaves nothing running: the rates it set in the kernel run
# out with their lease, and by process_madvise() nothing is done without it. One that
# is stopped takes them back at once, and puts the kernel's settings back as it found them.
# One that is started after a kill goes on.

. /vm/thp.sh
need_daemon
settings="[Collapse]
Budget=4M/1s
[Policy target]
Match=/jobs/target
Collapse=4M/1s"

huge_kb() { rollup_kb "$pid" AnonHugePages; }
has_more() { [ "$(huge_kb)" -gt "$1" ]; }
budget_of() { awk '$1 == "budget" { print $2 + 0 }' "/proc/$1/thp_collapse"; }

# at_work: something becomes huge
at_work() {
	made=$(huge_kb)
	wait_for 60 has_more "$made" || abort "nothing becomes huge: $(ctl collapse)"
}

# at_rest: nothing does any more
at_rest() { # WHEN
	made=$(huge_kb)
	sleep 5
	assert_eq "huge_kb, $1" "$(huge_kb)" "$made"
}

[ -d "$khugepaged" ] || skip "this kernel has no huge pages"
mkdir -p "$jobs"
memory_on "$CG" && memory_on "$jobs"
mkdir -p "$jobs"/target
khugepaged_hold
if has_task_collapse; then before=$(cat "$task_collapse"/enabled); fi
load_start "$jobs"/target target 4 256 300 20000
load_wait target
pid=$(load_pid target)

daemon_start "$settings"
at_work
if has_task_collapse; then
	assert_ge budget "$(budget_of "$pid")" 1
	lease=$(keyed /proc/"$pid"/thp_collapse lease_ms)
	result lease_ms "$lease" ms
	assert_le lease_ms "$lease" 30000
fi
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
if has_task_collapse; then sleep $((lease / 1000 + 1)); fi
at_rest "after a kill"
if has_task_collapse; then assert_eq budget_after_kill "$(budget_of "$pid")" 0; fi

daemon_spawn
wait_for 30 daemon_answers || abort "the daemon does not start after a kill"
at_work
daemon_stop
at_rest "after a stop"
if has_task_collapse; then
	assert_eq enabled_after_stop "$(cat "$task_collapse"/enabled)" "$before"
	echo 1 >"$task_collapse"/enabled
	assert_eq budget_after_stop "$(budget_of "$pid")" 0
fi
result huge_kb "$(huge_kb)" kB
