# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# The settings in /sys/kernel/mm/percpu: what they refuse, that pages and bytes
# are two views of one float, and that the float is what a trim leaves and what
# the kernel fills up.

d=/sys/kernel/mm/percpu
[ -w $d/empty_pages_low ] || skip "the float of this kernel can't be set"

read_knob() { cat "$d/$1"; }
sets() { # NAME VALUE [READS]
	echo "$2" 2>/dev/null >"$d/$1" || fail "$1 refused $2"
	assert_eq "$1 after writing $2" "$(read_knob "$1")" "${3:-$2}"
}
refuses() { # NAME VALUE
	local was
	was=$(read_knob "$1")
	if echo "$2" 2>/dev/null >"$d/$1"; then fail "$1 took $2"; fi
	assert_eq "$1 after $2 was refused" "$(read_knob "$1")" "$was"
}
filled_up() { [ "$(read_knob empty_pages)" -ge "$1" ]; }

assert_eq "default empty_pages_low" "$(read_knob empty_pages_low)" 2
assert_eq "default empty_pages_high" "$(read_knob empty_pages_high)" 4
assert_eq "default reclaim_min_percent" "$(read_knob reclaim_min_percent)" 25

for v in 0 -1 4 5 x ''; do refuses empty_pages_low "$v"; done
for v in 0 1 2 65 x; do refuses empty_pages_high "$v"; done
for v in 0 101 x; do refuses reclaim_min_percent "$v"; done
sets reclaim_min_percent 100
sets reclaim_min_percent 1
sets reclaim_min_percent 25

unit=$(($(percpu_page_kb) * 1024 * $(read_knob nr_units)))
assert_eq "float_low_bytes" "$(read_knob float_low_bytes)" $((2 * unit))
assert_eq "float_high_bytes" "$(read_knob float_high_bytes)" $((4 * unit))
sets float_low_bytes 0 "$unit"
assert_eq "empty_pages_low of 0 bytes" "$(read_knob empty_pages_low)" 1
refuses float_high_bytes "$unit"
sets float_high_bytes $((unit + 1)) $((2 * unit))
refuses float_low_bytes $((unit + 1))
refuses float_high_bytes $((64 * unit + 1))
refuses float_high_bytes 1Q

# A float that grows is filled up at once when its low end is written ...
sets empty_pages_high 64
sets empty_pages_low 63
wait_for 10 filled_up 63 || fail "the float was not filled up: $(read_knob empty_pages)"
assert_le "empty_pages of a float of 64" "$(read_knob empty_pages)" 96
result filled_up "$(read_knob empty_pages)" pages
# ... a trim spares it, and gives the rest back when it shrinks.
echo max >$d/reclaim
assert_ge "empty pages after a trim" "$(empty_pages)" 63
sets empty_pages_low 1
sets empty_pages_high 2
echo max >$d/reclaim
result left "$(empty_pages)" pages
# Of the first chunk nothing comes back.
assert_le "empty pages after the float shrank" "$(empty_pages)" 8
