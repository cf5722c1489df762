# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 mem=2G numa=2 timeout=600
# vm-full: timeout=7200
#
# Processes killed for want of memory: a large one each round, so that a smaller one
# gets what it wants, which then exits in the ordinary way, with its pages freed by
# workers. In a cgroup with a limit, while others exit beside it, there are exactly as
# many kills as rounds. In the whole machine, of which a ballast has most, there are no
# more than in the worst of RUNS runs with batch free off. N rounds each (200).
#
# A victim counts as gone when its pages are unmapped, up to 38 MB of which (what a
# gather holds) are not free yet on a stock kernel: the sizes leave room for these.
# Pages on the lists of CPUs are not looked for before somebody is killed, whoever put
# them there, and may be an eighth of all: these lists are kept short here.

full && : "${N:=200}" "${RUNS:=3}"
: "${N:=10}" "${RUNS:=1}"
group=$CG/oom

kills() { awk '$1 == "oom_kill" { print $2 }' "$1"; }

exit_on_and_on() {
	until [ -e /run/enough ]; do
		bigexit -n all 24 >/dev/null || return 1
		sleep 0.2
	done
}

in_cgroup() {
	local before storm exits
	mkdir -p "$group"
	echo 100M >"$group/memory.max"
	before=$(kills "$group/memory.events")
	exit_on_and_on &
	exits=$!
	storm=$(oomstorm "$group" 72 44 "$N") || abort "oomstorm: $storm"
	touch /run/enough
	wait "$exits" || fail "bigexit failed"
	say "in a cgroup: $storm"
	result cgroup_kills $(($(kills "$group/memory.events") - before))
	assert_eq cgroup_kills $(($(kills "$group/memory.events") - before)) "$N"
	assert_eq "rounds with a kill" "$(word killed "$storm")" "$N"
	assert_eq "others that were killed" "$(word innocent "$storm")" 0
	rmdir "$group" || fail "the cgroup can't be removed"
}

# All but so many MB are taken, by nobody who could be killed for it. The second time
# for what comes back from the lists of CPUs meanwhile.
ballast() { # FREE
	local i
	echo 200 >/proc/sys/vm/percpu_pagelist_high_fraction
	mkdir /ballast && mount -t tmpfs -o size=100% ballast /ballast
	for i in 1 2; do
		dd if=/dev/zero of=/ballast/$i bs=1M \
			count=$(($(meminfo MemFree) / 1024 - $1)) 2>/dev/null || abort "no ballast"
		sleep 1
	done
}

global_run() { # LABEL
	local before storm
	before=$(kills /proc/vmstat)
	storm=$(oomstorm - "$large" "$small" "$N") || abort "oomstorm: $storm"
	say "in the machine, $1: $storm"
	run=$(($(kills /proc/vmstat) - before))
	assert_eq "rounds with a kill, $1" "$(word killed "$storm")" "$N"
	result "global_kills_$1" $run
}

in_machine() {
	local worst=0 i free
	ballast 140
	free=$(($(meminfo MemFree) / 1024))
	# Some 45 MB of it are the kernel's reserve.
	large=$(((free - 50) * 4 / 5))
	small=$(((free - 50) / 2))
	say "$free MB are free: $large and $small"
	for i in $(seq "$RUNS"); do
		batch_off
		global_run "off$i"
		[ $run -le $worst ] || worst=$run
	done
	if has_batch_free; then
		batch_on 2
		global_run on
		assert_le global_kills_on $run $worst
	fi
	umount /ballast
}

need_batch_free
# A report each time is enough; who else there is, is the same each time.
echo 0 >/proc/sys/vm/oom_dump_tasks
batch_on 2
memory_on "$CG"
in_cgroup
in_machine
if has_batch_free; then
	assert_ge offloaded_pages "$(batch_sum offloaded_pages)" $((N * 1000))
	batch_off
	batch_settled
fi
