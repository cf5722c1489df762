# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=700 disk=2G mem=768M journal=no daemon=yes
# vm-full: timeout=1500
#
# Memory pressure reaches the daemon: a trigger fires for a named slice and for
# the machine, and status shows it. A steady state afterwards writes nothing.
#
# Then the machine at its limit: a hog writes to more memory than there is, all over
# it, and waits for swap. The daemon's programs are on a disk, as they are anywhere
# but here. It still answers, acts, and does not wait for pages of its own:
#
#   status_ms_max    from connecting to the answer, of a caller that is kept in memory
#   reaction_p99_ms  from waking its trigger thread to the write of a knob, as in latency
#   majflt           pages that any of its threads had to wait for, after its start

need_daemon
full && : "${PULSES:=40}" "${ASKS:=300}"
: "${PULSES:=12}" "${ASKS:=100}"
. /vm/trace.sh
slice=$CG/busy.slice
mkdir -p "$slice/squeezed"
memory_on "$CG" && memory_on "$slice"
dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
sync
# Or its pages stay charged to us, and nobody is short of anything.
echo 1 >/proc/sys/vm/drop_caches

daemon_start "[Pressure]
Trigger=100ms/2s
Slices=/busy.slice
[Daemon]
LogLevel=debug"
triggers=$(ctl status --json | jget pressure.triggers) || triggers=0
result triggers "$triggers"
assert_ge triggers "$triggers" 2

events() { ctl status --json | jget 'pressure.readings[].events' | awk '{ n += $1 } END { print n + 0 }'; }

before=$(events)
echo 12M >"$slice/squeezed/memory.high"
reread "$slice/squeezed" /disk/big /run/ready 0 &
load=$!
seen() { [ "$(events)" -ge $((before + 2)) ]; }
wait_for 40 seen || fail "no pressure event in 40 s: $(cat /proc/pressure/memory "$slice/memory.pressure")"
result events $(($(events) - before))
ctl status | tail -n 12
kill $load && wait $load
journal -o cat -n 10

# The trigger stays armed: a second spell is seen as well.
sleep 5
before=$(events)
reread "$slice/squeezed" /disk/big /run/ready 0 &
load=$!
wait_for 40 seen || fail "the second spell of pressure was not seen"
kill $load && wait $load

sleep 10
lines=$(journal -o cat -p info | wc -l)
sleep 15
assert_eq "journal lines in a steady state" "$(journal -o cat -p info | wc -l)" "$lines"
# The slice goes: its trigger is dropped, and the daemon neither spins nor dies.
rmdir "$slice/squeezed" "$slice"
sleep 2
ticks=$(daemon_ticks)
sleep 5
assert_le "ticks in 5 s after the slice went" $(($(daemon_ticks) - ticks)) 50
daemon_alive || fail "the daemon died with the slice"
daemon_stop

# ---- the machine at its limit ----

hog=$CG/hog
parent=$CG/jobs
mkdir -p "$hog" "$parent" /disk/jobs
memory_on "$CG" && memory_on "$parent"

# What runs from a disk can be pushed out of memory. Only the daemon does: the shell
# is not what is measured.
cp -a /usr /disk/usr
mv /usr/sbin/pcpu-reclaimd /usr/sbin/pcpu-reclaimd.memory
# None of what it has may be swapped out, as MemorySwapMax= in its unit says.
memory_on "$CG"
mkdir "$CG/daemon"
echo 0 >"$CG/daemon/memory.swap.max"
# shellcheck disable=SC2016 # for the shell that runs it
printf '%s\n' '#!/bin/sh' \
	"echo 0 >$CG/daemon/cgroup.procs || exit 1" \
	'exec unshare -m sh -c "mount --bind /disk/usr /usr && exec /usr/sbin/pcpu-reclaimd"' \
	>/usr/sbin/pcpu-reclaimd
chmod +x /usr/sbin/pcpu-reclaimd

dd if=/dev/zero of=/disk/swap bs=1M count=1024 2>/dev/null
chmod 600 /disk/swap
mkswap /disk/swap >/dev/null
swapon /disk/swap || abort "no swap"

major_faults() { cat /proc/"$daemon_pid"/task/*/stat | awk '{ n += $12 } END { print n + 0 }'; }

start_traced
sleep 2
say "started: $(daemon_rss_kb) kB, $(awk '$1 == "VmLck:" { print $2 }' "/proc/$daemon_pid/status") kB locked, $(major_faults) major faults"
faults=$(major_faults)
# What of our files has to be read again, should there be any.
mkdir "$tracing"/instances/files
ls "/proc/$daemon_pid/task" >"$tracing"/instances/files/set_event_pid
echo 1 >"$tracing"/instances/files/events/filemap/mm_filemap_add_to_page_cache/enable
hog "$hog" $(($(meminfo MemTotal) * 5 / 4 / 1024)) 4 &
load=$!
thrashes() { [ "$(awk '$1 == "pswpin" { print $2 }' /proc/vmstat)" -gt 2000 ]; }
wait_for 180 thrashes || abort "the hog does not thrash: $(grep -E '^pswp' /proc/vmstat)"

asked=$(asktime /run/pcpu-reclaimd/org.pcpu-reclaimd org.pcpu-reclaimd.Manager.GetStatus "$ASKS" 200) ||
	fail "status: $asked"
say "status: $asked; $(head -n 1 /proc/pressure/memory)"
# All of what it may be asked runs for the first time now.
for question in cgroups policies plan history doctor 'explain /' 'explain percpu'; do
	# shellcheck disable=SC2086 # words
	timeout 60 pcpu-reclaimctl $question >/dev/null 2>&1
done
say "$(major_faults) major faults, $(daemon_rss_kb) kB"

echo 1 >"$hog/cgroup.freeze"
# shellcheck disable=SC2046
trace_start $(ls "/proc/$daemon_pid/task")
for i in $(seq "$PULSES"); do
	pulse "$parent" "$hog"
done
trace_end
reaction=$(tracelat /run/trace "$tid" 'pcpu-reclaimd: write') || fail "no knob write followed a pressure event: $reaction"
say "reaction: $reaction"
result status_ms_max $((($(word max_usec "$asked") + 999) / 1000)) ms
result reaction_samples "$(word samples "$reaction")"
result reaction_p99_ms $((($(word p99_usec "$reaction") + 999) / 1000)) ms
result majflt $(($(major_faults) - faults))
result rss_kb "$(daemon_rss_kb)" kB
grep -v '^#' "$tracing"/instances/files/trace | head -n 20
assert_le majflt $(($(major_faults) - faults)) 0
# As batchfree's, these want a machine with nothing else to do.
if full; then
	assert_le status_ms_max $(($(word max_usec "$asked") / 1000)) 1000
	assert_le reaction_p99_ms $(($(word p99_usec "$reaction") / 1000)) 200
fi
echo 0 >"$hog/cgroup.freeze"
kill $load && wait $load
daemon_stop
