# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A full disk: the daemon goes on and says so once, the file stays whole, and when there
# is room again nothing of this run is missing.
. "$HERE/lib.sh"

need_root 'a tmpfs of two pages'
fakeroot v2 percpu
STATE=$ROOT/var/lib/pcpu-reclaimd
mkdir "$STATE"
mount -t tmpfs -o size=8k,mode=700 tmpfs "$STATE" 2>/dev/null || skip 'no tmpfs can be mounted here'
at_end() {
	umount "$STATE" 2>/dev/null || umount -l "$STATE"
}
has_lines() { [ "$(wc -l < "$STATE/history")" = "$1" ]; }
trim() {
	put "$KNOBS/empty_pages" 404
	ask Trim '{"bytes": 65536}' > /dev/null || fail 'no trim'
}
trims() { [ "$(ask GetHistory '{"limit": 1}' | tr -d ' ' | grep -o '"total":[0-9]*')" = "\"total\":$1" ]; }

cgroup ci
start
helper "$HELP/kernel" "$ROOT" '' ci > "$T/writes"
trim
eventually 5 has_lines 2
# The page that the file is in is full before the disk has another one.
head -c 65536 /dev/zero > "$STATE/filler" 2>/dev/null
n=1
while [ $n -lt 40 ]; do
	n=$((n + 1))
	trim
	eventually 5 trims $n
done
eventually 5 grep -qF "$STATE/history can't be written: No space left on device" "$LOG"
equals 'times it was said' "$(grep -c "history can't be written" "$LOG")" 1
[ ! -e "$STATE/history.new" ] || fail 'a half-written file is left behind'
tail -c 1 "$STATE/history" | od -An -c | grep -q '\\n' || fail 'the file ends within a line'
kill -0 "$PID" || fail 'it ended'

mount -o remount,size=1m "$STATE"
trim
eventually 5 has_lines 42
stop
start
equals 'records' "$(ask GetHistory '{"limit": 1}' | tr -d ' ' | grep -o '"total":[0-9]*')" '"total":41'
unsaid 'starts anew'
stop
