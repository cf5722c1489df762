# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=500 disk=512M daemon=yes
# vm-full: timeout=1800
#
# kill -9 at random moments: while it starts, watches, reaps. The next start
# takes the tracefs instance over or removes it, finds no half-written file in
# its runtime directory, and answers.

need_daemon
full && : "${N:=200}"
: "${N:=30}"
parent=$CG/jobs
instances=/sys/kernel/tracing/instances

mkdir -p "$parent" /disk/jobs
memory_on "$CG" && memory_on "$parent"
[ -e $instances ] && find $instances -mindepth 1 -maxdepth 1 >/run/instances

# Whole numbers below 1000, good enough to be moments.
random() { echo $(($(head -c 2 /dev/urandom | od -An -tu2) % 1000)); }

configure "[Percpu]
ReapAbove=1
Cooldown=0
EmptyPagesHigh=6"
answered=0
for i in $(seq "$N"); do
	daemon_spawn
	# Every third gets work, so that kills fall into reaps as well.
	[ $((i % 3)) = 0 ] && {
		storm dying-create "$parent" /disk/jobs 10 >/dev/null
		storm dying-remove "$parent" 10 >/dev/null
	}
	sleep "0.$(printf %03d "$(random)")"
	daemon_alive || fail "start $i ended by itself"
	daemon_answers && answered=$((answered + 1))
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	for f in /run/pcpu-reclaimd/*; do
		[ -f "$f" ] || continue
		case ${f##*/} in
		*.tmp | *.new | .*) continue ;; # not in place: not half-written
		esac
		# whole lines, each ended
		[ ! -s "$f" ] || [ "$(tail -c 1 "$f" | od -An -tx1)" = ' 0a' ] ||
			fail "$f ends in the middle of a line"
	done
done
say "$N kills, $answered of them after it had answered"
result kills "$N"
result answered "$answered"

daemon_spawn
wait_for 30 daemon_answers || abort "no answer after $N kills: $(tail -n 5 /run/daemon.log)"
result errors_at_start "$(journal -p err -o cat | sort -u | wc -l)"
daemon_stop
if [ -e $instances ]; then
	left=$(find $instances -mindepth 1 -maxdepth 1 | grep -vcxFf /run/instances)
	result instances_left "$left"
	assert_le instances_left "$left" 0
fi
if [ -e /sys/kernel/mm/percpu/empty_pages_high ]; then
	result float_high_end "$(cat /sys/kernel/mm/percpu/empty_pages_high)" pages
	assert_eq float_high_end "$(cat /sys/kernel/mm/percpu/empty_pages_high)" 4
fi
stale=$(find /run/pcpu-reclaimd -name '*.tmp' | wc -l)
assert_le "temporary files left" "$stale" 0
