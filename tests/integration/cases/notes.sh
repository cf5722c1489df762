# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A key for a kernel setting that this kernel has not got, or does not let be set, and a
# group that there is not: no fault of the settings, and told by --check-config and once at the start.
. "$HERE/lib.sh"

fakeroot v2 percpu
rm "$KNOBS/empty_pages_low" "$KNOBS/reclaim_min_percent"
mkdir "$KNOBS/reclaim_min_percent"
settings <<END
[Percpu]
EmptyPagesLow=3
EmptyPagesHigh=8
ReclaimMinPercent=30
[Daemon]
TraceMarker=no
SocketGroup=nobody-is-in-this
END
conf=$ROOT/etc/pcpu-reclaimd/conf.d/10-test.conf
low='EmptyPagesLow=3 has no effect: this kernel has no /sys/kernel/mm/percpu/empty_pages_low'
percent='ReclaimMinPercent=30 has no effect: /sys/kernel/mm/percpu/reclaim_min_percent can'\''t be written: EISDIR'
"$DAEMON" --root "$ROOT" --check-config > "$T/checked" 2>&1 || fail "$(cat "$T/checked")"
grep -qxF "$conf:2:1: note: $low" "$T/checked" || fail "$(cat "$T/checked")"
grep -qxF "$conf:4:1: note: $percent" "$T/checked" || fail "$(cat "$T/checked")"
group='SocketGroup=nobody-is-in-this has no effect: there is no such group, only root may ask'
grep -qxF "$conf:7:1: note: $group" "$T/checked" || fail "$(cat "$T/checked")"
equals notes "$(grep -c note: "$T/checked")" 3
grep -q '^settings are good' "$T/checked" || fail "$(cat "$T/checked")"

start
equals 'times it was said' "$(grep -cF "$low" "$LOG")" 1
equals 'times it was said' "$(grep -cF "$percent" "$LOG")" 1
unsaid 'EmptyPagesHigh=8 has'
ask Doctor > "$T/doctor"
grep -q '"kind":"problem","subject":"percpu threshold"' "$T/doctor" || fail "$(cat "$T/doctor")"
stop

# A recorded machine with a FIFO in the place of a knob: nobody reads it, nobody waits.
rm "$KNOBS/empty_pages_high"
mkfifo "$KNOBS/empty_pages_high"
high='EmptyPagesHigh=8 has no effect: /sys/kernel/mm/percpu/empty_pages_high can'\''t be written: ENXIO'
timeout 20 "$DAEMON" --root "$ROOT" --check-config > "$T/checked" 2>&1 || fail "$(cat "$T/checked")"
grep -qxF "$conf:3:1: note: $high" "$T/checked" || fail "$(cat "$T/checked")"
start
said "$high"
stop
