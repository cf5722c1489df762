# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Field reports 16, 23, 24: where everything is missing the daemon runs all the same,
# says what is missing at start and in status, and calls nothing broken that is only
# absent. 28: what could not be sampled is absent from the answer, not 0.
. "$HERE/lib.sh"

fakeroot none
start
said 'no cgroup mount with the memory controller'
equals 'reap ready' "$(get 'actions.[action=reap].ready')" false
equals 'trim ready' "$(get 'actions.[action=trim].ready')" false
for key in dying percpu.empty_pages percpu.surplus_bytes empty_pages_high next; do
	if get "$key"; then
		fail "$key is in the answer though nothing was sampled"
	fi
done
# What is asked for is refused by name, not by an errno.
ask Trim > "$T/answer" && fail 'trimmed without a knob'
grep -q 'NoSuchKnob.*/sys/kernel/mm/percpu/reclaim' "$T/answer" || fail "$(cat "$T/answer")"
ask Reap '{"cgroup": "a"}' > "$T/answer" && fail 'reaped without cgroups'
grep -q 'NoSuchCgroup' "$T/answer" || fail "$(cat "$T/answer")"
ask Doctor > "$T/doctor" || fail 'doctor does not answer'
grep -q 'no cgroup mount found' "$T/doctor" || fail "$(cat "$T/doctor")"
stop
unsaid EIO
