# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A knob that takes its time: reclaim works in the writer's context, for seconds. The
# loop goes on answering and watching meanwhile, and SIGTERM does not wait for it. The
# knob is a FIFO here, whose opening blocks until somebody reads.
. "$HERE/lib.sh"

fakeroot v2
settings <<END
[Percpu]
ReapAbove=20
[Pressure]
Pressure=no
END
cgroup ci 0 5000000
mkdir "$CG/ci/job"
rm "$CG/ci/memory.reclaim"
mkfifo "$CG/ci/memory.reclaim"
start
set_dying ci 50
set_dying '' 50
rmdir "$CG/ci/job"
under_way() {
	ask Explain '{"target": "/ci"}' | grep -q '"under_way":true'
}
eventually 10 under_way
# Two seconds of it: questions are answered, cgroups are seen, nothing is asked twice.
i=0
while [ $i -lt 10 ]; do
	mkdir "$CG/other$i"
	answers > /dev/null || fail 'nobody is answered during a reap'
	sleep 0.2
	i=$((i + 1))
done
eventually 5 is watching.cgroups 12
under_way || fail 'the reap ended though nobody took the write'
ask Reap '{"cgroup": "/ci"}' > "$T/answer" && fail 'a second reap beside the first'
grep -q AlreadyRunning "$T/answer" || fail "$(cat "$T/answer")"
# The loop itself was never held up for as long as the knob was; the bar of 20 ms is
# for a machine that has nothing else to do (make bench, tests/vm).
at_most 'longest turn of the loop in usec' "$(get loop_lag_max_usec)" 500000

# The write goes through at last.
head -c 6 "$CG/ci/memory.reclaim" > "$T/written" &
HELPERS="$HELPERS $!"
set_dying ci 0
set_dying '' 0
eventually 10 grep -qF 'reap /ci: 50 of 50 removed cgroups gone' "$LOG"

# And once more, with an end in the middle of it.
mkdir "$CG/ci/job"
eventually 5 is watching.cgroups 13
set_dying ci 50
set_dying '' 50
sleep 1
rmdir "$CG/ci/job"
eventually 30 under_way
before=$(date +%s)
stop
at_most 'seconds to end in the middle of a reap' $(($(date +%s) - before)) 3
