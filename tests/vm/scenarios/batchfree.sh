# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 mem=4G numa=2 timeout=600 daemon=yes
# vm-full: timeout=1800
#
# What an exit takes, from SIGKILL until waitpid() returns, with batch free off and with
# 1, 2 and 4 workers a node, interleaved in one boot: 1.5 GB without huge pages, all
# on node 0, whose CPUs it runs on, too (CPUS= for others). In the full tier the best
# has to take 25 % less. Beside it what unmapping alone takes, and two processes of
# half the size that exit together: what two CPUs can gain at the most.
#
# PARTS= picks some of
#   exit   that
#   local  memory of both nodes by turns: each page is freed on a CPU of its node, by
#          the kernel's counters and by the events of freed pages
#   thp    the same with huge pages, where there is nothing to gain and nothing may
#          be lost
#   auto   (full tier) the daemon finds the number of workers: EXITS exits, then ROUNDS that count,
#          between fixed numbers before and after; it may take 10 % longer than the
#          best of these, having tried three
# Times of an emulated guest on a busy host mean nothing: the quick tier only
# looks at counts.

full && : "${MB:=1500}" "${ROUNDS:=9}" "${HUGE_ROUNDS:=25}" "${PARTS:=exit,local,thp,auto}"
: "${MB:=256}" "${ROUNDS:=1}" "${HUGE_ROUNDS:=1}" "${PARTS:=exit,local,thp}" "${EXITS:=20}"
node=/sys/devices/system/node/node0
: "${CPUS:=$(cat $node/cpulist)}"
counters="offloaded_pages helped_pages inline_pages local_pages worker_usec"

part() { case ,$PARTS, in *,"$1",*) true ;; *) false ;; esac }

setting() { # off|MAX_ACTIVE
	has_batch_free || return 0
	if [ "$1" = off ]; then
		echo 0 >"$batch/enabled"
	else
		batch_workers "$1"
	fi || abort "batch free can't be set to $1"
}

counted() {
	local f
	for f in $counters; do
		has_batch_free && echo "$f=$(batch_sum "$f")" || echo "$f=0"
	done
}

# one SETTING LABEL ARGUMENT...: an exit; its line, with what the counters grew by,
# goes to /run/exits.LABEL.SETTING.
one() {
	local s=$1 label=$2 before line f
	shift 2
	setting "$s"
	before=$(counted)
	line=$(taskset -c "$CPUS" bigexit "$@") || abort "bigexit $*: $line"
	for f in $(counted); do
		line="$line ${f%=*}=$((${f#*=} - $(word "${f%=*}" "$before")))"
	done
	echo "$line" >>"/run/exits.$label.$s"
	assert_le "pending pages after an exit, $label $s" "$(word pending "$line")" 0
}

rounds() { # N LABEL "SETTINGS" ARGUMENT...
	local n=$1 label=$2 settings=$3 i s
	shift 3
	for i in $(seq "$n"); do
		for s in $settings; do
			one "$s" "$label" "$@"
		done
	done
}

usec() { median "/run/exits.$1.$2" usec; } # LABEL SETTING
fastest() { # LABEL SETTING: what the host disturbed least
	sed 's/^usec=\([0-9]*\) .*/\1/' "/run/exits.$1.$2" | sort -n | head -n 1
}
ms() { echo $((($(usec "$@") + 500) / 1000)); }
gain() { echo $((1000 - $(permille "$1" "$2"))); } # THIS OFF
sum() { # LABEL SETTING KEY
	awk -v k="$3=" '{ for (i = 1; i <= NF; i++) if (index($i, k) == 1) n += substr($i, length(k) + 1) }
		END { printf "%d", n }' "/run/exits.$1.$2"
}
# Tenths of a per cent, as in the table of 2017.
percent() { awk -v g="$1" 'BEGIN { if (g) printf "%+.1f %%", -g / 10 }'; }

table() {
	local s year2017 off
	off=$(usec exit off)
	printf '%-10s  %-17s  %-8s %-9s %10s %8s %8s %12s\n' max_active '2017, 120 GB' \
		"$MB MB" '' offloaded helped inline 'worker us/MB'
	for s in $settings; do
		case $s in
		off) year2017='3.81 s' ;;
		1) year2017='3.10 s  -18.6 %' ;;
		2) year2017='2.44 s  -35.9 %' ;;
		4) year2017='2.07 s  -45.6 %' ;;
		esac
		printf '%-10s  %-17s  %5s ms %-9s %10s %8s %8s %12s\n' "$s" "$year2017" \
			"$(ms exit "$s")" "$(percent "$(gain "$(usec exit "$s")" "$off")")" \
			"$(sum exit "$s" offloaded_pages)" "$(sum exit "$s" helped_pages)" \
			"$(sum exit "$s" inline_pages)" \
			$((256 * $(sum exit "$s" worker_usec) / ($(sum exit "$s" offloaded_pages) + 1)))
	done
}

part_exit() {
	local s best=0 fast='' g zap bound
	rounds "$ROUNDS" exit "$settings" -n 0 "$MB"
	rounds $(((ROUNDS + 1) / 2)) halves off -n 0 -p 2 "$MB"
	rounds $(((ROUNDS + 1) / 2)) zap off -n 0 -f "$MB"
	rounds $(((ROUNDS + 1) / 2)) zero off -n 0 -k zero "$MB"
	table
	for s in $settings; do
		result "$([ "$s" = off ] && echo off || echo "ma$s")_ms" "$(ms exit "$s")" ms
		g=$(gain "$(usec exit "$s")" "$(usec exit off)")
		[ "$g" -le "$best" ] || best=$g
		[ "$s" = off ] || [ "${fast:-999999999}" -le "$(fastest exit "$s")" ] || fast=$(fastest exit "$s")
	done
	zap=$(permille "$(usec zap off)" "$(usec exit off)")
	bound=$((1000 - ($(nr_cpus) > 1 && zap < 1000 / $(nr_cpus) ? 1000 / $(nr_cpus) : zap)))
	say "unmapping takes $zap of 1000 (page tables alone $(permille "$(usec zero off)" "$(usec exit off)")): on $(nr_cpus) CPUs" \
		"at most $bound less; two halves that exit together take $(gain "$(usec halves off)" "$(usec exit off)") less"
	result zap_permille "$zap"
	result bound_permille $bound
	result halves_gain_permille "$(gain "$(usec halves off)" "$(usec exit off)")"
	has_batch_free || return 0
	result best_gain_permille "$best"
	# Two threads on two CPUs of the host wait for each other wherever one of them is
	# taken away: when this is much more, and halves_gain little, the host was not alone.
	result fastest_gain_permille "$(gain "$fast" "$(fastest exit off)")"
	if full; then
		assert_ge best_gain_permille "$best" 250
	fi
	assert_eq "pages offloaded when off" "$(sum exit off offloaded_pages)" 0
	for s in $workers; do
		assert_ge "pages offloaded with $s" "$(sum exit "$s" offloaded_pages)" \
			$((MB * 256 * ROUNDS / 10))
	done
}

nr_cpus() { ls -d $node/cpu[0-9]* | wc -l; }

# Only of kworkers: what the exiting process frees itself may be of any node.
trace=/sys/kernel/tracing/instances/batchfree
trace_workers() {
	mkdir $trace && echo 'comm ~ "kworker*"' >$trace/events/kmem/mm_page_free_batched/filter &&
		echo 16384 >$trace/buffer_size_kb &&
		echo 1 >$trace/events/kmem/mm_page_free_batched/enable
}

part_local() {
	local freed traced offloaded n
	trace_workers || abort "no events of freed pages"
	rounds 1 local 2 -n all 400
	echo 0 >$trace/tracing_on
	freed=$(freetrace $trace/trace) || abort "freetrace: $freed"
	rmdir $trace
	say "by the events: $freed"
	offloaded=$(sum local 2 offloaded_pages)
	traced=$(($(word local "$freed") + $(word remote "$freed")))
	result node_local_permille "$(permille "$(sum local 2 local_pages)" "$offloaded")"
	assert_eq "pages freed on their node, by the counters" "$(sum local 2 local_pages)" "$offloaded"
	assert_eq "pages freed on another node, by the events" "$(word remote "$freed")" 0
	assert_ge "offloaded pages" "$offloaded" 10000
	# What cannot take a list's lock goes past it, and is no event of this kind.
	assert_ge "pages in events" "$traced" $((offloaded * 9 / 10))
	for n in $(tr ',-' '  ' </sys/devices/system/node/has_memory); do
		assert_ge "pages of node $n in events" "$(word "node$n" "$freed" || echo 0)" $((offloaded / 10))
	done
}

# To switch it rewrites the kernel's code, which an emulator then has to translate again:
# on its clock that is more than what is measured here. So once before, unmeasured.
part_thp() {
	local g i s
	for i in $(seq "$HUGE_ROUNDS"); do
		for s in off 2; do
			setting "$s"
			taskset -c "$CPUS" bigexit -n 0 -k thp 256 >/dev/null
			one "$s" thp -n 0 -k thp "$MB"
		done
	done
	g=$(gain "$(usec thp 2)" "$(usec thp off)")
	say "huge pages: off $(usec thp off) us, 2 workers $(usec thp 2) us"
	result thp_gain_permille "$g"
	if full; then
		assert_ge thp_gain_permille "$g" -20
	fi
}

# The daemon has done what it does about an exit by the time the next is made. It tries
# what exits take without workers, too, and lets nothing be pending for that.
now_tried() { if [ "$(cat "$batch/max_pending_mb")" = 0 ]; then echo none; else cat "$limit"; fi; }
auto_rounds() { # N LABEL
	local i
	for i in $(seq "$1"); do
		now_tried >>/run/tried
		taskset -c "$CPUS" bigexit -n 0 "$MB" >>"/run/exits.$2.auto" ||
			abort "bigexit: $(tail -n 1 "/run/exits.$2.auto")"
		sleep 0.2
	done
}

tried() { sort -u /run/tried | wc -l; }

part_auto() {
	local s best='' t gap
	rounds $(((ROUNDS + 1) / 2)) fixed "$workers" -n 0 "$MB"
	setting off
	daemon_start "[BatchFree]
Enabled=yes
MinRSS=64M
PauseAboveCpuPressure=100%"
	limit=/sys/devices/virtual/workqueue/batch_free_node0/max_active
	wait_for 10 test -e $limit || abort "the daemon does not switch batch free on"
	auto_rounds "$EXITS" search
	auto_rounds "$ROUNDS" settled
	ctl explain node0 2>&1 | tee /run/explain.txt
	save /run/explain.txt
	daemon_stop
	rounds $(((ROUNDS + 1) / 2)) fixed "$workers" -n 0 "$MB"
	for s in $workers; do
		t=$(usec fixed "$s")
		[ -n "$best" ] && [ "$best" -le "$t" ] || best=$t
		say "fixed, $s: $t us"
	done
	gap=$((0 - $(gain "$(usec settled auto)" "$best")))
	say "auto: $(usec settled auto) us, limits in order: $(uniq /run/tried | tr '\n' ' ')"
	result auto_settled "$(tail -n 1 /run/tried | sed s/none/0/)" workers
	result auto_tried "$(tried)" settings
	result auto_gap_permille $gap
	assert_ge "settings that auto tried" "$(tried)" 3
	assert_le auto_gap_permille $gap 100
}

need_batch_free
if part auto; then need_daemon; fi
settings="off 1 2 4" workers="1 2 4"
if ! has_batch_free; then
	settings=off workers='' PARTS=exit
fi
echo always >/sys/kernel/mm/transparent_hugepage/enabled
for p in exit 'local' thp auto; do
	if part $p; then "part_$p"; fi
done
for f in /run/exits.*; do
	save "$f"
done
setting off
batch_settled
