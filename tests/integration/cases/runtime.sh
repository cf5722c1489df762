# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The runtime directory. Field report 31: missing directory made, stale socket taken
# over, live one refused. 34: the socket's mode.
. "$HERE/lib.sh"

fakeroot v2
umask 000
start
equals 'mode of the directory' "$(stat -c %a "$RUN")" 755
equals 'mode of the socket without a group' "$(stat -c %a "$SOCK")" 600
equals 'mode of the lock' "$(stat -c %a "$RUN/lock")" 600

# A second daemon on the same directory.
first=$PID
refused
equals 'exit status of a second daemon' "$STATUS" 73
said "another pcpu-reclaimd holds $RUN/lock"
PID=$first
answers > /dev/null || fail 'the second daemon took the first one its socket'
stop
[ ! -e "$SOCK" ] || fail 'the socket outlived a clean end'

# Its name is taken from it: it takes it back, and says so, once each time.
start
fds=$(fds)
rm "$SOCK"
eventually 5 answers
said "$SOCK was removed: made again"
mv "$SOCK" "$SOCK.away"
eventually 5 answers
rm "$SOCK.away"
equals 'times it was said' "$(grep -c 'made again' "$LOG")" 1
ask Reload > /dev/null || fail 'the reload failed'
# A caller's may not be closed yet, at either count.
no_more_fds() {
	[ "$(fds)" -le "$fds" ]
}
eventually 5 no_more_fds
wakeups=$(get wakeups)
sleep 1
at_most 'turns of the loop in an idle second' $(($(get wakeups) - wakeups)) 3
stop
[ ! -e "$SOCK" ] || fail 'the socket outlived a clean end'

# A socket left behind by one that was killed.
start
kill -KILL "$PID"
await_end 5
[ -S "$SOCK" ] || fail 'no stale socket to take over'
start
stop

# Somebody else listens there: not ours to take, and no reason not to work.
helper "$HELP/hostile" listen "$SOCK"
eventually 5 test -S "$SOCK"
: > "$LOG"
launch
eventually 5 grep -qF "$SOCK: Address already in use; working without a control socket" "$LOG"
kill -0 "$PID" || fail 'the daemon ended'
stop
[ -S "$SOCK" ] || fail 'the socket of another program was removed'

# A name that is no socket is not removed either.
rm "$SOCK"
: > "$SOCK"
: > "$LOG"
launch
eventually 5 grep -qF 'working without a control socket' "$LOG"
stop
[ -f "$SOCK" ] || fail 'a plain file was removed'
rm "$SOCK"

# A recorded machine whose /run is a link to the one we run on.
mv "$ROOT/run" "$ROOT/run.kept"
mkdir "$T/host"
ln -s "$T/host" "$ROOT/run"
: > "$LOG"
refused
equals 'exit status with a /run outside' "$STATUS" 73
said "a symbolic link leads out of $ROOT"
[ -z "$(ls "$T/host")" ] || fail "written outside: $(ls "$T/host")"
rm "$ROOT/run"
mv "$ROOT/run.kept" "$ROOT/run"

# With a group: members may ask, root may change, nobody else comes in.
need_root 'groups of the socket'
settings <<END
[Daemon]
SocketGroup=12345
END
start
equals 'mode of the socket with a group' "$(stat -c '%a %u:%g' "$SOCK")" '660 0:12345'
as="setpriv --reuid=65534 --regid=12345 --clear-groups"
$as "$HELP/ask" -g version "$SOCK" GetStatus || fail 'a member may not ask'
$as "$HELP/ask" "$SOCK" Trim > "$T/answer" && fail 'a member may change'
grep -qF 'NotPermitted' "$T/answer" || fail "$(cat "$T/answer")"
grep -qF '12345' "$T/answer" || fail "the answer does not name the group: $(cat "$T/answer")"
$as "$HELP/ask" "$SOCK" Reload > "$T/answer" && fail 'a member may reload'
as="setpriv --reuid=65534 --regid=65534 --clear-groups"
$as "$HELP/ask" "$SOCK" GetStatus > "$T/answer" 2>&1 && fail 'a stranger may ask'
# Even with the door left open by hand, credentials are looked at.
chmod 666 "$SOCK"
$as "$HELP/ask" "$SOCK" GetStatus > "$T/answer" 2>&1 && fail 'a stranger may ask'
grep -qF 'NotPermitted' "$T/answer" || fail "$(cat "$T/answer")"
stop
