# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=200 disk=512M journal=no daemon=yes
#
# Memory pressure reaches the daemon: a trigger fires for a named slice and for
# the machine, and status shows it. A steady state afterwards writes nothing.

need_daemon
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
