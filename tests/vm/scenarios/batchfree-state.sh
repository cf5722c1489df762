# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: smp=4 mem=4G numa=2 timeout=300
# vm-full: timeout=900
#
# Who waits for a process that had much memory finds all of it given back: when
# waitpid() returns, memory.current of its cgroup and what is free, with what lies on
# the lists of CPUs, are what they are with batch free off, and nothing is pending.
# Off and on by turns, medians; the memory is of both nodes.

need_batch_free
full && : "${MB:=1500}" "${ROUNDS:=9}"
: "${MB:=300}" "${ROUNDS:=3}"
group=$CG/state
# Each CPU keeps a charge of up to 64 pages for the next to be charged.
stock_kb=$((64 * $(nproc) * $(percpu_page_kb)))

one() { # off|on
	if [ "$1" = off ]; then batch_off; else batch_on 2; fi
	bigexit -g "$group" -n all "$MB" >>"/run/$1" || abort "bigexit: $(tail -n 1 "/run/$1")"
}

# free_kb and pcp_kb together.
free_of() {
	awk '{
		for (i = 1; i <= NF; i++) { split($i, w, "="); v[w[1]] = w[2] }
		print "all_kb=" v["free_kb"] + v["pcp_kb"]
	}' "/run/$1" >"/run/free.$1"
	median "/run/free.$1" all_kb
}

differ() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; printf "%.0f", d < 0 ? -d : d }'; }

mkdir -p "$group"
memory_on "$CG"
# The first leaves caches behind that no later one makes anew.
one off && one on
rm /run/off /run/on
for i in $(seq "$ROUNDS"); do
	one off
	one on
done
! has_batch_free ||
	assert_ge offloaded_pages "$(batch_sum offloaded_pages)" $((MB * 256 * ROUNDS / 10))
for s in off on; do
	save "/run/$s"
	result "${s}_current_kb" "$(median "/run/$s" current_kb)" kB
	result "${s}_free_kb" "$(free_of $s)" kB
	result "${s}_pcp_kb" "$(median "/run/$s" pcp_kb)" kB
	assert_le "the largest memory.current, $s" \
		"$(sed 's/.*current_kb=//' "/run/$s" | sort -n | tail -n 1)" $((2 * stock_kb))
done
! has_batch_free || assert_eq "exits with pages pending" "$(grep -vc 'pending=0 ' /run/on)" 0
assert_le "difference of memory.current" \
	"$(differ "$(median /run/off current_kb)" "$(median /run/on current_kb)")" "$stock_kb"
# 1 % of what was given back, which is less than 1 % of what is free.
assert_le "difference of what is free, kB" \
	"$(differ "$(free_of off)" "$(free_of on)")" $((MB * 1024 / 100))
batch_off
batch_settled
