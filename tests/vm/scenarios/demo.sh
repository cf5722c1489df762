# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 disk=512M daemon=yes
#
# The two storms, first with nobody there, then with the daemon. `make demo`
# prints the table.

need_daemon
full && : "${CACHE_N:=3000}"
: "${PERCPU_N:=1000}" "${CACHE_N:=1000}"
parent=$CG/storm

fresh() {
	mkdir -p "$parent" /disk/jobs
	memory_on "$CG" && memory_on "$parent"
	touch /disk/jobs/first
	sync
	sleep 1
}

row() { # NAME: four figures at the stages of the table
	result "$1.before_kb" "$before" kB
	result "$1.created_kb" "$created" kB
	result "$1.removed_kb" "$removed" kB
	result "$1.after_kb" "$after" kB
}

trimmed() { [ "$(empty_pages)" -le "$(cat /sys/kernel/mm/percpu/empty_pages_high)" ]; }

say "percpu storm: $PERCPU_N x (1 + 10) cgroups, the inner ones removed"
fresh
before=$(percpu_kb)
storm percpu-create "$parent" "$PERCPU_N" 10 >/dev/null || abort "storm"
created=$(percpu_kb)
storm percpu-remove "$parent" "$PERCPU_N" 10 0 >/dev/null || abort "storm"
sleep 5
removed=$(percpu_kb)
if has_trim_knob; then
	result percpu.empty_pages_removed "$(empty_pages)"
fi
say "what the kernel leaves: $removed kB; starting the daemon"
daemon_start ""
if has_trim_knob; then
	wait_for 30 trimmed
	result percpu.empty_pages_after "$(empty_pages)"
else
	sleep 5
fi
after=$(percpu_kb)
row percpu
ctl explain percpu >/run/explain-percpu.txt 2>&1
save /run/explain-percpu.txt
daemon_stop
storm clear "$parent" >/dev/null && rmdir "$parent"

say "dying cgroups: $CACHE_N jobs, each wrote one page of cache, all removed"
fresh
before=$(percpu_kb)
storm dying-create "$parent" /disk/jobs "$CACHE_N" >/dev/null || abort "storm"
created=$(percpu_kb)
storm dying-remove "$parent" "$CACHE_N" >/dev/null || abort "storm"
sleep 5
removed=$(percpu_kb)
result dying.removed "$(dying)"
say "what the kernel leaves: $removed kB, $(dying) dying; starting the daemon"
daemon_start ""
since=$(now_ms)
wait_for 60 no_dying
result dying.seconds $((($(now_ms) - since + 999) / 1000)) s
sleep 2
after=$(percpu_kb)
result dying.after "$(dying)"
row dying
ctl explain "${parent#"$CG"}" >/run/explain-dying.txt 2>&1
save /run/explain-dying.txt
ctl status >/run/status.txt 2>&1
save /run/status.txt
journal -o cat >/run/journal.txt
save /run/journal.txt
daemon_stop
