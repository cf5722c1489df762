# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=600 mem=6G
# vm-full: timeout=2400
# vm-arm64: smp=4
#
# What pins percpu memory after the 2021 script: every allocation of the storm
# is traced and balanced with the frees, empty pages are given back, and what is
# left goes into a table, by call site and size (sites.txt; stacks.txt has the
# callers behind a site, from one cgroup's making and its life's first charge).
#
# N= and M= pick the shape. Numbers of pages are unit pages: one page for each
# possible CPU.

full && : "${N:=1000}"
: "${N:=200}" "${M:=10}"
parent=$CG/storm
tracing=/sys/kernel/tracing
events=$tracing/events/percpu
knobs=/sys/kernel/mm/percpu

# Some 20 events of up to 120 bytes for each cgroup's making and removal.
trace_start() {
	echo 0 >$tracing/tracing_on
	echo global >$tracing/trace_clock
	echo nohash-ptr >$tracing/trace_options
	echo $((2048 + N * (M + 1) * 5)) >$tracing/buffer_size_kb
	echo >$tracing/trace
	echo 1 >$events/percpu_alloc_percpu/enable
	echo 1 >$events/percpu_free_percpu/enable
	echo 1 >$tracing/tracing_on
}

trace_stop() {
	echo 0 >$tracing/tracing_on
	echo 0 >$events/enable
}

lost() { cat $tracing/per_cpu/*/stats | awk '$1 ~ /^(overrun|dropped)/ || $2 == "events:" { n += $NF } END { print n + 0 }'; }

# One cgroup with one process, each allocation with the functions that led to it.
stacks() {
	trace_start
	echo stacktrace >$events/percpu_alloc_percpu/trigger
	mkdir "$parent/one"
	sh -c 'echo 0 >"$1/cgroup.procs" && true' one "$parent/one"
	trace_stop
	echo '!stacktrace' >$events/percpu_alloc_percpu/trigger
	awk '
	function add() { if (frames) n[key]++; frames = 0 }
	/ percpu_alloc_percpu: / {
		add()
		key = $0
		sub(/.*call_site=/, "", key)
		sub(/\/.* size=/, " ", key)
		sub(/ align=.*/, "", key)
		site = key
		sub(/\+.*/, "", site)
		below = 0
	}
	/^ => / && below && frames < 3 {
		key = key " <- " $2
		frames++
	}
	/^ => / && $2 == site { below = 1 }
	END { add(); for (key in n) print n[key], key }' $tracing/trace | sort -k2 >/run/stacks.txt
	save /run/stacks.txt
	rmdir "$parent/one"
}

[ -e $events/percpu_alloc_percpu ] || skip "no percpu events in this kernel"
mkdir -p "$parent"
memory_on "$CG" && memory_on "$parent"
stacks
trace_start
made=$(storm percpu-create "$parent" "$N" "$M") || abort "storm: $made"
gone=$(storm percpu-remove "$parent" "$N" "$M" 0) || abort "storm: $gone"
say "$N x $M: $made; $gone"
# Removed cgroups let go of their memory in workqueues, after grace periods.
wait_for 300 no_dying "$parent" || fail "cgroups stay dying: $(dying "$parent")"
sleep 10
if has_trim_knob; then
	echo max >$knobs/reclaim
fi
trace_stop
assert_eq "events lost" "$(lost)" 0

pins $tracing/trace >/run/sites.txt || abort "pins failed"
save /run/sites.txt
cat /run/sites.txt
total=$(grep '^total ' /run/sites.txt)
assert_eq "objects handed out twice" "$(word twice "$total")" 0
# A table of survivors: each has as many objects as the next.
objects=$(word objects "$total")
assert_le "objects of nobody" $((objects % N)) 20
result sites $(($(wc -l </run/sites.txt) - 1))
result objects "$objects"
result bytes "$(word bytes "$total")" bytes
result pages "$(word pages "$total")" pages
result percpu_kb "$(percpu_kb)" kB
if has_trim_knob; then
	populated=$(cat $knobs/populated_pages)
	empty=$(empty_pages)
	result populated_pages "$populated" pages
	result empty_pages "$empty" pages
fi
