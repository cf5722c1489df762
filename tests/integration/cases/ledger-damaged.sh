# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A ledger somebody edited: whole lines count, the rest is left out and counted; a
# value of a path outside of the kernel's files is never written.
. "$HERE/lib.sh"

fakeroot v2 percpu
settings <<END
[Percpu]
EmptyPagesHigh=8
END
mkdir -p "$RUN"
{
	printf '/sys/kernel/mm/percpu/empty_pages_high\t5\t4\t1700000000\tEmptyPagesHigh=4\n'
	printf '/sys/kernel/mm/percpu/empty_pages_low\t2\n'
	printf 'no tabs at all\n'
	printf '/sys/kernel/mm/percpu/reclaim\tx\ty\tz\t\n'
	printf '/sys/kernel/mm/percpu/nr_units\t2\t3\t1700000000\tcut'
} > "$RUN/ledger"
start
said "$RUN/ledger: 3 damaged lines left out"
# 4 was a predecessor's, who found 5.
equals 'found' "$(get empty_pages_high.found)" 5
stop
equals 'after SIGTERM' "$(cat "$KNOBS/empty_pages_high")" 5
equals 'a knob that had another value' "$(cat "$KNOBS/nr_units")" 2

# What can't be a ledger at all does not stop a start for good: it is said.
rm "$RUN/ledger"
mkdir "$RUN/ledger"
: > "$LOG"
refused
equals 'exit status' "$STATUS" 73
said "$RUN can't be used: Is a directory"
