# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Help for exits, on a machine of files: settings under the ledger, the limit found by
# looking, another program's value, cgroups that are left alone; all of it put back,
# after a kill too. Field report 21, 24 (one file missing), 25, 26.
. "$HERE/lib.sh"

B=$ROOT/sys/kernel/mm/batch_free
Q=$ROOT/sys/devices/virtual/workqueue/batch_free_node
number() { # FILE VALUE
	[ "$(cat "$1")" = "$2" ]
}
# As many digits as were there before: files of a disk keep what is behind a write.
file() { # FILE TEXT
	mkdir -p "${1%/*}"
	printf '%s\n' "$2" > "$1"
}
add_node() { # N CPUMAP
	for f in exits exit_pages exit_usec worker_usec offloaded_pages inline_pages helped_pages \
		local_pages pending_pages workers_running; do
		file "$T/stage/node$1/$f" 0
	done
	file "${Q}$1/max_active" 2
	file "${Q}$1/nice" 0
	file "${Q}$1/cpumask" "$2"
	file "$ROOT/sys/devices/system/node/node$1/cpumap" "$2"
	mv "$T/stage/node$1" "$B/node$1"
}
machine() {
	rm -rf "$ROOT"
	fakeroot v2 percpu psi
	file "$B/enabled" 0
	file "$B/min_rss_mb" 64
	file "$B/max_pending_mb" 64
	file "$B/exits" 0
	add_node 0 f
	add_node 1 f0
	file "$ROOT/proc/pressure/cpu" 'some avg10=5.00 avg60=0.00 avg300=0.00 total=0'
}
off() { # CGROUP VALUE
	put "$CG/$1/memory.batch_free" "$2"
}
# Fixed numbers for all there is, and cgroups that are left alone.
every_key() { # MATCH
	settings <<END
[BatchFree]
Enabled=yes
MinRSS=99M
MaxPending=32M
MaxActive=4
WorkerNice=5
WorkerCPUs=0-1,5
[BatchFree node1]
MaxActive=3
[Policy db]
Match=$1
BatchFree=no
END
}
# One exit of a million pages of node 0, and the kernel tells of it, in place as sysfs would.
exits=0
an_exit() { # USEC
	exits=$((exits + 1))
	put "$B/node0/exit_pages" $((exits * 1000000))
	put "$B/node0/exit_usec" $(($(cat "$B/node0/exit_usec") + $1))
	put "$B/node0/worker_usec" $(($(cat "$B/node0/exit_usec") * 2))
	printf '%s\n' "$exits" 1<> "$B/exits"
}
explain() { # TARGET FILE
	ask Explain "{\"target\":\"$1\"}" > "$2"
}

# --- off until asked for: nothing is written, nothing watched ---

machine
settings < /dev/null
start
equals 'enabled' "$(get batch_free.enabled)" false
equals 'available' "$(get batch_free.available)" true
stop
number "$B/enabled" 0 || fail 'switched on by itself'
unsaid 'batch_free'

# --- fixed numbers, workers, a cgroup that is left alone ---

machine
mkdir "$CG/db" "$CG/web" "$CG/late"
off db 1
off web 1
every_key '/db /db/** /late'
everything() {
	number "$B/enabled" 1 && number "$B/min_rss_mb" 99 && number "$B/max_pending_mb" 32 &&
		number "${Q}0/max_active" 4 && number "${Q}1/max_active" 3 &&
		number "${Q}0/nice" 5 && number "${Q}1/nice" 5 &&
		number "${Q}0/cpumask" 3 && number "${Q}1/cpumask" 20 &&
		number "$CG/db/memory.batch_free" 0
}
nothing() {
	number "$B/enabled" 0 && number "$B/min_rss_mb" 64 && number "$B/max_pending_mb" 64 &&
		number "${Q}0/max_active" 2 && number "${Q}1/max_active" 2 &&
		number "${Q}0/nice" 0 && number "${Q}1/nice" 0 &&
		number "${Q}0/cpumask" f && number "${Q}1/cpumask" f0 &&
		number "$CG/db/memory.batch_free" 1
}
# A write to a file of a disk leaves what is behind it: two digits over two are fine.
file "${Q}0/cpumask" f
: > "$LOG"
start
eventually 5 everything
number "$CG/web/memory.batch_free" 1 || fail 'one without a policy was switched off'
equals 'cgroups off' "$(get batch_free.cgroups_off)" 1
said "set /sys/devices/virtual/workqueue/batch_free_node1/max_active: 3 instead of 2"
explain node1 "$T/node1"
grep -q '"kind":"node"' "$T/node1" || fail "$(cat "$T/node1")"
grep -q '"key":"MaxActive","value":"3","where":"[^"]*10-test.conf:9"' "$T/node1" ||
	fail "$(cat "$T/node1")"
# A cgroup that comes later; and one in it.
mkdir -p "$T/stage/new/below"
echo 1 > "$T/stage/new/memory.batch_free"
mv "$T/stage/new" "$CG/db/new"
eventually 5 number "$CG/db/new/memory.batch_free" 0
eventually 5 is batch_free.cgroups_off 2

# One that gets its memory controller late: looked at again when something exits.
ask Doctor > "$T/doctor"
grep -q '2 cgroups should be left alone and have no memory.batch_free' "$T/doctor" ||
	fail "$(cat "$T/doctor")"
off late 1
an_exit 1000000
eventually 5 number "$CG/late/memory.batch_free" 0
rm -r "$CG/late"
eventually 5 is batch_free.cgroups_off 2

# Killed: the next one knows, and puts it all back at its end.
kill -KILL "$PID"
await_end 5
everything || fail 'something was put back by a kill'
start
eventually 5 is batch_free.cgroups_off 2
stop
eventually 1 nothing
number "$CG/db/new/memory.batch_free" 1 || fail 'a later cgroup stays off'
# shellcheck disable=SC2012 # names of ours
equals 'what is left in the runtime directory' "$(ls "$RUN" | tr '\n' ' ')" 'ledger lock '

# Killed, and the settings no longer want it: put back by the next start.
rm -rf "$CG/db/new"
start
eventually 5 everything
kill -KILL "$PID"
await_end 5
settings < /dev/null
start
eventually 5 nothing
stop

# Dropped by a reload.
every_key /db
start
eventually 5 everything
settings < /dev/null
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 nothing
stop

# --- another program ---

settings <<END
[BatchFree]
Enabled=yes
MinRSS=99M
MaxActive=4
WorkerNice=5
[Policy db]
Match=/db
BatchFree=no
END
start
eventually 5 number "${Q}0/max_active" 4
eventually 5 number "${Q}0/nice" 5
eventually 5 number "$CG/db/memory.batch_free" 0
put "${Q}0/max_active" 7
put "${Q}0/nice" 9
off db 1
an_exit 2000000
eventually 5 grep -qF 'another program set max_active of node0 to 7: left alone' "$LOG"
eventually 5 is batch_free.foreign.0 /sys/devices/virtual/workqueue/batch_free_node0/max_active
stop
number "${Q}0/max_active" 7 || fail "another program's limit was overwritten"
number "${Q}0/nice" 9 || fail "another program's nice value was overwritten"
number "${Q}1/max_active" 2 || fail 'the other node was not put back'

# --- found by looking: 4 CPUs, twice as fast with 4 workers; then a node comes ---

machine
file "$B/max_pending_mb" 9
: > "$LOG"
settings <<END
[BatchFree]
Enabled=yes
MinRSS=99M
MaxPending=9M
END
start
eventually 5 number "$B/enabled" 1
exits=0
i=0
without=0
while [ $i -lt 12 ]; do
	[ "$(cat "${Q}0/max_active")" = 4 ] && usec=1000000 || usec=2000000
	if number "$B/max_pending_mb" 0; then
		usec=3000000
		without=$((without + 1))
	fi
	an_exit "$usec"
	eventually 5 is batch_free.exits "$exits"
	sleep 0.25
	i=$((i + 1))
done
equals 'exits without workers, to see what they are worth' $without 3
number "$B/max_pending_mb" 9 || fail 'workers stay left out'
unsaid max_pending
number "${Q}0/max_active" 4 || fail "the limit is $(cat "${Q}0/max_active")"
equals 'lines about what was settled for' "$(grep -c 'max_active: 4 instead of 2, the best after' "$LOG")" 1
# shellcheck disable=SC2126 # lines of the log that speak of limits
equals 'lines about limits' "$(grep 'max_active' "$LOG" | wc -l)" 1
explain node0 "$T/node0"
grep -q '"search":"settled"' "$T/node0" || fail "$(cat "$T/node0")"
grep -q '"max_active":4,"rate_pages_sec":1000000,' "$T/node0" || fail "$(cat "$T/node0")"
grep -q '"max_active":0,"rate_pages_sec":333333,' "$T/node0" || fail "$(cat "$T/node0")"
"$OUT/pcpu-reclaimctl" --socket "$SOCK" > "$T/status"
grep -q 'Batch free  auto node0=4 node1=2; 12 exits helped' "$T/status" || fail "$(cat "$T/status")"
# Nothing exits: nothing wakes.
before=$(get wakeups)
sleep 2
at_most 'wake-ups while nothing exits' $(($(get wakeups) - before)) 4
add_node 2 f00
an_exit 1000000
eventually 5 is batch_free.nodes.2.node 2
equals 'CPUs of the new node' "$(get batch_free.nodes.2.cpus)" 4

# CPU pressure: it pauses, and the exits that follow are none of its doing.
file "$ROOT/proc/pressure/cpu" 'some avg10=72.00 avg60=0.00 avg300=0.00 total=0'
an_exit 1000000
eventually 5 number "$B/enabled" 0
said 'set /sys/kernel/mm/batch_free/enabled: 0 instead of 1, while tasks wait for CPUs'
file "$ROOT/proc/pressure/cpu" 'some avg10=50.00 avg60=0.00 avg300=0.00 total=0'
ask GetStatus > /dev/null
sleep 0.5
number "$B/enabled" 0 || fail 'it goes on above three quarters of the threshold'
file "$ROOT/proc/pressure/cpu" 'some avg10=40.00 avg60=0.00 avg300=0.00 total=0'
ask GetStatus > /dev/null
eventually 15 number "$B/enabled" 1

# A knob vanishes with its node; the rest goes on, and is put back.
rm -rf "$B/node2" "${Q}2"
an_exit 1000000
eventually 5 test "$("$HELP/ask" -g batch_free.nodes.2.node "$SOCK" GetStatus 2>/dev/null)" = ''
stop
number "${Q}0/max_active" 2 || fail 'the limit found was not put back'
number "$B/enabled" 0 || fail 'it stays on'

# --- work queues and the files of cgroups are made when it is first switched on ---

machine
mkdir "$CG/db"
mkdir -p "$T/queues"
mv "$ROOT/sys/devices/virtual/workqueue/"* "$T/queues/"
: > "$LOG"
settings <<END
[BatchFree]
Enabled=yes
MinRSS=99M
MaxActive=4
WorkerNice=5
[Policy db]
Match=/db
BatchFree=no
END
start
eventually 5 number "$B/enabled" 1
ask Doctor > "$T/doctor"
mv "$T/queues/"* "$ROOT/sys/devices/virtual/workqueue/"
off db 1
exits=0
an_exit 1000000
eventually 5 number "${Q}0/max_active" 4
eventually 5 number "${Q}1/nice" 5
eventually 5 number "$CG/db/memory.batch_free" 0
unsaid 'no such file'
stop
number "$CG/db/memory.batch_free" 1 || fail 'a cgroup stays off'
number "${Q}1/nice" 0 || fail 'a nice value stays'

# --- a dry run writes nothing, and says so once ---

machine
: > "$LOG"
settings <<END
[BatchFree]
Enabled=yes
MinRSS=99M
MaxActive=4
WorkerNice=5
[Daemon]
DryRun=yes
END
start
eventually 5 grep -qF 'set /sys/kernel/mm/batch_free/enabled: would be 1 instead of 0' "$LOG"
said 'set /sys/devices/virtual/workqueue/batch_free_node0/nice: would be 5'
stop
number "$B/enabled" 0 || fail 'a dry run switched it on'
number "${Q}0/nice" 0 || fail 'a dry run set a nice value'
[ ! -s "$RUN/ledger" ] || fail "a dry run in the ledger: $(cat "$RUN/ledger")"

# --- a kernel without the series: absent, not an alarm ---

rm -rf "$ROOT"
fakeroot v2 percpu
: > "$LOG"
settings <<END
[BatchFree]
Enabled=yes
END
start
said 'Enabled=yes has no effect: this kernel has no /sys/kernel/mm/batch_free/enabled'
ask Doctor > "$T/doctor"
grep -q '"kind":"absent","subject":"batch free","text":"kernel without the series' "$T/doctor" ||
	fail "$(cat "$T/doctor")"
equals 'problems' "$("$HELP/ask" -g problems "$SOCK" Doctor)" 0
explain node0 "$T/node0"
grep -q '"why_not":"kernel without the series"' "$T/node0" || fail "$(cat "$T/node0")"
"$OUT/pcpu-reclaimctl" --socket "$SOCK" > "$T/status"
grep -q 'batch-free – (kernel without the series)' "$T/status" || fail "$(cat "$T/status")"
stop
