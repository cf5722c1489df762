# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Kernel settings under the ledger. Field report 21: what is put back is what was
# found, and only where our value still stands; 25: nothing outlives the daemon.
. "$HERE/lib.sh"

fakeroot v2 percpu
HIGH=$KNOBS/empty_pages_high
high() {
	[ "$(cat "$HIGH")" = "$1" ]
}
want8() {
	settings <<END
[Percpu]
EmptyPagesHigh=8
END
}

want8
start
eventually 5 high 8
grep -q "^/sys/kernel/mm/percpu/empty_pages_high	4	8	[0-9]*	EmptyPagesHigh=8$" "$RUN/ledger" ||
	fail "ledger: $(cat "$RUN/ledger")"
equals 'found' "$(get empty_pages_high.found)" 4
equals 'value' "$(get empty_pages_high.value)" 8
said 'set /sys/kernel/mm/percpu/empty_pages_high: 8 instead of 4'
stop
equals 'after SIGTERM' "$(cat "$HIGH")" 4
[ ! -s "$RUN/ledger" ] || fail "left in the ledger: $(cat "$RUN/ledger")"

# Killed: the next start owns what the last one left, and puts it back at its end.
: > "$LOG"
start
eventually 5 high 8
kill -KILL "$PID"
await_end 5
equals 'after SIGKILL' "$(cat "$HIGH")" 8
[ -s "$RUN/ledger" ] || fail 'nobody owns the setting'
start
equals 'found' "$(get empty_pages_high.found)" 4
stop
equals 'after the second end' "$(cat "$HIGH")" 4

# Killed, and the settings no longer want it: put back by the next start.
start
eventually 5 high 8
kill -KILL "$PID"
await_end 5
settings < /dev/null
start
eventually 5 high 4
eventually 5 test ! -s "$RUN/ledger"
stop

# Dropped from the settings by a reload.
want8
start
eventually 5 high 8
settings < /dev/null
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 high 4
stop

# Another program writes after us: left alone at the end, and said.
want8
start
eventually 5 high 8
put "$HIGH" 6
: > "$LOG"
stop
equals 'after another program wrote it' "$(cat "$HIGH")" 6
said 'was changed by another program: left alone'

# ... and between a kill and the next start.
put "$HIGH" 4
start
eventually 5 high 8
kill -KILL "$PID"
await_end 5
put "$HIGH" 6
settings < /dev/null
: > "$LOG"
start
said 'no longer what a previous run left: kept as it is'
stop
equals 'after a foreign write between two runs' "$(cat "$HIGH")" 6

# One that can't be read when the next one starts is not forgotten: it is put back when
# it can be, at the end at the latest.
unreadable() {
	want8
	put "$HIGH" 4
	start
	eventually 5 high 8
	kill -KILL "$PID"
	await_end 5
	put "$HIGH" garbage
	"$@"
	: > "$LOG"
	start
	put "$HIGH" 8
}
unreadable settings < /dev/null
stop
equals 'after a start that could not read it' "$(cat "$HIGH")" 4
[ ! -s "$RUN/ledger" ] || fail "left in the ledger: $(cat "$RUN/ledger")"
unsaid 'kept as it is'
# The settings want another value by then: what was found is not what the killed one set.
want9() {
	settings <<END
[Percpu]
EmptyPagesHigh=9
END
}
unreadable want9
ask GetStatus > /dev/null
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 high 9
equals 'found' "$(get empty_pages_high.found)" 4
stop
equals 'after another value' "$(cat "$HIGH")" 4

# The runtime directory is emptied under it: what it would put back is still known to
# the next start, and there is still one daemon at a time. By a look when the socket's
# file goes, and by a reload.
for by in rm reload; do
	want8
	start
	eventually 5 high 8
	case $by in
	rm)
		rm "$SOCK" "$RUN/lock" "$RUN/ledger"
		;;
	reload)
		rm "$RUN/lock" "$RUN/ledger"
		ask Reload > /dev/null || fail 'the reload failed'
		;;
	esac
	eventually 5 test -s "$RUN/ledger"
	first=$PID
	refused
	equals 'exit status of a second daemon' "$STATUS" 73
	PID=$first
	eventually 5 answers
	kill -KILL "$PID"
	await_end 5
	settings < /dev/null
	start
	eventually 5 high 4
	stop
done

# Nothing of this touches what was not asked for.
unsaid 'damaged'
# shellcheck disable=SC2012 # names of ours
equals 'what is left in the runtime directory' "$(ls "$RUN" | tr '\n' ' ')" 'ledger lock '
