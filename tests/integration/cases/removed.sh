# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Field report 3: 1,000 watched cgroups are removed, among them what a policy names and
# what was being looked at: at most one line, and no further reads of them. Field
# report 6: a steady state writes nothing; report 1: and costs nothing.
. "$HERE/lib.sh"

fakeroot v2
settings <<END
[Pressure]
Pressure=no
[Policy pods]
Match=/pods/**
ReapAbove=20
END
cgroup pods
i=0
while [ $i -lt 50 ]; do
	cgroup "pods/full$i" 10 1000
	i=$((i + 1))
done
"$HELP/churn" "$CG/pods" make 950 || fail 'churn'
start
equals cgroups "$(get watching.cgroups)" 1002
lines=$(log_lines)
rm -r "$CG"/pods/full*
"$HELP/churn" "$CG/pods" remove 950
eventually 20 is watching.cgroups 2
# What was due a second after the removals has been looked at.
sleep 2
at_most 'lines about 1,000 removals' $(($(log_lines) - lines)) 1
equals 'failures' "$(get totals.failed)" 0

switches() {
	cat "/proc/$PID/task/"*/status | awk '/ctxt_switches/ {n += $2} END {print n}'
}
lines=$(log_lines)
before=$(switches)
wakeups=$(get wakeups)
sleep 5
# Nobody asked, nothing happened. The question itself costs some turns.
at_most 'turns of the loop in 5 idle seconds' $(($(get wakeups) - wakeups)) 4
at_most 'context switches in 5 idle seconds' $(($(switches) - before)) 20
equals 'lines logged' "$(log_lines)" "$lines"
stop
