# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A directory with nothing in it is the poorest machine there is: not even
# /proc/self/mountinfo. Field reports 16 and 24: degraded, not refused.
. "$HERE/lib.sh"

mkdir -p "$ROOT/run"
start
said 'no cgroup mount with the memory controller'
equals 'reap ready' "$(get 'actions.[action=reap].ready')" false
equals 'possible CPUs' "$(get percpu.nr_units || echo absent)" absent
ask Doctor > /dev/null || fail 'doctor does not answer'
stop
