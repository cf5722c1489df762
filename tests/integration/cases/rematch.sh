# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Thousands of globs for thousands of cgroups: a reload holds them against each other in
# slices, answers meanwhile, and decides nothing before a cgroup has its policy: here the
# last one says Reap=no for what is dying all along.
. "$HERE/lib.sh"

policies() { # LAST
	seq 1 1000 | sed 's|.*|[Policy p&]\nMatch=**/x&* **/y&*.scope **/*.z& /w&/**|'
	printf '[Policy last]\nMatch=/a /a/**\nReap=%s\n' "$1"
}
fakeroot v2
policies no > "$T/no"
policies yes > "$T/yes"
printf '[Percpu]\nReap=no\n' | settings
cgroup a 0 5000000
"$HELP/churn" "$CG/a" make 3000 || fail 'churn'
start
helper "$HELP/kernel" "$ROOT" '' a > "$T/writes"
set_dying a 500
set_dying '' 500
mkdir "$CG/a/job" && rmdir "$CG/a/job"
eventually 10 is dying 500

for _ in 1 2 3; do
	settings < "$T/no"
	ask Reload > /dev/null || fail 'the reload failed'
	mkdir "$CG/a/later" && rmdir "$CG/a/later"
	answers > /dev/null || fail 'no answer while matching'
done
matched() {
	"$HELP/ask" -m "$SOCK" ListPolicies | grep -q '"name":"last".*"cgroups":3001\|"cgroups":3001.*"name":"last"'
}
eventually 20 matched
sleep 1
[ ! -s "$T/writes" ] || fail "reaped below a cgroup with Reap=no: $(cat "$T/writes")"

settings < "$T/yes"
ask Reload > /dev/null || fail 'the reload failed'
eventually 20 grep -qF 'reap /a: 500 of 500 removed cgroups gone' "$LOG"
stop
