# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=200 cgroups=hybrid daemon=yes
#
# A hybrid host: cgroup2 without controllers, memory on v1. The daemon counts
# the dying and says what it cannot do there; it is not silent.

need_daemon
[ -e /sys/fs/cgroup/memory/memory.usage_in_bytes ] || skip "this kernel has no memory controller on cgroup v1"
v1=/sys/fs/cgroup/memory/jobs
full && : "${N:=1000}"
: "${N:=100}"

daemon_start ""
ctl status --json >/run/status.json
assert_eq "status: memory on cgroup2" "$(jget watching.memory_v2 </run/status.json)" false
ctl status | tee /run/status.txt
grep -qi 'cgroup v[12]' /run/status.txt || fail "status does not speak of the cgroup version"

mkdir "$v1"
# No forking into a v1 cgroup: each process moves itself, which takes a while.
for i in $(seq "$N"); do
	mkdir "$v1/job_$i"
	sh -c 'echo 0 >"$1/cgroup.procs" && head -c 4096 /dev/zero >"/tmp/v1_$2"' \
		job "$v1/job_$i" "$i"
	rmdir "$v1/job_$i" || sleep 0.1
done
sleep 5
num=$(awk '$1 == "memory" { print $3 }' /proc/cgroups)
result num_cgroups "$num"
say "$(ctl status --json | jget dying) dying by status"
seen=$(ctl status --json | jget dying) || seen=0
result dying_seen "$seen"
assert_ge dying_seen "$seen" $((N * 9 / 10))
ctl doctor | tail -n 15
daemon_stop
