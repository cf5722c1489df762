# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=180 daemon=yes
#
# The guest comes up, cgroup v2 and PSI are there, the journal takes a message
# and gives it back, and the daemon (if it is built) says which version it is.

uname -a
result cpus "$(nproc)"
result up_ms "$(now_ms)" ms

[ -e "$CG/cgroup.controllers" ] || fail "no cgroup v2 at $CG"
grep -qw memory "$CG/cgroup.controllers" || fail "no memory controller"
[ -e /proc/pressure/memory ] || fail "no PSI"
[ -e /sys/kernel/tracing/instances ] || fail "no tracefs"
[ -n "$(percpu_kb)" ] || fail "no Percpu: in /proc/meminfo"

journal_took() { journalctl -q --no-pager -o cat | grep -q 'hello, journal'; }
wait_for 20 [ -S /run/systemd/journal/socket ] || abort "no journald"
logger -t boot 'hello, journal'
wait_for 20 journal_took ||
	fail "the journal does not give back what it took: $(cat /run/journald.log)"

if [ -x /usr/sbin/pcpu-reclaimd ]; then
	pcpu-reclaimd --version || fail "pcpu-reclaimd --version"
	pcpu-reclaimctl --version || fail "pcpu-reclaimctl --version"
fi
