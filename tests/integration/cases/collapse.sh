# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Huge pages for the tasks of a policy, on a machine whose kernel has tasks scan themselves:
# their rates are told, renewed and taken back, the switch and khugepaged's settings are put
# back, and so they are after kill -9. Field report 25: numad and tuned write the same files.
. "$HERE/lib.sh"

THP=$ROOT/sys/kernel/mm/transparent_hugepage

task() { # PID ANON_KB HUGE_KB SCANNED COLLAPSED FULL_SCANS
	mkdir -p "$ROOT/proc/$1"
	put "$ROOT/proc/$1/stat" "$1 (a job) S 1 1 1 0 -1 0 10 0 0 0 70 7 0 0 20 0 48 0 50 1 1 18"
	put "$ROOT/proc/$1/statm" "1000000 $((2000 + $2 / 4)) 2000 1 0 200 0"
	put "$ROOT/proc/$1/smaps_rollup" "Rss: $2 kB
Anonymous: $2 kB
AnonHugePages: $3 kB"
	put "$ROOT/proc/$1/thp_collapse_stat" "scanned $4
collapsed $5
alloc_failed 0
skipped_busy 0
full_scans $6
pending 0"
	[ -e "$ROOT/proc/$1/thp_collapse" ] || : > "$ROOT/proc/$1/thp_collapse"
}

# Plain files keep what a longer value left behind.
rate() { # PID TEXT
	case $(cat "$ROOT/proc/$1/thp_collapse") in
	"$2"*) ;;
	*) return 1 ;;
	esac
}
# Less than at first, since nothing moves here and it is held against that.
rated() { # PID
	grep -q '^[1-9][0-9]* 200 5000' "$ROOT/proc/$1/thp_collapse"
}
knob() { # NAME VALUE
	[ "$(cat "$THP/$1")" = "$2" ]
}
pressure() { # AVG10
	put "$ROOT/proc/pressure/memory" "some avg10=$1 avg60=0.00 avg300=0.00 total=0
full avg10=0.00 avg60=0.00 avg300=0.00 total=0"
}
want() {
	settings <<-END
		[Collapse]
		KhugepagedPages=2048
		[Policy jobs]
		Match=/jobs/target
		Collapse=64M/1s
		$*
	END
}
known() { # COUNT
	[ "$("$HELP/ask" -g total "$SOCK" ListTasks)" = "$1" ]
}
moving() { # SCANNED: is it seen?
	[ "$("$HELP/ask" -g collapse.scanned_bytes "$SOCK" ListTasks)" -ge "$1" ]
}

fakeroot v2 percpu psi
pressure 0.00
mkdir -p "$THP/khugepaged" "$THP/task_collapse"
echo 'always [madvise] never' > "$THP/enabled"
echo 2097152 > "$THP/hpage_pmd_size"
echo 511 > "$THP/khugepaged/max_ptes_none"
echo 4096 > "$THP/khugepaged/pages_to_scan"
echo 10000 > "$THP/khugepaged/scan_sleep_millisecs"
echo 0 > "$THP/task_collapse/enabled"
echo 'Node 0, zone Normal 1 1 1 1 1 1 1 1 1 100 100' > "$ROOT/proc/buddyinfo"
cgroup jobs
cgroup jobs/target
cgroup jobs/other
echo 4711 > "$CG/jobs/target/cgroup.procs"
echo 4712 > "$CG/jobs/other/cgroup.procs"
task 4711 1048576 0 0 0 0
task 4712 1048576 0 0 0 0

# Without a policy nobody is looked at, and nothing is switched on. A path as long as
# that of khugepaged's rate is told whole.
settings <<END
[Collapse]
KhugepagedScanSleep=5000
END
start
eventually 5 grep -qF 'khugepaged/scan_sleep_millisecs: 5,000 instead of 10,000' "$LOG"
equals 'tasks' "$("$HELP/ask" -g total "$SOCK" ListTasks)" 0
sleep 1
equals 'switch' "$(cat "$THP/task_collapse/enabled")" 0
equals 'rate' "$(cat "$ROOT/proc/4711/thp_collapse")" ''
stop

want
start
eventually 5 knob task_collapse/enabled 1
eventually 5 knob khugepaged/pages_to_scan 2048
eventually 5 known 1
# 64 MB a second, in pages a fifth of a second, less a hundredth; for five seconds.
eventually 5 rate 4711 '3244 200 5000'
equals 'rate of another' "$(cat "$ROOT/proc/4712/thp_collapse")" ''
# Renewed before it runs out.
: > "$ROOT/proc/4711/thp_collapse"
task 4711 1048576 102400 51200 50 0
eventually 5 rated 4711
eventually 5 moving 1
"$OUT/pcpu-reclaimctl" --socket "$SOCK" collapse > "$T/table" || fail 'no table'
grep -q '/jobs/target  *4711  *a job' "$T/table" || fail "$(cat "$T/table")"
grep -q 'by the task itself' "$T/table" || fail "$(cat "$T/table")"
"$OUT/pcpu-reclaimctl" --socket "$SOCK" explain 4711 > "$T/explain" || fail 'not explained'
grep -q '4711 a job of /jobs/target matches policy "jobs"' "$T/explain" || fail "$(cat "$T/explain")"
grep -q 'could be huge pages' "$T/explain" || fail "$(cat "$T/explain")"
"$OUT/pcpu-reclaimctl" --socket "$SOCK" explain 4712 2> "$T/explain" && fail 'explained what nobody asks for'
grep -q 'No task that a policy' "$T/explain" || fail "$(cat "$T/explain")"

# Memory pressure: taken back at once, and given again when it is over.
pressure 50.00
eventually 5 rate 4711 '0'
"$OUT/pcpu-reclaimctl" --socket "$SOCK" explain 4711 > "$T/explain"
grep -q 'tasks wait for memory 50 % of the time' "$T/explain" || fail "$(cat "$T/explain")"
pressure 0.00
eventually 5 rated 4711

# All of it was looked at: one line.
task 4711 1048576 1024000 262144 500 1
eventually 8 grep -q 'collapse 4711 a job: [0-9.]* MiB huge in [0-9].*(policy jobs)' "$LOG"
eventually 5 rate 4711 '0'

# A file that is no kernel's, and a process that ends, are nobody's fault.
put "$ROOT/proc/4711/smaps_rollup" 'nonsense'
echo 4713 >> "$CG/jobs/target/cgroup.procs"
task 4713 524288 0 0 0 0
eventually 5 rated 4713
rm -r "$ROOT/proc/4713"
sed -i /4713/d "$CG/jobs/target/cgroup.procs"
eventually 5 known 1
answers > /dev/null || fail 'it does not answer'

# Its pid is another's now.
task 4711 1048576 0 0 0 0
sed -i 's/ 50 1 1 18/ 99 1 1 18/' "$ROOT/proc/4711/stat"
: > "$ROOT/proc/4711/thp_collapse"
eventually 25 rated 4711

# Another program writes one of khugepaged's settings: said, and left.
put "$THP/khugepaged/pages_to_scan" 8192
eventually 5 is pages_to_scan.foreign true
eventually 5 grep -q 'another program set pages_to_scan to 8,192: left alone' "$LOG"
equals 'pages_to_scan' "$(cat "$THP/khugepaged/pages_to_scan")" 8192

# No policy any more: rates and switch are as they were.
settings < /dev/null
kill -HUP "$PID"
eventually 5 rate 4711 '0'
eventually 5 knob task_collapse/enabled 0
eventually 5 known 0
stop
equals 'pages_to_scan in the end' "$(cat "$THP/khugepaged/pages_to_scan")" 8192

# Killed: its rates end by themselves, and the next start puts back the rest.
echo 4096 > "$THP/khugepaged/pages_to_scan"
want
start
eventually 5 knob task_collapse/enabled 1
eventually 5 knob khugepaged/pages_to_scan 2048
kill -KILL "$PID"
await_end 5
settings < /dev/null
start
eventually 5 knob task_collapse/enabled 0
eventually 5 knob khugepaged/pages_to_scan 4096
eventually 5 test ! -s "$RUN/ledger"
stop

# A dry run says what it would do, once, and touches nothing.
want 'DryRun=yes'
: > "$ROOT/proc/4711/thp_collapse"
sed -i /KhugepagedPages/d "$ROOT/etc/pcpu-reclaimd/conf.d/10-test.conf"
start
eventually 8 grep -q 'collapse 4711 a job: up to 1 GiB would be made huge (policy jobs)' "$LOG"
sleep 2
equals 'rate in a dry run' "$(cat "$ROOT/proc/4711/thp_collapse")" ''
equals 'switch in a dry run' "$(cat "$THP/task_collapse/enabled")" 0
equals 'said' "$(grep -c 'would be made huge' "$LOG")" 1
stop

# Switched off by hand while in use: noticed, said, not fought.
want
start
eventually 5 knob task_collapse/enabled 1
put "$THP/task_collapse/enabled" 0
eventually 5 is task_collapse_enabled.foreign true
sleep 1
equals 'switch of another' "$(cat "$THP/task_collapse/enabled")" 0
stop
