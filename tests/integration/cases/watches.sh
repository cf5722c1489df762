# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Field report 7: inotify's limits. The kernel's ENOSPC reads like a full disk; what is
# said names the sysctl, and the tree is walked from then on. A limit that is raised
# is taken up by a reload.
. "$HERE/lib.sh"

need_root 'limits of a user namespace'
unshare -Ur true 2>/dev/null || skip 'no user namespaces here'
fakeroot v2
settings <<END
[Daemon]
WalkPeriod=1s
END
cgroup a
"$HELP/churn" "$CG/a" make 100 || fail 'churn'
: > "$LOG"
limited() { # a daemon below that limit
	# shellcheck disable=SC2016 # the inner shell's
	unshare -Ur sh -c 'echo "$1" > /proc/sys/user/max_inotify_watches && shift && exec "$@"' \
		sh "$1" "$DAEMON" --root "$ROOT" < /dev/null >> "$LOG" 2>&1 &
	# shellcheck disable=SC2034 # lib.sh ends it
	PID=$!
	eventually 10 answers
}
limited 50
said 'fs.inotify.max_user_watches'
unsaid 'No space left'
equals source "$(get watching.source)" walk
equals cgroups "$(get watching.cgroups)" 102
equals 'lifecycle descriptors' "$(lifecycle_fds)" 0
ask Doctor | grep -q 'max_user_watches' || fail 'doctor does not name the sysctl'
mkdir "$CG/a/later"
eventually 10 is watching.cgroups 103
rmdir "$CG/a/later"
eventually 10 is watching.cgroups 102
equals 'times it was said' "$(grep -c max_user_watches "$LOG")" 1
stop

# The limit met by what comes after the start.
: > "$LOG"
limited 150
equals source "$(get watching.source)" inotify
"$HELP/churn" "$CG/a" make 100 later || fail 'churn'
eventually 10 is watching.cgroups 202
equals source "$(get watching.source)" walk
equals 'lifecycle descriptors' "$(lifecycle_fds)" 0
said 'fs.inotify.max_user_watches'
stop
