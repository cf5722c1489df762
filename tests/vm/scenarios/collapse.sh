# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=1 clock=instructions mem=4G timeout=900 daemon=yes
# vm-full: timeout=7200
#
# Per-task collapse: a process of 48 threads with 1 GB of memory that could be huge
# and is not, beside 40 others with 16 MB each. The guest's clock counts
# instructions, so that a busy host changes nothing; a tenth of the CPU is used. PARTS:
#
# time    until 90 % of its memory is huge: khugepaged as it is shipped, khugepaged at
#         the rate of Budget=, and a policy. For khugepaged the process is in the
#         middle of the others, as it goes round. What takes longer than CUT seconds
#         is extrapolated from what was made huge since the first of it was, and that is said.
# work    how far its threads come in the same time with the CPU full, policy against khugepaged
# rss     its memory after all was collapsed that may be, with ranges that are not
#         all there, as khugepaged does it, a policy, and a plain MADV_COLLAPSE
# budget  what is scanned in any 10 s, of what Budget= says
#
# The quick tier has smaller sizes, and bars for work and budget that its few seconds allow.

. /vm/thp.sh
need_daemon
parts=$(echo "${PARTS:-time,work,rss,budget}" | tr , ' ')
rate_mb=64	# Budget= as shipped, a second
if full; then
	: "${MB:=1024}" "${OTHER_MB:=16}" "${CUT:=600}" "${WINDOW:=600}" "${BUDGET_MB:=512}"
else
	: "${MB:=128}" "${OTHER_MB:=2}" "${CUT:=50}" "${WINDOW:=8}" "${BUDGET_MB:=128}"
fi
want_kb=$((MB * 1024 * 9 / 10))
policy="[Policy target]
Match=/jobs/target
Collapse=${rate_mb}M/1s"
if has_task_collapse; then bar=14000; else bar=10000; fi

# others N: so many more of them, mostly asleep
others_n=0
others() {
	local i=0
	while [ $i -lt "$1" ]; do
		load_start "$jobs"/others "other$others_n" 1 "$OTHER_MB" 0 1000000
		others_n=$((others_n + 1))
		i=$((i + 1))
	done
	while [ $i -gt 0 ]; do
		load_wait "other$((others_n - i))"
		i=$((i - 1))
	done
}

# target PASS_USEC THINK_USEC: the process that matters
target() {
	load_start "$jobs"/target target 48 "$MB" "$1" "$2"
	load_wait target
	pid=$(load_pid target)
}

all_stop() {
	load_stop "$jobs"/target
	load_stop "$jobs"/others
	khugepaged_hold
}

# usec_after FILE: from when the target's memory was eligible
usec_after() {
	echo $(($(word start "$1") - $(word usec "$(grep '^ready ' /run/load.target)") + $(word "$2" "$1")))
}

# ---- time ----

# khugepaged_column PAGES MSEC: sets ms and how
khugepaged_column() {
	khugepaged_hold
	others 20
	target 100 45000
	others 20
	khugepaged_set "$1" "$2"
	seen=$(thpwatch "$jobs"/target $want_kb "$CUT") || abort "thpwatch: $seen"
	column_ms "$seen"
	all_stop
}

# column_ms WORDS: in the end as it was, or as it would have been
column_ms() {
	local kb usec first_kb first_usec
	kb=$(word kb "$1") usec=$(word usec "$1")
	first_kb=$(word first_kb "$1") first_usec=$(word first_usec "$1")
	ms=$((usec / 1000)) how=measured
	[ "$(word reached "$1")" = 0 ] || return 0
	[ "$kb" -gt "$first_kb" ] || abort "too little became huge within $CUT s to say more: $1"
	ms=$((ms + (want_kb - kb) * ((usec - first_usec) / 1000) / (kb - first_kb)))
	how="cut after $CUT s at $kb kB and extrapolated"
}

policy_column() {
	khugepaged_hold
	daemon_start "$policy"
	others 40
	khugepaged_defaults
	by_khugepaged=$(cat "$khugepaged"/pages_collapsed)
	target 100 45000
	seen=$(thpwatch "$jobs"/target $want_kb "$CUT") || abort "thpwatch: $seen"
	by_khugepaged=$(($(cat "$khugepaged"/pages_collapsed) - by_khugepaged))
	ms=$(($(usec_after "$seen" usec) / 1000))
	[ "$(word reached "$seen")" = 1 ] || ms=$((CUT * 1000))
	huge_kb=$(rollup_kb "$pid" AnonHugePages)
	assert_eq policy_reached "$(word reached "$seen")" 1
	assert_ge huge_kb "$huge_kb" $((want_kb * 98 / 100))
	# Of the target it is the policy that made them.
	assert_le by_khugepaged $by_khugepaged $((MB / 2 / 4))
	ctl collapse 2>&1 | head -n 20
	all_stop
	daemon_stop
}

part_time() {
	khugepaged_column 4096 10000
	khugepaged_ms=$ms
	say "khugepaged, defaults: $ms ms, $how"
	khugepaged_column $((rate_mb * 256)) 1000
	rate_ms=$ms
	say "khugepaged, $rate_mb MB a second: $ms ms, $how"
	policy_column
	say "policy: $ms ms, the first after $(($(usec_after "$seen" first_usec) / 1000)) ms"
	result khugepaged_s $((khugepaged_ms / 1000)) s
	result khugepaged_rate_ms "$rate_ms" ms
	result policy_ms "$ms" ms
	result policy_s $(((ms + 500) / 1000)) s
	speedup=$((khugepaged_ms * 1000 / ms))
	result speedup_permille $speedup
	assert_ge speedup_permille $speedup $bar
	# In a few seconds there is too little for khugepaged to go round over.
	full || return 0
	[ "$ms" -lt "$rate_ms" ] || fail "policy_ms is $ms, khugepaged at that rate needs $rate_ms"
}

# ---- work ----

# loops: how many there were, and when
loops() {
	local n
	n=$(grep -c '^loops=' /run/load.target)
	kill -USR1 "$pid"
	wait_for 60 loops_told "$n" || abort "the target does not answer"
	tail -n 1 /run/load.target
}
loops_told() { [ "$(grep -c '^loops=' /run/load.target)" -gt "$1" ]; }

# work_column: sets done, loops in WINDOW seconds
work_column() {
	local a b
	others 40
	target 0 0
	khugepaged_defaults
	a=$(loops)
	sleep "$WINDOW"
	b=$(loops)
	done=$(awk -v n=$(($(word loops "$b") - $(word loops "$a"))) -v s="$WINDOW" \
		-v t=$(($(word usec "$b") - $(word usec "$a"))) 'BEGIN { printf "%.0f", n * s * 1000000 / t }')
	huge_kb=$(rollup_kb "$pid" AnonHugePages)
	all_stop
}

part_work() {
	khugepaged_hold
	work_column
	work_khugepaged=$done
	say "khugepaged: $done loops, $huge_kb kB huge in the end"
	daemon_start "$policy"
	work_column
	daemon_stop
	say "policy: $done loops, $huge_kb kB huge in the end"
	work=$(awk -v a="$done" -v b="$work_khugepaged" 'BEGIN { printf "%.0f", a * 1000 / b }')
	result work_khugepaged "$work_khugepaged" loops
	result work_policy "$done" loops
	result work_permille "$work"
	# All of it is copied in those few seconds: that is no time to make up for it.
	if full; then
		assert_ge huge_kb "$huge_kb" $want_kb
		assert_ge work_permille "$work" 980
	else
		assert_ge huge_kb "$huge_kb" 2048
		assert_ge work_permille "$work" 800
	fi
}

# ---- rss ----

# A process of 40 MB, in each ten of it that many pages of 512. So many ranges may be huge:
sparse=512,448,447,256,1
may_be_huge() { # MAX_PTES_NONE
	echo $sparse | tr , '\n' | awk -v none="$1" '512 - $1 <= none { n++ } END { print n * 4 }'
}

sparse_start() {
	load_start "$jobs"/target target 4 40 300 20000 $sparse
	load_wait target
	pid=$(load_pid target)
}

scans() { cat "$khugepaged"/full_scans; }
scanned_twice() { [ "$(scans)" -ge $((scans0 + 3)) ]; }
as_huge() { [ "$(rollup_kb "$pid" AnonHugePages)" -ge $((2048 * $1)) ]; }

# rss_khugepaged, rss_policy, rss_madvise: MAX_PTES_NONE
rss_khugepaged() {
	sparse_start
	scans0=$(scans)
	khugepaged_set 65536 100
	wait_for 60 scanned_twice || abort "khugepaged does not come round"
	khugepaged_hold
}
rss_policy() {
	sparse_start
	wait_for 60 as_huge "$(may_be_huge "$1")"
	# More than that would be too many.
	sleep 5
}
rss_madvise() {
	sparse_start
	kill -USR2 "$pid"
	wait_for 60 grep -q '^madvise=' /run/load.target || abort "the target does not answer"
}

# rss_column WHO MAX_PTES_NONE: sets kb
rss_column() {
	"rss_$1" "$2"
	kb=$(rollup_kb "$pid" Rss)
	huge=$(($(rollup_kb "$pid" AnonHugePages) / 2048))
	say "max_ptes_none $2, $1: $kb kB, $huge huge pages"
	result "none$2.rss_$1_kb" "$kb" kB
	[ "$1" = madvise ] || assert_eq "none$2.huge_$1" $huge "$(may_be_huge "$2")"
	load_stop "$jobs"/target
}

part_rss() {
	khugepaged_hold
	for none in 511 64 0; do
		echo $none >"$khugepaged"/max_ptes_none
		rss_column khugepaged $none
		by_khugepaged_kb=$kb
		rss_column madvise $none
		by_madvise_kb=$kb
		daemon_start "$policy"
		rss_column policy $none
		daemon_stop
		assert_le "none$none.rss_policy_kb" "$kb" $((by_khugepaged_kb * 101 / 100))
	done
	echo 511 >"$khugepaged"/max_ptes_none
	result rss_khugepaged_kb "$by_khugepaged_kb" kB
	result rss_madvise_kb "$by_madvise_kb" kB
	result rss_policy_kb "$kb" kB
}

# ---- budget ----

budget_mb=8

# Windows of 10 s: each from a sample to the first one 10 s later, from the first that
# something was scanned in, to the last before 95 % were huge. Highest and lowest, permille.
windows() { # SAMPLES KB
	awk -v budget=$budget_mb -v all="$2" '
		!from && $3 > 0 { from = NR - 1 }
		from && $2 <= all * 95 / 100 { n++; t[n] = $1; pages[n] = $3 }
		END {
			for (i = j = 1; i <= n; i++) {
				while (j <= n && t[j] - t[i] < 10000000) j++
				if (j > n) break
				r = (pages[j] - pages[i]) / 256 / ((t[j] - t[i]) / 1000000) * 1000 / budget
				if (!count || r > high) high = r
				if (!count || r < low) low = r
				count++
			}
			printf "count=%d high=%.0f low=%.0f\n", count, high, low
		}' "$1"
}

# What the daemon says it has scanned, for a kernel that does not tell: as thpwatch writes it.
daemon_scanned() { ctl collapse --json | jget collapse.scanned_bytes; }
daemon_samples() {
	local up rest
	while :; do
		bytes=$(daemon_scanned) || return
		# shellcheck disable=SC2034 # only the first word counts
		read -r up rest </proc/uptime
		echo "${up%.*}${up#*.}0000 $(($(keyed "$jobs"/memory.stat anon_thp) / 1024)) $((bytes / 4096))"
		sleep 0.4
	done >/run/samples
}

# Several that run, in cgroups of two policies, share the budget of the machine.
part_budget() {
	khugepaged_hold
	daemon_start "[Collapse]
Budget=${budget_mb}M/1s
$policy
[Policy others]
Match=/jobs/others
Collapse=${rate_mb}M/1s"
	samples=/run/samples
	if ! has_task_collapse; then
		samples=/run/samples.kernel
		daemon_samples &
		sampler=$!
	fi
	load_start "$jobs"/others big1 4 $((BUDGET_MB / 4)) 300 20000
	load_start "$jobs"/others big2 1 $((BUDGET_MB / 4)) 300 20000
	load_start "$jobs"/target target 48 $((BUDGET_MB / 2)) 300 45000
	load_wait big1
	load_wait big2
	load_wait target
	kb=$((BUDGET_MB * 1024))
	seen=$(thpwatch "$jobs" $((kb * 97 / 100)) $((BUDGET_MB * 4 / budget_mb)) $samples \
		"$jobs"/target "$jobs"/others) || abort "thpwatch: $seen"
	say "$seen"
	if has_task_collapse; then
		result scanned_kernel_mb $(($(tail -n 1 /run/samples | cut -d' ' -f3) / 256)) MB
		result scanned_daemon_mb $(($(daemon_scanned) / 1048576)) MB
	else
		kill "$sampler"
	fi
	w=$(windows /run/samples $kb)
	say "$w"
	save /run/samples
	all_stop
	daemon_stop
	high=$(word high "$w") low=$(word low "$w")
	assert_ge budget_windows "$(word count "$w")" 5
	result budget_high_permille "$high"
	result budget_low_permille "$low"
	error=$((high - 1000))
	[ $error -ge $((1000 - low)) ] || error=$((1000 - low))
	result budget_error_permille $error
	assert_le budget_high_permille "$high" 1050
	assert_ge budget_low_permille "$low" 900
}

[ -d "$khugepaged" ] || skip "this kernel has no huge pages"
mkdir -p "$jobs"
memory_on "$CG" && memory_on "$jobs"
mkdir -p "$jobs"/target "$jobs"/others
khugepaged_hold
for part in $parts; do
	say "--- $part"
	"part_$part"
done
