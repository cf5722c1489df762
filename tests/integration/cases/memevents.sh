# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A cgroup that a policy matches runs into its own memory.high while the machine has
# plenty: what is dying there goes at once, far below ReapAbove= and before ReapAfter=.
# One without a policy may be throttled as it likes. Field report 9: watches held are
# cgroups living; 7: a limit of inotify is named.
. "$HERE/lib.sh"

events() { # CGROUP LOW HIGH: in one write, as the daemon may be reading it
	printf 'low %02d\nhigh %02d\nmax 0\noom 0\noom_kill 0\n' "$2" "$3" 1<> "$CG/$1/memory.events"
}
# Watches of all inotify instances: with Lifecycle=walk those of memory.events alone.
# Without the one on the control socket's file.
watches() {
	echo $(($(cat "/proc/$PID/fdinfo/"* 2>/dev/null | grep -c '^inotify wd:') - 1))
}
watched() { # N
	[ "$(watches)" -eq "$1" ]
}
policy() { # GLOBS
	settings <<-END
		[Percpu]
		Trim=no
		ReapAfter=1h
		[Policy ci]
		Match=$1
		ReapAbove=20
		Cooldown=0
		[Daemon]
		Lifecycle=walk
		WalkPeriod=1s
	END
}

fakeroot v2
policy '/ci /ci/**'
cgroup ci 0 5000000
cgroup other 0 5000000
events ci 0 7
events other 0 7
mkdir "$CG/ci/job" "$CG/other/job"
start
eventually 5 watched 1
# ci/job has no such file: its parent has no memory controller to hand on.
ask Doctor > "$T/doctor"
grep -q '"memory.events","text":"1 policy cgroups watched, 1 left out: the memory controller' \
	"$T/doctor" || fail "$(cat "$T/doctor")"
helper "$HELP/kernel" "$ROOT" '' ci other > "$T/writes"

set_dying ci 5
set_dying other 5
set_dying '' 10
rmdir "$CG/ci/job" "$CG/other/job"
eventually 10 is dying 10
eventually 5 is reaps 2
events other 0 8
events ci 1 7
sleep 1.5
[ ! -s "$T/writes" ] || fail "reclaimed without pressure: $(cat "$T/writes")"
ask Doctor > "$T/doctor"
grep -q '"memory.events","text":"1 policy cgroups watched"' "$T/doctor" || fail "$(cat "$T/doctor")"

events ci 1 8
eventually 5 grep -qF 'reap /ci: 5 of 5 removed cgroups gone' "$LOG"
ask GetHistory > "$T/history"
grep -q '"reason":"memory-pressure"' "$T/history" || fail "$(cat "$T/history")"
sleep 1
grep -q '^other' "$T/writes" && fail 'a cgroup without a policy was reaped'
equals actions "$(get totals.actions)" 1

# They come and go, and so do the watches; without any, the instance goes as well.
mkdir -p "$T/new"
for i in 1 2 3; do
	mkdir "$T/new/job$i"
	echo 'high 0' > "$T/new/job$i/memory.events"
	mv "$T/new/job$i" "$CG/ci/"
done
eventually 5 watched 4
rm -r "$CG"/ci/job?
eventually 5 watched 1
policy /nobody
ask Reload > /dev/null || fail 'the reload failed'
equals 'inotify instances' "$(lifecycle_fds)" 0
policy '/other'
ask Reload > /dev/null || fail 'the reload failed'
equals 'watches' "$(watches)" 1

# Nothing happens: nobody wakes.
settings <<END
[Daemon]
Lifecycle=inotify
[Policy other]
Match=/other
END
ask Reload > /dev/null || fail 'the reload failed'
sleep 2
wakeups=$(get wakeups)
sleep 3
at_most 'turns of the loop in 3 idle seconds' $(($(get wakeups) - wakeups)) 4
stop

# The limit of inotify is met: said once, by its name.
unshare -Ur true 2>/dev/null || skip 'no user namespaces here'
need_root 'limits of a user namespace'
policy '/ci /other'
: > "$LOG"
# shellcheck disable=SC2016 # the inner shell's
unshare -Ur sh -c 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$@"' \
	sh "$DAEMON" --root "$ROOT" < /dev/null >> "$LOG" 2>&1 &
# shellcheck disable=SC2034 # lib.sh ends it
PID=$!
eventually 10 answers
said 'fs.inotify.max_user_watches'
unsaid 'No space left'
ask Doctor > "$T/doctor"
grep -q '1 policy cgroups watched, 1 left out: .*fs.inotify.max_user_watches' "$T/doctor" ||
	fail "$(cat "$T/doctor")"
stop
equals 'times it was said' "$(grep -c 'memory.events.*max_user_watches' "$LOG")" 1
