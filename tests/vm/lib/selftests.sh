# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The kernel's own selftests, of the line that is being tested, and a way to hold
# what they say on one kernel against what they say on another.

# Programs of a set and, after the name, what else is linked to them.
selftests_programs() { # SET
	case $1 in
	cgroup)
		cat <<-END
		test_kmem
		test_memcontrol
		test_core
		test_kill
		END
		;;
	mm)
		cat <<-END
		mrelease_test
		madv_populate
		mremap_test
		transhuge-stress
		khugepaged
		split_huge_page_test
		migration -lnuma
		END
		;;
	*) no "$scenario: no selftests '$1'" ;;
	esac
}

# Built once for each linux-source package, static, into
# $build/vm/selftests-SET-LINE-MACHINE.
selftests_stage() { # ROOT SET
	local root=$1 set=$2 line=${kernel#stock-} tarball dir stamp
	line=${line%%-*}
	tarball=/usr/src/linux-source-$line.tar.xz
	dir=$build/vm/selftests-$set-$line-$kernel_machine
	[[ -e $tarball ]] || no "missing: linux-source-$line; install with apt-get"
	stamp="$(stat -c '%s %Y' "$tarball") $(sha256sum <"$here/lib/selftests.sh")"
	if [[ $(cat "$dir/stamp" 2>/dev/null) != "$stamp" ]]; then
		note "building the $set selftests of ${tarball##*/}"
		rm -rf "$dir.$$"
		mkdir -p "$dir.$$/src"
		"selftests_build_$set" "$tarball" "$dir.$$"
		rm -rf "$dir.$$/src"
		echo "$stamp" >"$dir.$$/stamp"
		rm -rf "$dir"
		mv "$dir.$$" "$dir"
	fi
	install -d "$root/usr/lib/selftests"
	selftests_programs "$set" | while read -r t _; do
		cp "$dir/$t" "$root/usr/lib/selftests/"
	done
}

# selftests_unpack TARBALL DIR PATTERN...: below tools/
selftests_unpack() {
	local tarball=$1 dir=$2
	shift 2
	tar -C "$dir" --strip-components=2 -xf "$tarball" --wildcards "${@/#/*/tools/}"
}

# As they are built there: without optimisation, which takes memory away that a test
# only writes to. Their own warnings are theirs.
selftests_build_cgroup() {
	local tarball=$1 dir=$2 t libs
	selftests_unpack "$tarball" "$dir/src" \
		'testing/selftests/*.h' 'testing/selftests/cgroup/*.c'
	selftests_programs cgroup | while read -r t libs; do
		# shellcheck disable=SC2086 # lists of words
		(cd "$dir/src/testing/selftests/cgroup" && $guest_cc -w -pthread -static \
			-I.. -o "$dir/$t" "$t.c" cgroup_util.c $libs) >&2 ||
			no "the selftest $t does not compile"
	done
}

# The folder is vm in 6.1, mm later. One of them forgets to include kselftest.h, and
# mrelease_test of 6.1, without the numbers of system calls, tests nothing.
selftests_build_mm() {
	local tarball=$1 dir=$2 t libs sub=mm util=(vm_util.c thp_settings.c)
	if [[ $tarball == *-6.1.tar.xz ]]; then
		sub=vm util=(vm_util.c)
	fi
	selftests_unpack "$tarball" "$dir/src" 'testing/selftests/*.h' \
		"testing/selftests/$sub/*.[ch]" 'include/uapi/*' 'arch/*/include/*'
	# Of the migration test.
	echo '#include <numa.h>' | $guest_cc -E -x c - >/dev/null 2>&1 || need_packages libnuma-dev
	selftests_programs mm | while read -r t libs; do
		# shellcheck disable=SC2086 # lists of words
		(cd "$dir/src/testing/selftests/$sub" && $guest_cc -w \
			-D_GNU_SOURCE -pthread -static -isystem ../../../include/uapi \
			-include sys/syscall.h -include ../kselftest.h -o "$dir/$t" "$t.c" "${util[@]}" $libs) >&2 ||
			no "the selftest $t does not compile"
	done
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
