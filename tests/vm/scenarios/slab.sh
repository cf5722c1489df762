# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 daemon=yes
# vm-full: timeout=1200
#
# Slab lost to cgroup churn: what status makes of it, against what comes back when each
# surviving cgroup is made anew, so that its objects move out of half-used slabs.

need_daemon
[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
parent=$CG/storm
full && : "${N:=1000}"
: "${N:=200}"
mkdir -p "$parent"
memory_on "$CG" && memory_on "$parent"

# Looked up at the start, and then at most once a minute.
look() { # WHEN
	daemon_start "[Percpu]
Reap=no
Trim=no"
	lost=$(($(ctl status --json | jget footprint.slab_lost_bytes) / 1024))
	daemon_stop
	slab=$(meminfo SUnreclaim)
	result "$1.slab_lost_kb" "$lost" kB
	result "$1.unreclaimable_kb" "$slab" kB
}

look before
storm percpu-create "$parent" "$N" 10 >/dev/null
storm percpu-remove "$parent" "$N" 10 0 >/dev/null
sleep 10
look removed
told=$lost was=$slab
for d in "$parent"/*; do
	[ ! -d "$d" ] || { mkdir "$d.anew" && rmdir "$d"; } || fail "$d can't be made anew"
done
sleep 10
look anew
result back_kb $((was - slab)) kB
assert_ge "what came back" $((was - slab)) $((told * 7 / 10))
assert_le "what came back" $((was - slab)) $((told * 13 / 10))
assert_le "told after that" "$lost" $((told / 5))
