# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 disk=512M journal=no daemon=yes
#
# One half of `make demo`: the two storms with nobody there (DAEMON=no), or with
# the daemon running all along. Each half has a guest of its own, so that the
# second starts from the same memory as the first.

: "${PERCPU_N:=1000}" "${CACHE_N:=3000}"
parent=$CG/storm

fresh() {
	mkdir -p "$parent" /disk/jobs
	memory_on "$CG" && memory_on "$parent"
	touch /disk/jobs/first
	sync
	sleep 1
}

# Without the knob the last word on percpu memory is had when the spare chunk was driven
# out, or is not going to be.
spare_settles() {
	[ $with = yes ] && ! has_trim_knob && wait_for 20 spare_done && sleep 2
}
spare_done() { [ "$(dying)" = 0 ] && ! ctl plan | grep -qE '(reap|trim) '; }

trimmed() { [ "$(empty_pages)" -le "$(cat /sys/kernel/mm/percpu/empty_pages_high)" ]; }

with=no
if [ "${DAEMON:-yes}" = yes ]; then
	need_daemon
	daemon_start ""
	with=yes
fi

say "dying cgroups: $CACHE_N jobs, each writes one page of cache, all removed"
fresh
result dying.before_kb "$(percpu_kb)" kB
storm dying-create "$parent" /disk/jobs "$CACHE_N" >/dev/null || abort "storm"
result dying.created_kb "$(percpu_kb)" kB
storm dying-remove "$parent" "$CACHE_N" >/dev/null || abort "storm"
since=$(now_ms)
[ $with = yes ] && wait_for 60 no_dying
result dying.seconds $((($(now_ms) - since + 999) / 1000)) s
sleep 3
spare_settles
result dying.left_kb "$(percpu_kb)" kB
result dying.left "$(dying)"
if [ $with = yes ]; then
	ctl explain "${parent#"$CG"}" >/run/explain-dying.txt 2>&1
	save /run/explain-dying.txt
else
	# Make room for the second storm.
	sync
	echo 3 >/proc/sys/vm/drop_caches
fi
storm clear "$parent" >/dev/null && rmdir "$parent"
rm -rf /disk/jobs

say "percpu storm: $PERCPU_N x (1 + 10) cgroups, the inner ones removed"
fresh
result percpu.before_kb "$(percpu_kb)" kB
storm percpu-create "$parent" "$PERCPU_N" 10 >/dev/null || abort "storm"
result percpu.created_kb "$(percpu_kb)" kB
storm percpu-remove "$parent" "$PERCPU_N" 10 0 >/dev/null || abort "storm"
sleep 10
[ $with = yes ] && wait_for 60 no_dying
[ $with = yes ] && has_trim_knob && wait_for 20 trimmed
spare_settles
result percpu.left_kb "$(percpu_kb)" kB
has_trim_knob && result percpu.left_empty_pages "$(empty_pages)"
if [ $with = yes ]; then
	ctl explain percpu >/run/explain-percpu.txt 2>&1
	save /run/explain-percpu.txt
	ctl status >/run/status.txt 2>&1
	save /run/status.txt
	journal -o cat >/run/journal.txt
	save /run/journal.txt
	daemon_stop
fi
