# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The float and the threshold by policy: values for calm at the start, others under memory
# pressure, back when it is over, as found at the end and after kill -9. Field reports 21
# and 25: nothing outlives the daemon; 27: another program's value is not fought over.
. "$HERE/lib.sh"

# Plain files keep what a longer value left behind: all of one length.
knob() { # NAME VALUE
	[ "$(cat "$KNOBS/$1")" = "$2" ]
}
knobs() { # LOW HIGH PERCENT
	knob empty_pages_low "$1" && knob empty_pages_high "$2" && knob reclaim_min_percent "$3"
}
# A second of waiting within one, as often as asked for.
pressed=0
press() {
	pressed=$((pressed + 1000000))
	put "$ROOT/proc/pressure/memory" \
		"some avg10=50.00 avg60=0.00 avg300=0.00 total=$pressed
full avg10=0.00 avg60=0.00 avg300=0.00 total=0"
}
want() {
	settings <<-END
		[Percpu]
		EmptyPagesLow=3/1
		EmptyPagesHigh=9/2
		ReclaimMinPercent=keep/10
		[Pressure]
		Hold=1s
		PollPeriod=1s
		$*
	END
}

fakeroot v2 percpu psi
want
start
eventually 5 knobs 3 9 25
press
eventually 10 knobs 1 2 10
equals 'found' "$(get empty_pages_low.found)" 2
equals 'set' "$(get reclaim_min_percent.set)" 10
ask Explain '{"target": "percpu"}' > "$T/explain"
grep -q '"text":"empty_pages_high is 2, as the settings want it under memory pressure' "$T/explain" ||
	fail "$(cat "$T/explain")"
grep -q '"reason":"memory-pressure".*"asked_value":2' "$T/explain" || fail "$(cat "$T/explain")"
# By the file's name alone, and wherever nothing is called that.
ask Explain '{"target": "empty_pages_high"}' > "$T/explain"
grep -q '"kind":"knob","knob":"/sys/kernel/mm/percpu/empty_pages_high"' "$T/explain" ||
	fail "$(cat "$T/explain")"
ask Explain '{"target": "empty_pages_hig"}' > "$T/explain" && fail 'explained what there is not'
# Over when six times Hold= have passed, in an order that holds low below high.
eventually 15 knobs 3 9 25
grep -o 'set /sys.*' "$LOG" | sed 's,/.*/,,' > "$T/sets"
cat > "$T/wanted" <<END
set empty_pages_low: 3 instead of 2
set empty_pages_high: 9 instead of 4
set empty_pages_low: 1 instead of 3, for memory pressure
set reclaim_min_percent: 10 instead of 25, for memory pressure
set empty_pages_high: 2 instead of 9, for memory pressure
set empty_pages_high: 9 instead of 2
set reclaim_min_percent: 25 instead of 10, as it was found
set empty_pages_low: 3 instead of 1
END
diff "$T/wanted" "$T/sets" || fail 'other settings, or in another order'
stop
equals 'after SIGTERM' "$(cat "$KNOBS/empty_pages_low" "$KNOBS/empty_pages_high" | xargs)" '2 4'

# Killed under pressure: the next start, which wants none of it, puts all of it back.
start
press
eventually 10 knobs 1 2 10
kill -KILL "$PID"
await_end 5
settings < /dev/null
start
eventually 5 knobs 2 4 25
eventually 5 test ! -s "$RUN/ledger"
stop

# Another program writes one of them: said once, and not written over when pressure comes.
want
: > "$LOG"
start
eventually 5 knobs 3 9 25
put "$KNOBS/empty_pages_high" 7
press
eventually 10 knob empty_pages_low 1
said 'another program set empty_pages_high to 7: left alone'
equals 'times it was said' "$(grep -c 'another program set' "$LOG")" 1
equals 'foreign' "$(get empty_pages_high.foreign)" true
equals 'foreign' "$(get empty_pages_low.foreign)" false
ask Doctor > "$T/doctor"
grep -q '"kind":"hint","subject":"percpu float high","text":"another program' "$T/doctor" ||
	fail "$(cat "$T/doctor")"
stop
knobs 2 7 25 || fail "at the end: $(cat "$KNOBS/empty_pages_low" "$KNOBS/empty_pages_high")"

# No room for the ledger: nothing is changed without it, and it is tried again without
# anybody's help. Root may write anywhere, so a directory stands in the way.
put "$KNOBS/empty_pages_high" 4
want
mkdir -p "$RUN/ledger.new/full"
: > "$LOG"
start
eventually 5 grep -qF 'empty_pages_low is not changed' "$LOG"
eventually 5 grep -qF 'empty_pages_high is not changed' "$LOG"
knobs 2 4 25 || fail 'changed without a ledger'
ask Explain '{"target": "percpu"}' > "$T/explain"
grep -q '"reason":"backoff"' "$T/explain" || fail "$(cat "$T/explain")"
rm -r "$RUN/ledger.new"
eventually 15 knobs 3 9 25
stop
knobs 2 4 25 || fail 'not put back'

# A dry run says what it would do and does not.
want '[Daemon]
DryRun=yes'
: > "$LOG"
start
eventually 5 grep -q 'empty_pages_low: would be 3 instead of 2' "$LOG"
stop
knobs 2 4 25 || fail 'a dry run wrote'

# One that begins under memory pressure leaves what is in force; the end puts it back.
want
start
press
eventually 10 knobs 1 2 10
want '[Daemon]
DryRun=yes'
: > "$LOG"
ask Reload > /dev/null || fail 'no reload'
eventually 15 grep -q 'empty_pages_high: would be 9 instead of 2' "$LOG"
knobs 1 2 10 || fail 'a dry run put values back'
stop
knobs 2 4 25 || fail 'not put back after a dry run'

# A kernel without one of them: said, and the others are set. Field report 24.
rm "$KNOBS/reclaim_min_percent"
settings <<END
[Percpu]
EmptyPagesHigh=9
ReclaimMinPercent=50
END
: > "$LOG"
start
eventually 5 knob empty_pages_high 9
said 'ReclaimMinPercent=50 has no effect: this kernel has no /sys/kernel/mm/percpu/reclaim_min_percent'
equals 'absent' "$(get reclaim_min_percent)" ''
ask Doctor > "$T/doctor"
grep -q '"kind":"problem","subject":"percpu threshold"' "$T/doctor" || fail "$(cat "$T/doctor")"
stop
knob empty_pages_high 4 || fail 'not put back'

# Settings that the kernel could only refuse are refused before that.
settings <<END
[Percpu]
EmptyPagesLow=8/2
EmptyPagesHigh=9/2
END
: > "$LOG"
refused
said 'EmptyPagesLow=8/2 is not below EmptyPagesHigh=9/2'
