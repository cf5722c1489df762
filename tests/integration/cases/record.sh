# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A trace of what happens, and what other settings would have made of it. One records at a
# time; however it ends, the file is a trace; while nobody records nothing is different.
. "$HERE/lib.sh"

fakeroot v2 percpu
CTL="$OUT/pcpu-reclaimctl --socket $SOCK"
settings <<END
[Percpu]
ReapAbove=20
EmptyPagesHigh=8
[Policy db]
Match=/db /db/**
Reap=no
END
cgroup ci
mkdir "$CG/ci/1" "$CG/ci/2" "$CG/ci/"'odd
name'
start
eventually 5 grep -q '^8$' "$KNOBS/empty_pages_high"
helper "$HELP/kernel" "$ROOT" ci ci > "$T/writes"

# shellcheck disable=SC2086 # words on purpose
$CTL record "$T/trace" &
REC=$!
lines() { grep -c "$1" "$T/trace"; }
recorded() { [ "$(lines "$1" 2>/dev/null)" -ge "${2:-1}" ]; }
eventually 5 recorded ' made .* ci$'
equals 'mode of a trace' "$(stat -c %a "$T/trace")" 600
# shellcheck disable=SC2086
$CTL record "$T/second" > "$T/out" 2>&1 && fail 'two record at a time'
grep -qi 'already' "$T/out" || fail "$(cat "$T/out")"
set_dying ci 150
rmdir "$CG/ci/1"
eventually 10 recorded ' step '
eventually 10 recorded ' look .* 0 - - '
mkdir "$CG/db"
eventually 5 recorded ' made .* db$'
# Replay may need a step more than was recorded.
sleep 1
kill -TERM "$REC"
wait "$REC" || fail "record ends with $?"
tail -n 1 "$T/trace" | grep -q '^[0-9]* end$' || fail "no end: $(tail -n 1 "$T/trace")"
grep -qF 'odd\x0aname' "$T/trace" || fail 'a name with a newline'
# As it was found: the value in force is these settings' doing.
grep -q 'setting 4 /sys/kernel/mm/percpu/empty_pages_high' "$T/trace" || fail "$(cat "$T/trace")"

replay() { # TRACE CONF: status
	code=0
	"$DAEMON" replay "$1" --config "$2" > "$T/out" 2>&1 || code=$?
	echo $code
}
conf() { # NAME LINES
	mkdir -p "$T/$1"
	printf '%s\n' "$2" > "$T/$1/pcpu-reclaimd.conf"
}
conf same '[Percpu]
ReapAbove=20
EmptyPagesHigh=8
[Policy db]
Match=/db /db/**
Reap=no'
conf never '[Percpu]
Reap=no'
equals 'replay' "$(replay "$T/trace" "$T/same")" 0
grep -q 'write /ci/memory.reclaim 131072  (above-threshold)' "$T/out" || fail "$(cat "$T/out")"
grep -q 'write /sys/kernel/mm/percpu/empty_pages_high 8' "$T/out" || fail "$(cat "$T/out")"
grep -q 'reap /ci: 150 of 150 removed cgroups gone' "$T/out" || fail "$(cat "$T/out")"
grep -q '^  none$' "$T/out" || fail "$(cat "$T/out")"
equals 'replay of none' "$(replay "$T/trace" "$T/never")" 0
grep -q 'write ' "$T/out" && fail "$(cat "$T/out")"
grep -A 2 '^  reap /ci$' "$T/out" | grep -q 'these     nothing' || fail "$(cat "$T/out")"

# Wrong files, wrong settings, wrong words.
equals 'no such trace' "$(replay "$T/nowhere" "$T/same")" 66
equals 'no trace' "$(replay "$T/same/pcpu-reclaimd.conf" "$T/same")" 65
grep -q "$T/same/pcpu-reclaimd.conf:1:1: not a trace" "$T/out" || fail "$(cat "$T/out")"
equals 'a directory' "$(replay "$T" "$T/same")" 66
sed '$d' "$T/trace" > "$T/cut"
printf '9999999 ma' >> "$T/cut"
equals 'a trace that was cut off' "$(replay "$T/cut" "$T/same")" 0
grep -q 'its end was cut off' "$T/out" || fail "$(cat "$T/out")"
sed 's/ step / stop /' "$T/trace" > "$T/bad"
equals 'a damaged trace' "$(replay "$T/bad" "$T/same")" 65
grep -Eq "$T/bad:[0-9]+:[0-9]+: no such event" "$T/out" || fail "$(cat "$T/out")"
sed 's/^ReapAbove=.*/ReapAbove=many/' "$T/trace" > "$T/bad"
equals 'settings in it that are none' "$(replay "$T/bad" "$T/same")" 65
conf wrong '[Percpu]
Reap=perhaps'
equals 'wrong settings' "$(replay "$T/trace" "$T/wrong")" 78
code=0
"$DAEMON" replay > "$T/out" 2>&1 || code=$?
equals 'no file' $code 64
grep -q 'replay: takes one file' "$T/out" || fail "$(cat "$T/out")"

# Settings change meanwhile: what counts as in force is what was in force at that time.
cgroup web
mkdir "$CG/web/1"
# shellcheck disable=SC2086
$CTL record "$T/reloaded" &
REC=$!
eventually 5 grep -q ' made .* 1$' "$T/reloaded"
settings <<END
[Percpu]
Reap=no
END
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 grep -q ' settings 2$' "$T/reloaded"
set_dying web 50
rmdir "$CG/web/1"
eventually 10 grep -q ' look .* 50 ' "$T/reloaded"
# What these settings begin then has to end within the recording.
sleep 1
kill -TERM "$REC"
wait "$REC" || fail "record ends with $?"
grep -A 2 ' settings 2$' "$T/reloaded" | grep -q '^Reap=no$' || fail "$(cat "$T/reloaded")"
equals 'replay over a reload' "$(replay "$T/reloaded" "$T/same")" 0
grep -q 'removed 1, reloads 1$' "$T/out" || fail "$(cat "$T/out")"
grep -A 2 '^  reap /web$' "$T/out" | grep -q 'in force  nothing' || fail "$(cat "$T/out")"
grep -A 2 '^  reap /web$' "$T/out" | grep -q 'these     actions' || fail "$(cat "$T/out")"
sed 's/^Reap=no$/Reap=perhaps/' "$T/reloaded" > "$T/bad"
equals 'a reload to settings that are none' "$(replay "$T/bad" "$T/same")" 65
grep -q "$T/bad: settings in force since " "$T/out" || fail "$(cat "$T/out")"

no_more_fds() {
	[ "$(fds)" -le "$fds" ]
}
short() {
	# shellcheck disable=SC2086
	$CTL record "$T/short" 300ms
}

# For a time; a file that can't be had; a caller that is killed; and the daemon. Each when
# the daemon has seen the last one go.
free() {
	# shellcheck disable=SC2086
	$CTL record "$T/free" 10ms
}
eventually 5 free
eventually 5 short
tail -n 1 "$T/short" | grep -Eq '^(2[89]|3[0-9]|[4-9][0-9])[0-9]{4} end$|^[0-9]{7} end$' ||
	fail "not some 300 ms: $(tail -n 1 "$T/short")"
# shellcheck disable=SC2086
$CTL record "$T/nowhere/x" 1s > "$T/out" 2>&1 && fail 'recorded into nowhere'
grep -q "nowhere/x: No such file" "$T/out" || fail "$(cat "$T/out")"
code=0
# shellcheck disable=SC2086
$CTL record "$T/x" soon > "$T/out" 2>&1 || code=$?
equals 'a time that is none' $code 2
full() {
	# shellcheck disable=SC2086
	! $CTL record /dev/full 5s > "$T/out" 2>&1 &&
		grep -q '/dev/full: No space left on device' "$T/out"
}
eventually 5 full
eventually 5 free
fds=$(fds)
eventually 5 free
eventually 5 no_more_fds
# shellcheck disable=SC2086
$CTL record "$T/killed" &
REC=$!
eventually 5 grep -q ' made ' "$T/killed"
kill -KILL $REC
wait $REC 2>/dev/null
# Its place is free, and the daemon has forgotten it.
eventually 5 free
eventually 5 no_more_fds
# Nobody records, and what was recorded has come to rest: it is not woken any more.
quiet() {
	wakeups=$(get wakeups)
	sleep 1
	[ $(($(get wakeups) - wakeups)) -le 3 ]
}
eventually 2 quiet
: > "$T/killed"
eventually 5 free
eventually 5 no_more_fds
# shellcheck disable=SC2086
$CTL record "$T/killed" 2> "$T/out" &
REC=$!
eventually 5 grep -q ' made ' "$T/killed"
stop
code=0
wait $REC || code=$?
equals 'the daemon ended' $code 3
equals 'what there is of it' "$(replay "$T/killed" "$T/same")" 0
