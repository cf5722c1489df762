# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=500 daemon=yes
# vm-full: timeout=1800
#
# Does the daemon see every cgroup come and go? For each source this kernel has:
# a churn of nested chains whose names are used again and again, one in ten
# surviving. One second after the last (source walk: one period) the daemon's
# tree is the tree; watches and fds are no more than before. Then the daemon is
# stopped (SIGSTOP) under a churn that overflows the source's queue: that is
# seen, counted, and healed.
#
# SOURCES=tracefs,inotify picks.

need_daemon
full && : "${N:=20000}"
: "${N:=4000}"
parent=$CG/churn
period=2

watching() { ctl status --json | jget "watching.$1" 2>/dev/null || echo 0; }

missed() {
	ctl cgroups --json --all >/run/cgroups.json
	jget -0 'cgroups[].cgroup' </run/cgroups.json | treecmp "$CG" >/run/treecmp
	local line
	line=$(cat /run/treecmp)
	say "$line" >&2
	echo $(($(word missing "$line") + $(word extra "$line")))
}

usable() { # SOURCE: taken when asked for, or the kernel has no such thing
	daemon_start "[Daemon]
Lifecycle=$1
WalkPeriod=${period}s"
	[ "$(watching source)" = "$1" ]
}

one() { # SOURCE
	local source=$1 fds sockets watches events live overflows resyncs
	mkdir -p "$parent"
	# Asked before counting: what is opened once for good is open then.
	missed >/dev/null
	ls -l "/proc/$daemon_pid/fd" >/run/fds.before
	fds=$(daemon_fds)
	sockets=$(daemon_sockets)
	events=$(watching events)
	done=$(storm churn "$parent" "$N" 1) || abort "storm: $done"
	say "$source: $done"
	sleep 1
	[ "$source" = walk ] && sleep $period
	result "$source.events" $(($(watching events) - events))
	m=$(missed)
	result "$source.missed_after_1s" "$m"
	assert_le "$source.missed_after_1s" "$m" 0

	# What is left held once the survivors are gone too.
	storm clear "$parent" >/dev/null
	sleep 1
	[ "$source" = walk ] && sleep $period
	m=$(missed)
	assert_le "$source.missed after the survivors went" "$m" 0
	live=$(($(storm count "$CG") + 1))
	watches=$(daemon_watches)
	leaked=$(($(daemon_fds) - fds))
	# The connection to the journal is made with the first line written to it.
	sockets=$(($(daemon_sockets) - sockets))
	[ $sockets -eq 1 ] && leaked=$((leaked - 1))
	[ "$source" = inotify ] && leaked=$((leaked + watches - live))
	if [ $leaked -gt 0 ]; then
		ls -l "/proc/$daemon_pid/fd" | diff /run/fds.before - | grep '^[+-]l'
	fi
	[ $leaked -lt 0 ] && leaked=0
	result "$source.leaked" $leaked
	assert_le "$source.leaked" $leaked 0

	# Overflow: more than any queue holds while nobody reads.
	if [ "$source" != walk ]; then
		overflows=$(watching overflows)
		resyncs=$(watching resyncs)
		kill -STOP "$daemon_pid"
		done=$(storm churn "$parent" "$burst" 2) || abort "storm: $done"
		kill -CONT "$daemon_pid"
		wait_for 30 daemon_answers
		sleep 3
		say "$source, stopped: $done; overflows $overflows -> $(watching overflows)"
		result "$source.overflows" $(($(watching overflows) - overflows))
		result "$source.resyncs" $(($(watching resyncs) - resyncs))
		assert_ge "$source.overflows" $(($(watching overflows) - overflows)) 1
		m=$(missed)
		result "$source.missed_after_overflow" "$m"
		assert_le "$source.missed_after_overflow" "$m" 0
		storm clear "$parent" >/dev/null
	fi
	rmdir "$parent"
}

# A short queue, so that overflowing it does not take a storm of its own.
echo 1024 >/proc/sys/fs/inotify/max_queued_events
[ -e /proc/sys/fs/fanotify/max_queued_events ] &&
	echo 1024 >/proc/sys/fs/fanotify/max_queued_events
burst=8000
full && burst=20000

shown=0
for source in $(echo "${SOURCES:-tracefs,fanotify,inotify,walk}" | tr , ' '); do
	if usable "$source"; then
		one "$source"
		shown=$((shown + 1))
	else
		say "$source: this kernel has none (in use: $(watching source))"
		result "$source.absent" 1
	fi
	daemon_stop
done
assert_ge "sources shown" $shown 1
[ -d /sys/kernel/tracing/instances/pcpu-reclaimd ] &&
	fail "the tracefs instance was left behind"
