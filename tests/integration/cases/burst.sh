# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Field report 11: a parent and its children made in one burst, before anybody could
# watch the parent, are all seen. Field report 14: what came of it does not depend on
# the order in which it was seen.
. "$HERE/lib.sh"

fakeroot v2
cgroup a
cgroup a/before/start
start
equals 'made before the start' "$(get watching.cgroups)" 4
"$HELP/churn" "$CG/a" nested 1000 || fail 'churn'
eventually 30 is watching.cgroups 3004
equals 'watches' "$(get watching.watches)" 3004
equals 'resyncs' "$(get watching.resyncs)" 0
ask Explain '{"target": "/a/n999/s/t"}' > "$T/explain" || fail "$(cat "$T/explain")"

# The daemon stands still, the queue of the kernel overflows, all is well again.
limit=$(cat /proc/sys/fs/inotify/max_queued_events 2>/dev/null || echo 16384)
[ "$limit" -le 100000 ] || skip 'the event queue of this host is too long to overflow'
kill -STOP "$PID"
"$HELP/churn" "$CG/a" make "$limit" q
"$HELP/churn" "$CG/a" remove $((limit / 2)) q
kill -CONT "$PID"
eventually 60 is watching.cgroups $((3004 + limit - limit / 2))
at_least 'overflows' "$(get watching.overflows)" 1
at_least_once() {
	[ "$(get watching.resyncs)" -ge 1 ]
}
eventually 20 at_least_once
equals 'watches' "$(get watching.watches)" $((3004 + limit - limit / 2))
stop
