# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=600 selftests=mm
# vm-full: timeout=1200
#
# The kernel's own tests of memory mappings, as a list: what a program says in TAP
# lines is a result each, by its number, and how it ended is one by its label: 1 ok,
# 0 not_ok, -1 skip. What counts is that a patched kernel says what the stock one
# says (run --same-as KERNEL), with the knobs untouched, and with BATCH=yes, which
# has the batch free workers free what exits, and something exits all the time.

# LABEL SECONDS PROGRAM ARGUMENT...; transhuge-stress of 6.1 knows no -d, goes on
# for ever, and takes the last argument for its size, as later ones do.
calls() {
	cat <<-END
	mrelease 60 mrelease_test
	populate 60 madv_populate
	mremap 120 mremap_test
	thp-stress $((T + 5)) transhuge-stress -d $T 256
	END
}

# said NAME VALUE WORD
said() {
	result "$1" "$2" "$3"
	total=$((total + 1))
	[ "$3" != skip ] || skipped=$((skipped + 1))
}

# "ok 1 NAME", "not ok 2 NAME", "ok 3 # SKIP NAME". A child that a test forks
# inherits what is not written yet.
tap_lines() { # LABEL FILE
	grep -E '^(not )?ok [0-9]' "$2" | awk '!seen[$0]++' >/run/lines
	while read -r first second third _; do
		case "$first $third" in
		'not '*) said "$1.$third" 0 not_ok ;;
		*) if grep -q "^ok $second .*# SKIP" "$2"; then
			said "$1.$second" -1 skip
		else
			said "$1.$second" 1 ok
		fi ;;
		esac
	done </run/lines
}

# One that does not end by itself has done well if it has done anything.
ended() { # LABEL STATUS FILE
	case $2 in
	0) said "$1" 1 ok ;;
	4) said "$1" -1 skip ;;
	143) if grep -q ' 0 failed, .* different pages' "$3"; then
		said "$1" 1 ok
	else
		said "$1" 0 not_ok
	fi ;;
	*) said "$1" 0 not_ok ;;
	esac
}

run_call() { # LABEL SECONDS PROGRAM ARGUMENT...
	local label=$1 seconds=$2 program=/usr/lib/selftests/$3 out=/run/$1.txt status
	shift 3
	timeout "$seconds" "$program" "$@" >"$out" 2>&1 </dev/null
	status=$?
	tap_lines "$label" "$out"
	ended "$label" $status "$out"
	save "$out"
}

# mremap_test maps at an address of its own, where on stock kernels too one layout in ten
# has something already.
echo 0 >/proc/sys/kernel/randomize_va_space
full && : "${T:=20}"
: "${T:=5}"
if [ "${BATCH:-no}" = yes ]; then
	need_batch_free
	batch_on 4
	exit_on_and_on &
	exits=$!
fi

total=0 skipped=0
calls >/run/calls
while read -r call; do
	# shellcheck disable=SC2086 # a list of words
	run_call $call
done </run/calls

if [ "${BATCH:-no}" = yes ]; then
	touch /run/enough
	wait "$exits" || fail "bigexit failed"
	assert_ge offloaded_pages "$(batch_sum offloaded_pages)" 10000
	batch_settled
elif has_batch_free; then
	assert_eq offloaded_pages "$(batch_sum offloaded_pages)" 0
fi
result total $total tests
result skipped $skipped tests
assert_ge total $total 20
