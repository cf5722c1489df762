# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# From removed cgroups to knob writes to a line in the journal, with a helper in the
# place of the kernel. Field report 29: what is logged is what happened; 30: explain
# says why; 6: one line an action, none for intents.
. "$HERE/lib.sh"

fakeroot v2 percpu
settings <<END
[Percpu]
Trim=no
[Policy ci]
Match=/ci
ReapAbove=20
Cooldown=0
[Policy hands-off]
Match=/db
Reap=no
END
cgroup ci 0 5000000
cgroup db
for i in 1 2 3 4 5; do
	mkdir "$CG/ci/job$i" "$CG/db/job$i"
done
start
equals cgroups "$(get watching.cgroups)" 13
helper "$HELP/kernel" "$ROOT" '' ci db > "$T/writes"
before=$(log_lines)

# Five removals are told; how many are dying is read.
set_dying ci 50
set_dying db 3
set_dying '' 53
rmdir "$CG"/ci/job? "$CG"/db/job?
eventually 10 grep -qF 'reap /ci: 50 of 50 removed cgroups gone' "$LOG"
said '(policy ci)'
grep -q '^ci [1-9]' "$T/writes" || fail 'nothing was asked of ci'
grep -q '^db' "$T/writes" && fail 'a policy with Reap=no was reaped'
grep -q '^ [0-9]' "$T/writes" && fail 'the root was asked for what stands below ci'
equals 'lines an action' $(($(log_lines) - before)) 1

eventually 10 is dying 3
equals 'cgroups given back' "$(get totals.reap_cgroups)" 50
equals 'actions' "$(get totals.actions)" 1
equals 'failures' "$(get totals.failed)" 0
ask GetHistory > "$T/history"
grep -q '"outcome":"done"' "$T/history" || fail "$(cat "$T/history")"

# Why not: by the policy's name and place, and by the rule that holds it.
ask Explain '{"target": "/db"}' > "$T/explain" || fail "$(cat "$T/explain")"
grep -q '"policy":"hands-off"' "$T/explain" || fail "$(cat "$T/explain")"
grep -q '10-test.conf:9' "$T/explain" || fail "$(cat "$T/explain")"
grep -q '"reason":"off"' "$T/explain" || fail "$(cat "$T/explain")"

# Asked for by hand, whatever the policy says.
ask Reap '{"cgroup": "/db"}' > "$T/answer" || fail "$(cat "$T/answer")"
eventually 10 grep -qF 'reap /db: 3 of 3 removed cgroups gone' "$LOG"
eventually 10 is dying 0
stop
