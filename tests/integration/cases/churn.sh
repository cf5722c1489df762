# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# 10,000 cgroups come and go. Field report 5: memory and descriptors return to the
# baseline; 8: one lifecycle descriptor whatever happens; 9: watches held are cgroups
# living; 12: bounded tables, a cgroup that is gone already is no error; 6: not a line.
. "$HERE/lib.sh"

fakeroot v2
settings <<END
[Percpu]
Reap=no
END
cgroup a
start
cycle() {
	"$HELP/churn" "$CG/a" cycles "$1" || fail 'churn'
	eventually 20 settled
}
settled() {
	# "a" was made too, and lives.
	[ "$(get watching.cgroups)" = 2 ] && [ "$(get watching.watches)" = 2 ] &&
		[ "$(get totals.created)" -eq $((1 + $(get totals.removed))) ]
}
# A peer that has just left may still be counted for a moment.
same_fds() { [ "$(fds)" -eq "$fds" ]; }
# A first round, so that buffers have their size.
cycle 1000
fds=$(fds)
for _ in 1 2 3 4 5; do
	sleep 0.1
	now=$(fds)
	[ "$now" -ge "$fds" ] || fds=$now
done
rss=$(rss_kb)
lines=$(log_lines)
cycle 10000
eventually 5 same_fds || fail "$(fds) descriptors, $fds at the start"
equals 'lifecycle descriptors' "$(lifecycle_fds)" 1
equals 'lines logged' "$(log_lines)" "$lines"
equals 'malformed' "$(get watching.malformed)" 0
equals 'reaps kept' "$(get reaps)" 1
[ -n "${SANITIZED:-}" ] || at_most 'resident kB' "$(rss_kb)" $((rss + rss / 20 + 64))

# 1,000 at once and their end, three times: what grew is given back.
for round in 1 2 3; do
	"$HELP/churn" "$CG/a" make 1000
	eventually 20 is watching.cgroups 1002
	equals 'watches' "$(get watching.watches)" 1002
	"$HELP/churn" "$CG/a" remove 1000
	eventually 20 settled
	[ "$round" -ne 1 ] || rss=$(rss_kb)
done
eventually 5 same_fds || fail "$(fds) descriptors, $fds at the start"
[ -n "${SANITIZED:-}" ] || at_most 'resident kB' "$(rss_kb)" $((rss + rss / 20 + 64))
equals 'lines logged' "$(log_lines)" "$lines"
stop
