# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 disk=512M journal=no daemon=yes
#
# The float and the kernel's threshold by policy, on a kernel that lets them be set and
# holds low below high at any time: values for calm at the start, others under memory
# pressure, back again, as found at the end and after kill -9. No write is ever refused.
# And status knows what percpu memory comes to in all.

need_daemon
d=/sys/kernel/mm/percpu
for f in empty_pages_low reclaim_min_percent; do
	[ -w $d/$f ] || skip "$d/$f of this kernel can't be set"
done
slice=$CG/busy
mkdir -p "$slice"
memory_on "$CG"
dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
sync
# Or its pages stay charged to us, and nobody is short of anything.
echo 1 >/proc/sys/vm/drop_caches
echo 12M >"$slice/memory.high"

shown() { echo "$(cat $d/empty_pages_low) $(cat $d/empty_pages_high) $(cat $d/reclaim_min_percent)"; }
shows() { [ "$(shown)" = "$1" ]; }
await() { # SECONDS VALUES WHEN
	wait_for "$1" shows "$2" || fail "$3: low, high and percent are $(shown), wanted $2"
}
press() { reread "$slice" /disk/big /run/ready 0 & load=$!; }
relent() { kill $load && wait $load; }
filled() { [ "$(cat $d/empty_pages)" -ge 8 ]; }
failed() { ctl status --json | jget totals.failed; }

found=$(shown)
both="[Percpu]
EmptyPagesLow=8/1
EmptyPagesHigh=32/2
ReclaimMinPercent=keep/5
[Pressure]
Trigger=100ms/2s
Hold=2s"

daemon_start "$both"
await 20 "8 32 25" "calm"
wait_for 20 filled || fail "the kernel does not fill the float up: $(cat $d/empty_pages) empty pages"
result empty_pages_calm "$(cat $d/empty_pages)" pages
press
await 60 "1 2 5" "under pressure"
ctl explain percpu | tee /run/explain.txt
save /run/explain.txt
# Empty pages beyond the smaller float are given back, pressure or not.
few() { [ "$(empty_pages)" -le 4 ]; }
wait_for 30 few || fail "$(empty_pages) empty pages stay beyond a float of 2"
result empty_pages_pressed "$(empty_pages)" pages
relent
await 60 "8 32 25" "calm again"
assert_eq "writes that the kernel refused" "$(failed)" 0
daemon_stop
await 1 "$found" "after the end"

# Killed under pressure. The next start, which wants none of it, puts all of it back.
daemon_start "$both"
press
await 60 "1 2 5" "under pressure"
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
assert_eq "values after kill -9" "$(shown)" "1 2 5"
relent
daemon_start ""
await 20 "$found" "after kill -9 and a start"
assert_eq "writes that the kernel refused" "$(failed)" 0
daemon_stop
[ ! -s /run/pcpu-reclaimd/ledger ] || fail "left in the ledger: $(cat /run/pcpu-reclaimd/ledger)"

# Another program's value stays, and is nobody else's affair.
daemon_start "$both"
await 20 "8 32 25" "calm"
echo 16 >$d/empty_pages_high
press
await 60 "1 16 5" "under pressure, high written by another program"
relent
await 60 "8 16 25" "calm, high written by another program"
daemon_stop
await 1 "2 16 25" "after the end, high written by another program"
echo 4 >$d/empty_pages_high

# What it comes to in all, against the kernel's own figures; and slab after churn.
storm=$CG/storm
mkdir -p "$storm"
memory_on "$storm"
daemon_start ""
storm percpu-create "$storm" 200 10 >/dev/null
storm percpu-remove "$storm" 200 10 0 >/dev/null
sleep 3
ctl status --json >/run/status.json
payload=$(jget footprint.payload_bytes </run/status.json)
total=$(jget footprint.total_bytes </run/status.json)
assert_eq payload "$((payload / 1024))" "$(percpu_kb)"
assert_eq "metadata" $((total - payload)) "$(cat $d/metadata_bytes)"
result payload_kb $((payload / 1024)) kB
result metadata_kb $(((total - payload) / 1024)) kB
charged=$(keyed "$CG/memory.stat" percpu)
daemon_stop
# Charged and slab are looked up once a minute, and at the start.
daemon_start ""
ctl status --json >/run/status.json
assert_ge charged "$(jget footprint.charged_bytes </run/status.json)" $((charged / 2))
result charged_kb $(($(jget footprint.charged_bytes </run/status.json) / 1024)) kB
if [ -e /proc/slabinfo ]; then
	result slab_lost_kb $(($(jget footprint.slab_lost_bytes </run/status.json) / 1024)) kB
	result slab_kb "$(meminfo Slab)" kB
fi
ctl status
daemon_stop
