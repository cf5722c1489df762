# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# What a scenario may use. An assertion that does not hold is written down and
# the scenario goes on, so that one run tells all there is to tell; only what
# makes the rest meaningless (abort) ends it.

. /vm/env

CG=/sys/fs/cgroup
[ "$VM_CGROUPS" = hybrid ] && CG=/sys/fs/cgroup/unified
failures=0
daemon_pid=

full() { [ "$VM_TIER" = full ]; }

say() { echo "$*"; }

# result NAME VALUE [UNIT]: a figure. VALUE must be a whole number.
result() {
	case $2 in
	'' | *[!0-9-]*) fail "$VM_SCENARIO.$1 is no number: '$2'" ;;
	*) echo "RESULT $VM_SCENARIO.$1=$2${3:+ $3}" ;;
	esac
}

fail() {
	failures=$((failures + 1))
	echo "FAIL $*"
	echo "$*" >>/run/verdict
}

abort() {
	fail "$*"
	finish
}

# skip REASON: this cannot be shown here; counted, never silent.
skip() {
	echo "$*" >/run/verdict
	exit 77
}

finish() {
	if [ "$failures" -gt 0 ]; then
		daemon_evidence
		exit 1
	fi
	exit 0
}

# reboot_once: ends here and runs the scenario again after a reboot, with what is on the
# disk (root=debian, reboots=yes). rebooted: whether this is that.
reboot_once() {
	[ "$failures" -eq 0 ] || finish
	: >/var/lib/rebooted
	exit 75
}
rebooted() { [ -e /var/lib/rebooted ]; }

# assert_le NAME VALUE BOUND, and its sisters.
assert_le() { [ "$2" -le "$3" ] || fail "$1 is $2, wanted at most $3"; }
assert_ge() { [ "$2" -ge "$3" ] || fail "$1 is $2, wanted at least $3"; }
assert_eq() { [ "$2" = "$3" ] || fail "$1 is $2, wanted $3"; }

# wait_for SECONDS COMMAND...: true as soon as COMMAND is, false at the bound.
wait_for() {
	local until=$(($(now_ms) + $1 * 1000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(now_ms)" -lt "$until" ] || return 1
		sleep 0.2
	done
}

now_ms() {
	local up
	read -r up _ </proc/uptime
	# A leading zero would make it octal.
	echo $((${up%.*} * 1000 + 1${up#*.}0 - 1000))
}

# word KEY TEXT: the value behind KEY= in a line of key=value words.
word() {
	local w
	for w in $2; do
		case $w in
		"$1="*)
			echo "${w#*=}"
			return 0
			;;
		esac
	done
	return 1
}

# meminfo KEY, keyed FILE KEY: one number.
meminfo() { awk -v k="$1:" '$1 == k { print $2 }' /proc/meminfo; }
keyed() { awk -v k="$2" '$1 == k { print $2 }' "$1"; }
percpu_kb() { meminfo Percpu; }
dying() { keyed "${1:-$CG}/cgroup.stat" nr_dying_descendants; }
no_dying() { [ "$(dying "$@")" = 0 ]; }
# How many stay: any cgroup that is removed counts for a moment, the one that the
# daemon makes and removes to have the kernel look again among them.
staying() {
	local n low i
	low=$(dying "$@")
	for i in 1 2 3 4 5; do
		sleep 0.2
		n=$(dying "$@")
		[ "$n" -ge "$low" ] || low=$n
	done
	echo "$low"
}

# empty_pages: unit pages populated and empty, on active and isolated chunks. A test
# kernel without the series tells it for each chunk, with interrupts off meanwhile.
empty_pages() {
	local d=/sys/kernel/mm/percpu stats=/sys/kernel/debug/percpu_stats
	if [ -r $d/empty_pages ]; then
		echo $(($(cat $d/empty_pages) + $(cat $d/isolated_empty_pages)))
	elif [ -r $stats ]; then
		awk '/^Chunk/ { counts = !/Reserved/ }
			$1 == "empty_pop_pages" && counts { n += $NF }
			END { print n + 0 }' $stats
	else
		return 1
	fi
}

# The size of a page, of which a unit page has one for each possible CPU.
percpu_page_kb() { awk '$1 == "KernelPageSize:" { print $2; exit }' /proc/self/smaps; }

has_trim_knob() { [ -e /sys/kernel/mm/percpu/reclaim ]; }

# ---- stresses: several things at once, for a time ----

# touch /run/enough ends all loops.
enough() { [ -e /run/enough ]; }

# loop NAME COMMAND...: again and again until enough; how often goes to a file
loop() {
	local name=$1 n=0
	shift
	until enough; do
		"$@" || {
			echo "$name: round $n failed" >>/run/failed
			break
		}
		n=$((n + 1))
	done
	echo $n >"/run/rounds.$name"
}

# ---- batch free ----

batch=/sys/kernel/mm/batch_free

has_batch_free() { [ -e $batch/enabled ]; }
# BASE=yes: on a kernel without it all the same, to see what the scenario itself does there.
need_batch_free() { has_batch_free || [ "${BASE:-no}" = yes ] || skip "this kernel has no $batch"; }

# batch_on MAX_ACTIVE: for each process that exits, however small, with so many
# workers on each node; batch_off: back to how a kernel boots.
batch_on() {
	has_batch_free || return 0
	if ! echo 0 >$batch/min_rss_mb || ! batch_workers "$1"; then
		abort "batch free can't be switched on"
	fi
}
batch_off() {
	has_batch_free || return 0
	echo 0 >$batch/enabled && echo 64 >$batch/min_rss_mb
}

# The workqueues are there from the first time on that it is switched on.
batch_workers() { echo 1 >$batch/enabled && batch_limit "$1"; } # MAX_ACTIVE
batch_limit() {
	local f
	for f in /sys/devices/virtual/workqueue/batch_free_node*/max_active; do
		echo "$1" >"$f" || return 1
	done
}

# batch_sum FILE: over all nodes
batch_sum() { cat $batch/node*/"$1" | awk '{ n += $1 } END { print n + 0 }'; }

# In the background: something large exits all the time, until enough.
exit_on_and_on() {
	until enough; do
		bigexit 48 >/dev/null || return 1
	done
}

batch_idle() { [ "$(batch_sum pending_pages)" = 0 ] && [ "$(batch_sum workers_running)" = 0 ]; }

# Nobody exits any more: nothing may wait for a worker, and none may run.
batch_settled() {
	has_batch_free || return 0
	wait_for 10 batch_idle ||
		fail "pending_pages $(batch_sum pending_pages), workers_running $(batch_sum workers_running)"
}

# ---- figures ----

# median FILE [KEY]: of the numbers in it, or of those behind KEY= there.
median() {
	awk -v k="${2:+$2=}" '{
		for (i = 1; i <= NF; i++)
			if (index($i, k) == 1) print substr($i, length(k) + 1)
	}' "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# permille PART WHOLE
permille() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", b ? 1000 * a / b : 0 }'; }

memory_on() { echo +memory >"$1/cgroup.subtree_control"; }

# save FILE [NAME]: hand a file to the host, kept beside the result.
save() {
	[ -s "$1" ] || return 0
	echo "FILE ${2:-${1##*/}}"
	base64 "$1"
	echo "ENDFILE"
}

# ---- the daemon ----

need_daemon() {
	[ "${DAEMON:-yes}" = no ] && return 1
	[ -x /usr/sbin/pcpu-reclaimd ] && return 0
	skip "pcpu-reclaimd is not built"
}

# configure TEXT: the only drop-in there is. Empty: the defaults.
configure() {
	mkdir -p /etc/pcpu-reclaimd/conf.d
	rm -f /etc/pcpu-reclaimd/conf.d/*
	[ -z "$1" ] || printf '%s\n' "$1" >/etc/pcpu-reclaimd/conf.d/50-test.conf
}

ctl() { pcpu-reclaimctl "$@"; }

daemon_answers() { ctl status --json >/dev/null 2>&1; }

# As its unit would: own runtime directory, own cgroup below system.slice, Nice=-5.
daemon_spawn() {
	local own="$CG/system.slice/pcpu-reclaimd.service"
	mkdir -p "$own" /run/pcpu-reclaimd /var/lib
	sh -c 'echo 0 >"$1/cgroup.procs" && renice -n -5 -p $$ && exec /usr/sbin/pcpu-reclaimd' \
		daemon "$own" >>/run/daemon.log 2>&1 &
	daemon_pid=$!
}

daemon_start() {
	configure "$1"
	daemon_spawn
	wait_for 30 daemon_answers || abort "the daemon does not answer"
	record_start
}

# RECORD=yes: what happens while a daemon runs is saved as trace.N, for replay.
record_start() {
	[ "${RECORD:-no}" = yes ] || return 0
	recorded=$((${recorded:-0} + 1))
	pcpu-reclaimctl record /run/trace &
	record_pid=$!
}

record_stop() {
	[ -n "${record_pid:-}" ] || return 0
	kill "$record_pid"
	wait "$record_pid" || fail "record: exit status $?"
	record_pid=
	save /run/trace "trace.$recorded"
}

daemon_stop() {
	[ -n "$daemon_pid" ] || return 0
	record_stop
	kill "$daemon_pid" 2>/dev/null
	wait_for 20 daemon_gone || {
		fail "the daemon does not stop on SIGTERM"
		kill -9 "$daemon_pid"
	}
	wait "$daemon_pid" 2>/dev/null
	daemon_pid=
}

daemon_gone() { ! [ -e "/proc/$daemon_pid/status" ] || grep -q '^State:.*Z' "/proc/$daemon_pid/status"; }

daemon_alive() { [ -n "$daemon_pid" ] && ! daemon_gone; }

# What a reader of a failure wants to see.
daemon_evidence() {
	[ -n "$daemon_pid" ] || return 0
	if daemon_alive; then
		ctl status 2>&1 | tail -n 20
	else
		echo "the daemon is gone"
	fi
	tail -n 20 /run/daemon.log
	journal -n 20 -o cat
	journal -o json >/run/journal.json
	save /run/journal.json
}

journal() { timeout 20 journalctl --no-pager -q SYSLOG_IDENTIFIER=pcpu-reclaimd "$@"; }

daemon_fds() { ls "/proc/$daemon_pid/fd" | wc -l; }
daemon_sockets() { ls -l "/proc/$daemon_pid/fd" | awk '/ socket:/ { n++ } END { print n + 0 }'; }
# without the one on the control socket's file
daemon_watches() { echo $(($(cat /proc/"$daemon_pid"/fdinfo/* | grep -c '^inotify ') - 1)); }

# user and system ticks (1/100 s) so far
daemon_ticks() { awk '{ print $14 + $15 }' "/proc/$daemon_pid/stat"; }
daemon_rss_kb() { awk '$1 == "Rss:" { print $2 }' "/proc/$daemon_pid/smaps_rollup"; }
daemon_switches() {
	cat /proc/"$daemon_pid"/task/*/status |
		awk '/ctxt_switches:/ { n += $2 } END { print n }'
}
