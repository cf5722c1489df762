# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Bad company at the socket, all of it at once, and an honest caller is answered all
# the same; when it is gone, nothing is left of it. Field report 34 for the wrong uid.
. "$HERE/lib.sh"

fakeroot v2
settings <<END
[Daemon]
SocketGroup=12345
END
cgroup a
start
"$HELP/churn" "$CG/a" make 200 || fail 'churn'
eventually 10 is watching.cgroups 202
bad() { # MODE N
	"$HELP/hostile" "$1" "$SOCK" "$2" > "$T/$1.said" 2>&1 &
	company="$company $!"
	eventually 30 grep -q ready "$T/$1.said"
	eventually 10 answers
}
gone() {
	for p in $company; do
		kill -KILL "$p" 2>/dev/null
		wait "$p" 2>/dev/null
	done
	company=''
	eventually 10 few_fds
}
few_fds() {
	[ "$(fds)" -le "$start_fds" ]
}
company=''
all() {
	bad silent 100
	bad noread 100
	bad watch 20
	bad big 20
	bad garbage 100
	bad half 100
	bad drip 20
}
start_fds=$(fds)
rss=$(rss_kb)
all
at_most 'descriptors with all of them' "$(fds)" $((start_fds + 64))
ask Reload > /dev/null || fail 'no reload beside them'
gone
lines=$(log_lines)
all
gone
few_fds || fail "$(fds) descriptors, $start_fds at the start"
# A tenth for what grows once, however many come.
[ -n "${SANITIZED:-}" ] || at_most 'resident kB' "$(rss_kb)" $((rss + rss / 10))
at_most 'lines about bad company' $(($(log_lines) - lines)) 1

# Those who are let in by nobody: another uid, on a socket left open by mistake.
if [ "$(id -u)" -eq 0 ]; then
	chmod 666 "$SOCK"
	i=0
	while [ $i -lt 50 ]; do
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$HELP/ask" "$SOCK" GetStatus > "$T/answer" 2>&1 && fail 'a stranger was answered'
		i=$((i + 1))
	done
	grep -q NotPermitted "$T/answer" || fail "$(cat "$T/answer")"
	eventually 5 few_fds
	answers > /dev/null || fail 'nobody is answered after the strangers'
fi
stop
