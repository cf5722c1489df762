# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=200 disk=512M journal=no daemon=yes
#
# A cgroup that a policy matches is throttled at its own memory.high. Few are dying
# there, and a trigger that nothing can reach keeps the machine out of it: what is
# reaped is reaped for the limit. The same without a policy: nothing.

need_daemon
: "${N:=20}"
for name in ci other; do
	mkdir -p "$CG/$name/squeezed" "/tmp/$name"
done
memory_on "$CG" && memory_on "$CG/ci" && memory_on "$CG/other"
dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
sync

daemon_start "[Percpu]
ReapAbove=1000
ReapAfter=1h
[Policy ci]
Match=/ci
[Pressure]
Trigger=2s/2s"
for name in ci other; do
	# tmpfs without swap: the throttled cgroup can't reap them by itself.
	storm dying-create "$CG/$name" "/tmp/$name" "$N" >/dev/null || abort "storm"
	storm dying-remove "$CG/$name" "$N" >/dev/null || abort "storm"
done
watched() { ctl doctor | grep -q '1 policy cgroups watched'; }
wait_for 5 watched || fail "doctor: $(ctl doctor | grep memory.events)"
sleep 3
assert_eq "dying below ci" "$(dying "$CG/ci")" "$N"
assert_eq "actions without pressure" "$(ctl status --json | jget totals.actions)" 0

squeeze() { # NAME: reads 64 MB below 12 MB
	# Or its pages stay charged to somebody else.
	echo 1 >/proc/sys/vm/drop_caches
	echo 12M >"$CG/$1/memory.high"
	reread "$CG/$1/squeezed" /disk/big "/run/ready-$1" 0 &
	load=$!
}
reaped() { ctl history --json | grep -q memory-pressure; }

squeeze other
sleep 10
kill $load && wait $load
assert_ge "high of other" "$(keyed "$CG/other/memory.events" high)" 1
assert_eq "actions for a cgroup without policy" "$(ctl status --json | jget totals.actions)" 0

awake=$(ctl status --json | jget wakeups)
squeeze ci
wait_for 30 reaped || fail "not reaped for its limit: $(cat "$CG/ci/memory.events"); $(ctl explain /ci)"
sleep 10
kill $load && wait $load
result high "$(keyed "$CG/ci/memory.events" high)"
result wakeups $(($(ctl status --json | jget wakeups) - awake))
ctl history
journal -o cat -n 5

# Nothing is left behind when it goes, and nobody wakes for what is over.
rmdir "$CG/ci/squeezed" "$CG/ci"
sleep 2
assert_eq "watches after it went" "$(daemon_watches)" 0
daemon_stop
