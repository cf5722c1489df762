# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# What the scenarios about huge pages share: khugepaged held and let go, processes
# with memory that could be huge, the per-task collapse of a patched kernel.

THP=/sys/kernel/mm/transparent_hugepage
khugepaged=$THP/khugepaged
task_collapse=$THP/task_collapse
jobs=$CG/jobs

has_task_collapse() { [ -e $task_collapse/enabled ]; }

# khugepaged_set PAGES MSEC: it looks at once, and then that often.
khugepaged_set() {
	echo "$1" >$khugepaged/pages_to_scan
	echo "$2" >$khugepaged/scan_sleep_millisecs
}
khugepaged_defaults() { khugepaged_set 4096 10000; }
# Nothing may be eligible yet, or it is looked at once.
khugepaged_hold() { khugepaged_set 1 3600000; }

# in_cgroup CGROUP COMMAND...
in_cgroup() {
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"' - "$@"
}

# load_start CGROUP NAME ARGUMENTS of thpload...: what it says is in /run/load.NAME
load_start() {
	local cgroup=$1 out=/run/load.$2
	shift 2
	: >"$out"
	# Not a job of this shell, which would tell of its end.
	(in_cgroup "$cgroup" thpload "$@" >>"$out" 2>&1 &) 2>/dev/null
}
load_ready() { grep -q '^ready ' "/run/load.$1"; }
load_pid() { word pid "$(grep '^ready ' "/run/load.$1")"; }

# load_wait NAME: until its memory is eligible
load_wait() { wait_for 300 load_ready "$1" || abort "thpload $1 is not ready: $(cat "/run/load.$1")"; }

# Everybody in there ends, and has ended.
load_stop() { # CGROUP
	local pids
	pids=$(cat "$1/cgroup.procs")
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || kill $pids
	wait_for 60 load_gone "$1" || abort "$1 does not become empty"
}
load_gone() { [ "$(keyed "$1/cgroup.events" populated)" = 0 ]; }

rollup_kb() { awk -v k="$2:" '$1 == k { print $2 }' "/proc/$1/smaps_rollup"; } # PID KEY

# stat_of PID NAME: one value of /proc/PID/thp_collapse_stat
stat_of() { keyed "/proc/$1/thp_collapse_stat" "$2"; }
