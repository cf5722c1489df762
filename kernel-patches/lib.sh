# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What build and check share: the table of kernels, and the steps from
# Debian's linux-source package to a configured source tree. Sourced.
#
# A caller runs "flavour NAME" first, which sets the variables that the rest
# goes by.

# name               line  machine  series  fragments, in order
flavours='
6.1                  6.1   x86-64   yes     common x86-64 6.1 plain 6.1-plain
6.1-base             6.1   x86-64   no      common x86-64 6.1 plain 6.1-plain
6.1-debug            6.1   x86-64   yes     common x86-64 6.1 debug
6.1-base-debug       6.1   x86-64   no      common x86-64 6.1 debug
6.12                 6.12  x86-64   yes     common x86-64 6.12 plain 6.12-plain
6.12-base            6.12  x86-64   no      common x86-64 6.12 plain 6.12-plain
6.12-debug           6.12  x86-64   yes     common x86-64 6.12 debug
6.12-base-debug      6.12  x86-64   no      common x86-64 6.12 debug
6.12-arm64-64k       6.12  arm64    yes     common arm64-64k 6.12 small
6.12-arm64-64k-base  6.12  arm64    no      common arm64-64k 6.12 small
6.12-arm64-64k-trace 6.12  arm64    yes     common arm64-64k 6.12 6.12-plain
'

# machine  ARCH=   compiler and its package                      image
machines='
x86-64     x86_64  gcc                    gcc                    arch/x86/boot/bzImage
arm64      arm64   aarch64-linux-gnu-gcc  gcc-aarch64-linux-gnu  arch/arm64/boot/Image
'

build_deps=(gcc make flex bison bc cpio kmod ccache patch perl xz-utils
	    libc6-dev libelf-dev libssl-dev)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(dirname "$here")/build/kernels

say() { printf '%-16s %s\n' "${name:-build}:" "$*"; }
die() { say "$*" >&2; exit 1; }

# Sets line, machine, series and fragments for $1, and what the machine implies.
flavour() {
	local row

	row=$(awk -v n="$1" '$1 == n' <<<"$flavours")
	[ -n "$row" ] || return 1
	read -r name line machine series fragments <<<"$row"
	# shellcheck disable=SC2034 # image: by build
	read -r _ arch compiler compiler_package image \
		<<<"$(awk -v m="$machine" '$1 == m' <<<"$machines")"
	tarball=/usr/src/linux-source-$line.tar.xz
	dir=$out/$name
	src=$out/src-$line
	if [ "$series" = yes ]; then src+=-patched; fi
	# A child of the source tree: kbuild then names sources relatively, and
	# one flavour finds in ccache what another has compiled.
	obj=$src/obj-$name
}

require_packages() {
	local p missing=()

	for p in "linux-source-$line" "$compiler_package" "${build_deps[@]}"; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
			grep -q ' installed$' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		die "missing packages; as root: apt-get install ${missing[*]}"
	fi
	say "installing ${missing[*]}"
	apt-get update -qq >"$dir/log" 2>&1 || true
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends "${missing[@]}" >>"$dir/log" 2>&1 ||
		fail "cannot install ${missing[*]}"
}

fail() {
	tail -n 25 "$dir/log" >&2
	die "$* (all of it: ${dir#"$PWD"/}/log)"
}

# The names of the series' patches, in order.
series_patches() {
	[ "$series" = yes ] || return 0
	sed 's/#.*//' "$here/$line/series" | awk 'NF {print $1}'
}

fragment_files() {
	local f

	for f in $fragments; do
		echo "$here/config/$f.fragment"
	done
}

# What the source tree is made of.
source_hash() {
	{
		stat -c '%s %Y' "$tarball"
		for p in $(series_patches); do
			cat "$here/$line/$p"
		done
	} | sha256sum | cut -d' ' -f1
}

# Unpack and apply, without fuzz: a hunk that needs it may land in the wrong
# place.
prepare_source() {
	local p hash

	hash=$(source_hash)
	if [ "$(cat "$src/.pcr-source" 2>/dev/null)" = "$hash" ]; then
		return
	fi
	say "unpacking $(dpkg-query -W -f '${Package} ${Version}' "linux-source-$line")"
	rm -rf "$src" "$src.tmp"
	mkdir -p "$src.tmp"
	tar -C "$src.tmp" --strip-components=1 -xf "$tarball" >>"$dir/log" 2>&1 ||
		fail "cannot unpack $tarball"
	for p in $(series_patches); do
		patch -d "$src.tmp" -p1 -F0 -f --no-backup-if-mismatch \
			<"$here/$line/$p" >"$dir/patch.log" 2>&1 || {
			cat "$dir/patch.log" >>"$dir/log"
			# "patching file F", then "Hunk #N FAILED at L."
			awk '/^patching file/ {f = $3}
			     /^can.t find file/ {print "no such file, input line", $NF}
			     /FAILED at/ {print f ": " $0}' "$dir/patch.log" >&2
			die "$line/$p does not apply to $(basename "$tarball")"
		}
	done
	rm -f "$dir/patch.log"
	echo "$hash" >"$src.tmp/.pcr-source"
	mv "$src.tmp" "$src"
}

set_make_args() {
	local cache=

	if command -v ccache >/dev/null; then cache='ccache '; fi
	make_args=("ARCH=$arch" "CROSS_COMPILE=${compiler%gcc}"
		   "CC=$cache$compiler" "HOSTCC=${cache}gcc"
		   "LOCALVERSION=-pcpu${name#"$line"}")
	# Without dates and names the same input makes the same image.
	export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970'
	export KBUILD_BUILD_USER=pcpu-reclaimd KBUILD_BUILD_HOST=build
}

kmake() {
	make -s -C "$src" O="$obj" -j"$(nproc)" "${make_args[@]}" "$@" \
		>>"$dir/log" 2>&1 </dev/null
}

# Names the lines of the fragments that the .config does not hold. A later
# fragment has the last word on a symbol.
dropped_symbols() {
	fragment_files | xargs cat | awk '
		/^CONFIG_[A-Za-z0-9_]+=/ {
			sym = $0; sub(/=.*/, "", sym); want[sym] = $0
		}
		/^# CONFIG_[A-Za-z0-9_]+ is not set$/ { want[$2] = $0 }
		END { for (sym in want) print want[sym] }' | sort |
	while read -r want; do
		grep -qxF "$want" "$obj/.config" && continue
		# A symbol that does not exist at all is not set either.
		if [[ $want = '# '* ]] &&
		   ! grep -q "^$(cut -d' ' -f2 <<<"$want")=" "$obj/.config"; then
			continue
		fi
		echo "$want"
	done
}

configure() {
	local files dropped

	mkdir -p "$obj"
	mapfile -t files < <(fragment_files)
	kmake tinyconfig || fail "tinyconfig failed"
	(cd "$src" && scripts/kconfig/merge_config.sh -m -O "$obj" \
		"$obj/.config" "${files[@]}") >>"$dir/log" 2>&1 ||
		fail "merge_config failed"
	kmake olddefconfig || fail "olddefconfig failed"
	dropped=$(dropped_symbols)
	if [ -n "$dropped" ]; then
		die "the configuration lost:
$dropped"
	fi
}
