# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Memory on cgroup v1, and a cgroup2 without the memory controller. Field report 23:
# what can't be done there is said at start and in status, not silently left undone.
. "$HERE/lib.sh"

fakeroot bare
cgroup a
start
ask Doctor > "$T/doctor"
grep -q 'has no memory controller' "$T/doctor" || fail "$(cat "$T/doctor")"
equals 'reap ready' "$(get 'actions.[action=reap].ready')" false
equals 'cgroup v2' "$(get watching.cgroup_v2)" true
equals 'memory on v2' "$(get watching.memory_v2)" false
stop

rm -rf "$ROOT"
fakeroot hybrid
V1=$ROOT/sys/fs/cgroup/memory
mkdir -p "$V1/docker/one"
: > "$V1/docker/memory.force_empty"
echo 5000000 > "$V1/docker/memory.usage_in_bytes"
start
equals 'mount' "$(get watching.cgroup_mount)" /sys/fs/cgroup/memory
equals 'cgroup v2' "$(get watching.cgroup_v2)" false
equals cgroups "$(get watching.cgroups)" 3
ask Doctor > "$T/doctor"
grep -q 'memory is on cgroup v1' "$T/doctor" || fail "$(cat "$T/doctor")"
# The kernel counts 40 of which 2 live once one is removed.
sed -i 's/^memory.*/memory	4	40	1/' "$ROOT/proc/cgroups"
rmdir "$V1/docker/one"
eventually 10 is dying 38
sleep 1
# force_empty takes living pages too: not without a policy that says so.
[ ! -s "$V1/docker/memory.force_empty" ] || fail 'force_empty was written'
ask Explain '{"target": "/docker"}' > "$T/explain" || fail "$(cat "$T/explain")"
ask Reap '{"cgroup": "/docker"}' > "$T/answer" && fail 'reaped without ForceEmpty='
grep -q 'Failed.*only with ForceEmpty=yes' "$T/answer" || fail "$(cat "$T/answer")"
stop
