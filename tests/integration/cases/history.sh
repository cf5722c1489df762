# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# History outlives the daemon, also one that was killed, and the machine's boot, then
# without the ids of that time. A damaged file is refused with a message, a full disk said
# once, and nothing is written where nothing was done.
. "$HERE/lib.sh"

fakeroot v2 percpu
STATE=$ROOT/var/lib/pcpu-reclaimd
FILE=$STATE/history
BOOT_ID=$ROOT/proc/sys/kernel/random/boot_id
lines() { wc -l < "$FILE"; }
has_lines() { [ "$(lines 2>/dev/null)" = "$1" ]; }
seqs() { # newest first
	"$HELP/ask" "$SOCK" GetHistory | tr ',' '\n' | sed -n 's/.*"seq": *//p' | tr '\n' ' '
}
row() { # N FIELD, "-" where there is none
	"$HELP/ask" -g "records.$1.$2" "$SOCK" GetHistory 2>/dev/null || echo -
}
trim() {
	ask Trim '{"bytes": 65536}' > /dev/null || fail 'no trim'
}

cgroup ci
start
helper "$HELP/kernel" "$ROOT" '' ci > "$T/writes"
put "$KNOBS/empty_pages" 404
equals 'mode of the directory' "$(stat -c %a "$STATE")" 700
sleep 0.3
[ ! -e "$FILE" ] || fail "written, and nothing was done: $(cat "$FILE")"
trim
eventually 5 has_lines 2
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 3
equals 'mode of the file' "$(stat -c %a "$FILE")" 600
equals 'the first line' "$(head -n 1 "$FILE")" 'pcpu-reclaimd history 1'
equals 'of this run' "$(row 0 run_before)" -

# Killed: the next one knows, and goes on counting.
kill -KILL "$PID"
await_end 5
stamp=$(stat -c '%Y %i %s' "$FILE")
start
equals 'records after a kill' "$(seqs)" '2 1 '
equals 'the older one' "$(row 1 run_before)" restart
row 1 end_at | grep -q '^20..-..-..T' || fail "no date: $(row 1 end_at)"
sleep 0.3
equals 'the file when nothing was done' "$(stat -c '%Y %i %s' "$FILE")" "$stamp"
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 4
equals 'records' "$(seqs)" '3 2 1 '
equals 'the newest' "$(row 0 run_before)" -
stop

# A boot: dates stay, ids do not.
put "$BOOT_ID" 00000000-0000-4000-8000-000000000000
start
equals 'records after a boot' "$(seqs)" '3 2 1 '
equals 'the newest' "$(row 0 run_before)" boot
row 0 end_at | grep -q "^$(date -u +%Y)-" || fail "another year: $(row 0 end_at)"
"$OUT/pcpu-reclaimctl" --socket "$SOCK" history > "$T/history"
grep -q 'boot .*before the machine was booted:' "$T/history" || fail "$(cat "$T/history")"

# Removed while it runs: all of it is written again with the next action.
rm "$FILE"
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 5
stop

# The end that a crash of the machine cut off.
printf '5\t0000' >> "$FILE"
start
equals 'records after a cut' "$(seqs)" '4 3 2 1 '
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 6
unsaid 'history starts anew'
stop

# Damaged.
sed -i '3s/\ttrim\t/\ttrom\t/' "$FILE"
start
said "$FILE:3:"
said 'not as it was written; history starts anew'
equals 'records of a damaged file' "$(seqs)" ''
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 2
stop

# Longer than it ever gets, of another kind, of another version.
: > "$LOG"
head -c 2000000 /dev/zero > "$FILE"
start
said "$FILE: File too large; history starts anew"
stop
rm "$FILE"
mkfifo "$FILE"
start
said "$FILE: Invalid argument; history starts anew"
stop
rm "$FILE"
echo 'pcpu-reclaimd history 2' > "$FILE"
start
said "$FILE:1:1: not as it was written; history starts anew"
stop

# More of them than are kept: the file stays bounded.
i=0
{
	echo 'pcpu-reclaimd history 1'
	while [ $i -lt 512 ]; do
		i=$((i + 1))
		printf '%s\tother\t1700000000000000\ttrim\tasked\tdone\tlive\t-\t0\t1\t0\t1\t2\t1\t1\t1\t1\t1\t-\t-\t0\t\tpercpu\n' $i
	done
} > "$FILE"
start
equals 'how many are kept' "$("$HELP/ask" -g total "$SOCK" GetHistory)" 256
put "$KNOBS/empty_pages" 404
trim
eventually 5 has_lines 257
equals 'the oldest kept' "$(sed -n '2s/\t.*//p' "$FILE")" 258
stop

# Something else in its place: said as what it is.
rm "$FILE"
mkdir "$FILE"
start
said "$FILE: Is a directory; history starts anew"
stop

# Nowhere to keep it: said, and the rest works.
rm -rf "$STATE"
: > "$STATE"
start
said "$FILE: Not a directory"
put "$KNOBS/empty_pages" 404
trim
eventually 5 grep -qF "$STATE/history can't be written: Not a directory" "$LOG"
equals 'records' "$(seqs)" '1 '
stop
