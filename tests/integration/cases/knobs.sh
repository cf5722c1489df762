# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Knobs that can't be written. Field report 26: the log tells the outcome with its
# errno, not the intent; 19: a read-only knob is a finding of doctor, with what
# follows from it; 24: it disables its own policy alone; 20: a refused value is not
# lost, and not a reason to write it again and again.
. "$HERE/lib.sh"

need_root 'bind mounts'
unshare -m true 2>/dev/null || skip 'no mount namespaces here'
sealed() { # with these mounts, which vanish with the daemon: lines of a shell from stdin
	{
		cat
		echo "exec '$DAEMON' --root '$ROOT'"
	} > "$T/sealed"
	: > "$LOG"
	unshare -m sh -e "$T/sealed" >> "$LOG" 2>&1 &
	# shellcheck disable=SC2034 # lib.sh ends it
	PID=$!
	eventually 10 answers
}

# --- a write that fails after the open succeeded ---

fakeroot v2 percpu
settings <<END
[Percpu]
ReapAbove=20
EmptyPagesHigh=8
END
cgroup ci 0 5000000
mkdir "$CG/ci/job"
sealed <<END
mount --bind /dev/full "$CG/ci/memory.reclaim"
mount --bind /dev/full "$KNOBS/empty_pages_high"
END
set_dying ci 50
set_dying '' 50
rmdir "$CG/ci/job"
eventually 10 grep -qF '50 stay: the kernel refused: ENOSPC' "$LOG"
unsaid 'reaping'
equals failures "$(get totals.failed)" 1
ask GetHistory > "$T/history"
grep -q '"errno":28' "$T/history" || fail "$(cat "$T/history")"
grep -q '"outcome":"error"' "$T/history" || fail "$(cat "$T/history")"
equals 'given back' "$(get totals.reap_freed_bytes)" 0
before=$(log_lines)
sleep 2
equals 'lines while backing off' "$(log_lines)" "$before"
stop

# --- knobs that can't be opened for writing ---

rm -rf "$ROOT"
fakeroot v2 percpu
sealed <<END
for f in "$CG/memory.reclaim" "$KNOBS/reclaim"; do
	mount --bind "\$f" "\$f"
	mount -o remount,bind,ro "\$f"
done
END
equals 'reap ready' "$(get 'actions.[action=reap].ready')" false
equals 'trim ready' "$(get 'actions.[action=trim].ready')" false
get 'actions.[action=reap].why' | grep -q 'memory.reclaim.*EROFS' || fail 'status does not say why'
get 'actions.[action=trim].why' | grep -q '/sys/kernel/mm/percpu/reclaim.*EROFS' ||
	fail 'status does not say why'
ask Doctor > "$T/doctor"
grep -q '"kind":"problem","subject":"reap","text":"[^"]*EROFS' "$T/doctor" || fail "$(cat "$T/doctor")"
grep -q '"kind":"problem","subject":"percpu trim","text":"[^"]*EROFS' "$T/doctor" ||
	fail "$(cat "$T/doctor")"
ask Trim > "$T/answer" && fail 'trimmed through a read-only knob'
grep -q NoSuchKnob "$T/answer" || fail "$(cat "$T/answer")"
stop
