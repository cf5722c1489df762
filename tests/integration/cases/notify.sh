# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the service manager is told: READY once, RELOADING and READY around each
# reload with the time of it, STOPPING at the end, WATCHDOG at half its period and no
# other wake-up; field report 16: a socket that the service manager holds is taken as
# it is, and left to it.
. "$HERE/lib.sh"

fakeroot v2
settings <<END
[Pressure]
Pressure=no
END
cgroup a
helper "$HELP/notify" listen "$T/notify" > "$T/told"
eventually 5 test -S "$T/notify"
NOTIFY_SOCKET=$T/notify
WATCHDOG_USEC=1000000
export NOTIFY_SOCKET WATCHDOG_USEC
told() { # TEXT TIMES
	[ "$(grep -cF -- "$1" "$T/told")" -eq "$2" ]
}

start
eventually 5 told 'READY=1' 1
grep -q '^READY=1 MONOTONIC_USEC=[0-9]*$' "$T/told" || fail "$(cat "$T/told")"
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 told 'READY=1' 2
grep -q '^RELOADING=1 MONOTONIC_USEC=[0-9]*$' "$T/told" || fail "$(cat "$T/told")"
# Refused is done as well: a manager that waits must not wait for ever.
printf '[Percpu]\nReap=perhaps\n' | settings
kill -HUP "$PID"
eventually 5 told 'READY=1' 3
equals 'reloads begun' "$(grep -c RELOADING=1 "$T/told")" 2
eventually 5 grep -q '^WATCHDOG=1$' "$T/told"
before=$(grep -c '^WATCHDOG=1$' "$T/told")
sleep 3
beats=$(($(grep -c '^WATCHDOG=1$' "$T/told") - before))
at_least 'heartbeats in 3 s of WATCHDOG_USEC=1s' "$beats" 4
at_most 'heartbeats in 3 s of WATCHDOG_USEC=1s' "$beats" 8
equals 'each STATUS is told once, also while idle' "$(grep STATUS "$T/told" | sort | uniq -d)" ''
equals 'STATUS at the start, and when settings were refused' "$(grep -c STATUS "$T/told")" 2
grep -q 'STATUS=Settings refused.*:2:6: ' "$T/told" || fail "$(grep STATUS "$T/told")"
stop
eventually 5 told 'STOPPING=1' 1
unset NOTIFY_SOCKET WATCHDOG_USEC

# A socket from outside.
settings < /dev/null
mkdir -p "$RUN"
"$HELP/notify" activate "$SOCK" "$DAEMON" --root "$ROOT" < /dev/null >> "$LOG" 2>&1 &
# shellcheck disable=SC2034 # lib.sh ends it
PID=$!
eventually 5 answers
equals 'sockets in the runtime directory' "$(find "$RUN" -type s | wc -l)" 1
stop
[ -S "$SOCK" ] || fail 'the socket of the service manager was removed'
