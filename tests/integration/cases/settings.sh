# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Settings refused: at start with exit status 78, at reload the old ones stay and
# status says so; each error with file, line and column. Field report 27.
. "$HERE/lib.sh"

fakeroot v2
CONF=$ROOT/etc/pcpu-reclaimd/conf.d/10-test.conf

bad='[Percpu]
Reap=yes
ReapStep=16MB'

echo "$bad" | settings
refused
equals 'exit status' "$STATUS" 78
said "$CONF:3:12: "
said 'did you mean 16M'
said 'not started: the settings above are refused'
[ ! -e "$RUN/org.pcpu-reclaimd" ] || fail 'a socket of a daemon that did not start'

# --check-config agrees with what a start does.
code=0
"$DAEMON" --root "$ROOT" --check-config > "$T/check" 2>&1 || code=$?
equals '--check-config' $code 78
grep -qF "$CONF:3:12: " "$T/check" || fail "$(cat "$T/check")"

: > "$LOG"
settings <<END
[Policy ci]
Match=/machine.slice/**
ReapAbove=20
END
"$DAEMON" --root "$ROOT" --check-config > "$T/check" 2>&1 || fail "$(cat "$T/check")"
start
equals policies "$(get settings.policies)" 1

# By signal ...
echo "$bad" | settings
kill -HUP "$PID"
eventually 5 grep -qF 'the settings in force are kept' "$LOG"
said "$CONF:3:12: "
equals policies "$(get settings.policies)" 1
get settings.error > "$T/error" || fail 'status does not tell of the refused reload'
grep -qF "$CONF:3:12: " "$T/error" || fail "$(cat "$T/error")"
ask Doctor | grep -q 'the last reload was refused' || fail 'doctor does not tell of it'

# ... and by the socket, which hands the errors to whoever asked.
ask Reload > "$T/answer" && fail 'a bad reload succeeded'
grep -qF 'SettingsRefused' "$T/answer" || fail "$(cat "$T/answer")"
grep -qF "$CONF:3:12: " "$T/answer" || fail "$(cat "$T/answer")"
equals policies "$(get settings.policies)" 1

settings <<END
[Policy ci]
Match=/machine.slice/**
[Policy db]
Match=/db/**
END
kill -HUP "$PID"
eventually 5 is settings.policies 2
get settings.error && fail 'the error outlived a good reload'
settings < /dev/null
ask Reload > "$T/answer" || fail "$(cat "$T/answer")"
equals policies "$(get settings.policies)" 0
stop
