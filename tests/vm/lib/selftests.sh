# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The kernel's own cgroup selftests, of the line that is being tested, and a way
# to hold what they say on one kernel against what they say on another.

selftest_programs=(test_kmem test_memcontrol test_core test_kill)

# Built once for each linux-source package, static, into
# $build/vm/selftests-LINE-MACHINE.
selftests_stage() {
	local root=$1 line=${kernel#stock-} tarball dir stamp
	line=${line%%-*}
	tarball=/usr/src/linux-source-$line.tar.xz
	dir=$build/vm/selftests-$line-$kernel_machine
	[[ -e $tarball ]] || no "missing: linux-source-$line; install with apt-get"
	stamp=$(stat -c '%s %Y' "$tarball")
	if [[ $(cat "$dir/stamp" 2>/dev/null) != "$stamp" ]]; then
		selftests_build "$tarball" "$dir.$$"
		echo "$stamp" >"$dir.$$/stamp"
		rm -rf "$dir"
		mv "$dir.$$" "$dir"
	fi
	install -D -t "$root/usr/lib/selftests" "${selftest_programs[@]/#/$dir/}"
}

# As they are built there: without optimisation, which takes memory away that a test
# only writes to. Their own warnings are theirs.
selftests_build() {
	local tarball=$1 dir=$2 t
	note "building the selftests of ${tarball##*/}"
	rm -rf "$dir"
	mkdir -p "$dir/src"
	tar -C "$dir/src" --strip-components=4 -xf "$tarball" --wildcards \
		'*/tools/testing/selftests/*.h' \
		'*/tools/testing/selftests/cgroup/*.c'
	for t in "${selftest_programs[@]}"; do
		(cd "$dir/src/cgroup" && $guest_cc -w -pthread -static -I.. \
			-o "$dir/$t" "$t.c" cgroup_util.c) >&2 ||
			no "the selftest $t does not compile"
	done
	rm -rf "$dir/src"
}

# What each test said, from a result file.
selftests_said() {
	sed -nE 's/^RESULT ([^ =]+)=-?[0-9]+ (ok|not_ok|skip)$/\1 \2/p' "$1" | sort
}

# Whether every test said what it said on the other kernel, in the same scenario
# and tier. If not, sets the reason.
selftests_same() {
	local name=$scenario other differ
	[[ $tier == full ]] || name+=.$tier
	other=$build/vm-results/$same_as/$name.result
	if [[ ! -f $other ]]; then
		reason="nothing of $same_as to compare with: run that first"
		return 1
	fi
	differ=$(diff <(selftests_said "$other") <(selftests_said "$work/lines") |
		sed -n "s/^</$same_as:/p; s/^>/$kernel:/p" | tr '\n' ';')
	reason=${differ:+"not as on $same_as: $differ"}
	[[ -z $differ ]]
}
