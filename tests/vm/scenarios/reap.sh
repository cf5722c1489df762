# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=500 disk=512M journal=no daemon=yes
# vm-full: timeout=900
#
# Removed cgroups that still hold a page of cache, and the daemon with its
# default settings: 30 s after the last rmdir none is left, and Percpu: is back.
# Three parts in one guest, each on a fresh parent:
#
#   alone    the daemon, nobody else
#   sibling  a living sibling under the same parent re-reads 64 MB all along,
#            and must not pay for it
#   oneshot  no daemon: one memory.reclaim 1G instead, which must hurt that
#            sibling, or the second part has shown nothing
#
# The disk has no journal, as in the measurement that set the bar. With one
# (run --vm journal=yes --label journal) every sixteenth cgroup is also held by
# an inode table block in the journal; see dying.

need_daemon
full && : "${N:=3000}"
: "${N:=2000}"
parent=$CG/jobs
pages=16384

prepare() {
	mkdir -p "$parent" /disk/jobs
	memory_on "$CG" && memory_on "$parent"
	# The file system's own bitmaps belong to no job.
	touch /disk/jobs/first && sync
}

storm_and_wait() { # LABEL: fills start, peak, end, dying_end, seconds
	start=$(percpu_kb)
	made=$(storm dying-create "$parent" /disk/jobs "$N") || abort "storm: $made"
	peak=$(percpu_kb)
	gone=$(storm dying-remove "$parent" "$N") || abort "storm: $gone"
	removed_at=$(now_ms)
	say "$1: $made; $gone; dying $(dying)"
}

# Until 30 s after the last rmdir; seconds is when none was left.
settle() {
	seconds=-1
	while [ $(($(now_ms) - removed_at)) -lt 30000 ]; do
		if [ $seconds -lt 0 ] && no_dying; then
			seconds=$((($(now_ms) - removed_at + 999) / 1000))
		fi
		sleep 0.5
	done
	end=$(percpu_kb)
	dying_end=$(staying)
}

clean() {
	storm clear "$parent" >/dev/null && rmdir "$parent"
	rm -rf /disk/jobs
}

refaults() { keyed "$parent/living/memory.stat" workingset_refault_file; }
# Pages taken from the sibling. A deep reclaim also drops the shadow entries by
# which the kernel would know a refault as one, so this is what is left to count by.
taken() { keyed "$parent/living/memory.stat" pgsteal; }

# The file is made anew each time: its pages are charged to this sibling, and
# not to the last one's, which would be dying and never go.
sibling_start() {
	rm -f /disk/big
	dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
	sync
	echo 1 >/proc/sys/vm/drop_caches
	mkdir "$parent/living"
	reread "$parent/living" /disk/big /run/ready 200 &
	reader=$!
	wait_for 60 [ -s /run/ready ] || abort "the sibling is not warm"
	rm /run/ready
	[ "$(cat "$parent/living/memory.current")" -ge 60000000 ] ||
		abort "the sibling's cache is not its own"
}

sibling_stop() {
	kill $reader && wait $reader
}

# alone
daemon_start ""
prepare
storm_and_wait alone
settle
result percpu_start_kb "$start" kB
result percpu_peak_kb "$peak" kB
result percpu_end_kb "$end" kB
result dying_end "$dying_end"
result seconds "$seconds" s
assert_ge "percpu_peak_kb - start" $((peak - start)) $((N * 3))
assert_le dying_end "$dying_end" 0
assert_le percpu_end_kb "$end" $((start + (peak - start) * 2 / 100))
clean

# sibling
prepare
sibling_start
before=$(refaults) taken_before=$(taken)
storm_and_wait sibling
settle
cost=$((($(refaults) - before) * 1000 / pages))
loss=$((($(taken) - taken_before) * 1000 / pages))
result sibling_dying_end "$dying_end"
result sibling_percpu_end_kb "$end" kB
result sibling_seconds "$seconds" s
result sibling_refault_permille "$cost" permille
result sibling_taken_permille "$loss" permille
assert_le sibling_dying_end "$dying_end" 0
assert_le sibling_refault_permille "$cost" 50
assert_le sibling_taken_permille "$loss" 50
ctl explain "${parent#"$CG"}" 2>&1 | tee /run/explain.txt
save /run/explain.txt
journal -o cat >/run/journal.txt
save /run/journal.txt
sibling_stop
daemon_stop
clean

# oneshot
prepare
sibling_start
storm_and_wait oneshot
sync
before=$(taken)
(echo 1G >"$parent/memory.reclaim") 2>/dev/null
# It reads its file over and over: what was taken from it, it reads again.
cost=$((($(taken) - before) * 1000 / pages))
result oneshot_dying_end "$(dying)"
result oneshot_refault_permille "$cost" permille
[ "$cost" -ge 200 ] || fail "one memory.reclaim 1G costs the sibling only $cost permille: the bar above proves nothing"
sibling_stop
