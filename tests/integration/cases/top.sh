# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# top in a terminal of its own: what it shows, its keys, other sizes, a daemon that goes
# and comes back, and a terminal that is as it was, whatever the end.
. "$HERE/lib.sh"

CTL=$OUT/pcpu-reclaimctl
export TERM=xterm
unset NO_COLOR
sits() { # COLUMNSxROWS, script on stdin
	"$HELP/terminal" "$1" "$CTL" --socket "$SOCK" top > "$T/screen" 2>&1 || fail "$(cat "$T/screen")"
}

fakeroot v2 percpu psi
settings <<END
[Policy ci]
Match=/ci/**
Reap=no
END
cgroup ci 30 5000000
cgroup ci/job
cgroup zoo

# What is wrong from the start is said as by every command.
: > "$LOG"
code=0
"$CTL" --socket "$SOCK" top < /dev/null > "$T/out" 2>&1 || code=$?
equals 'status without a terminal' $code 2
equals 'what it says then' "$(cat "$T/out")" \
	'top needs a terminal. Without one: pcpu-reclaimctl status, cgroups, history or metrics.'
echo 'ends 3' | sits 80x24
TERM=dumb sits 80x24 <<END
ends 2
END

start
sits 80x24 <<END
wait pcpu-reclaimd
wait Now
wait CGROUP
wait /ci/job
foot q quit  s by pinned  space pause  + - every 2 s  ? keys
keys s
wait s by dying
keys s
wait s by name
keys +
wait every 5 s
keys --
wait every 1 s
keys ?
wait longer, shorter interval
gone CGROUP
keys ?
wait CGROUP
keys ^[[A
keys x
size 40x10
wait CGROUP
foot q quit  ? keys  by name
size 200x60
wait PRESSURE
wait LAST ACTION
size 20x1
foot q quit  ? keys  by
size 80x24
wait POLICY
gone LAST ACTION
wait /zoo
keys q
ends 0
END

# Paused it asks nothing.
mkfifo "$T/script"
"$HELP/terminal" 80x24 "$CTL" --socket "$SOCK" top < "$T/script" > "$T/screen" 2>&1 &
top=$!
HELPERS="$HELPERS $top"
exec 3> "$T/script"
printf 'wait CGROUP\nkeys -\nkeys  \nwait ? keys  paused\n' >&3
sleep 2
before=$(get wakeups)
sleep 3
at_most 'turns of the loop while paused' $(($(get wakeups) - before)) 8
printf 'keys  \ngone paused\nkeys q\nends 0\n' >&3
exec 3>&-
wait $top || fail "$(cat "$T/screen")"
rm "$T/script"

# A live figure; the daemon gone and back; and one that hangs.
cat > "$T/script" <<END
wait dying
keys -
wait every 1 s
wait is not running; figures of
wait asks again
foot pcpu-reclaimd is not running
foot q quit
wait does not answer
foot q quit
keys q
ends 0
END
"$HELP/terminal" 80x24 "$CTL" --socket "$SOCK" top < "$T/script" > "$T/screen" 2>&1 &
top=$!
HELPERS="$HELPERS $top"
sleep 2
stop
sleep 2
start
sleep 3
kill -STOP "$PID"
sleep 4
kill -CONT "$PID"
code=0
wait $top || code=$?
equals "top over a restart: $(cat "$T/screen")" $code 0

# The terminal is as it was: stopped and continued, interrupted, ended, hung up.
for signal in 1 2 3 15; do
	sits 80x24 <<-END
	wait CGROUP
	signal $signal
	ends $((128 + signal))
	END
done
sits 80x24 <<END
wait CGROUP
keys ^C
ends 130
END
sits 80x24 <<END
wait CGROUP
keys ^Z
stops
signal 18
wait CGROUP
keys q
ends 0
END

stop
