# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# 200 kill -9 at random moments, each followed by a restart: every setting is restored
# or owned in the ledger, nothing is half written, nothing is left lying about. Field
# reports 21, 25; 31 for the socket that each of them leaves.
. "$HERE/lib.sh"

fakeroot v2 percpu
cgroup a
CONF=$ROOT/etc/pcpu-reclaimd/conf.d/10-test.conf
: > "$LOG"
"$HELP/kill9" "$DAEMON" "$ROOT" "$CONF" "${KILLS:-200}" ${SEED:+"$SEED"} > "$T/kill9" 2>> "$LOG" ||
	fail "$(cat "$T/kill9")"
cat "$T/kill9"
unsaid 'damaged'
# Whatever the last one left, an undisturbed life ends clean.
start
stop
equals 'the setting at the end' "$(cat "$KNOBS/empty_pages_high")" 4
[ ! -s "$RUN/ledger" ] || fail "left in the ledger: $(cat "$RUN/ledger")"
# shellcheck disable=SC2012 # names of ours
equals 'what is left in the runtime directory' "$(ls "$RUN" | tr '\n' ' ')" 'ledger lock '
