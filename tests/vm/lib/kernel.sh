# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# kernel_get: make $kernel bootable. Sets kernel_machine (x86-64 or arm64),
# kernel_image, kernel_hash, and either kernel_modroot with kernel_version (a Debian tree with modules.dep) or
# kernel_flat (a directory of modules). kernel_deb is the package that it is out of, if any.

kernel_get() {
	local dir=$build/kernels/$kernel
	kernel_modroot='' kernel_version='' kernel_flat='' kernel_deb='' kernel_machine=x86-64
	mkdir -p "$build/kernels"
	case $kernel in
	stock-6.1)
		kernel_lock kernel_unpack_stock linux-image-cloud-amd64 "$dir"
		kernel_modroot=$dir/root
		kernel_version=$(<"$dir/version")
		;;
	*[!a-z0-9.-]* | '')
		usage
		;;
	*-deb)
		kernel_known
		"$top/kernel-patches/deb" "${kernel%-deb}" >&2 ||
			no "the packages of ${kernel%-deb} did not build"
		kernel_deb=$(echo "$build/kernels/${kernel%-deb}/deb-guest"/linux-image-*.deb)
		kernel_version=$(dpkg-deb -f "$kernel_deb" Package)
		kernel_version=${kernel_version#linux-image-}
		kernel_modroot=$dir/root
		kernel_lock kernel_unpack_deb "$kernel_deb" "$dir"
		;;
	*)
		kernel_known
		"$top/kernel-patches/build" "$kernel" >&2 ||
			no "kernel $kernel did not build"
		kernel_flat=$dir/modules
		kernel_machine=$(<"$dir/machine")
		;;
	esac
	kernel_image=$dir/bzImage
	[[ $kernel_machine != arm64 ]] || kernel_image=$dir/Image
	kernel_hash=$(sha256sum <"$kernel_image" | cut -c1-16)
}

# Whether there is a series for it; the rest of its name is for others to judge.
kernel_known() {
	[[ -x $top/kernel-patches/build ]] ||
		no "kernel $kernel: there is no kernel-patches/build"
	[[ ! -d $top/kernel-patches/${kernel%%-*} ]] || return 0
	note "no kernel '$kernel'"
	usage
}

# Only one of several runs unpacks.
kernel_lock() {
	local lock
	exec {lock}>"$build/kernels/.lock"
	flock "$lock"
	"$@"
	exec {lock}>&-
}

# A Debian kernel, not installed: the package is fetched as it stands in the
# archive and unpacked. The meta package names the real one.
kernel_unpack_stock() {
	local meta=$1 dir=$2 package tmp
	[[ -f $dir/bzImage && -f $dir/version ]] && return 0
	package=$(apt-cache depends --important "$meta" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
	[[ -n $package ]] || no "apt knows no kernel behind $meta (apt-get update?)"
	note "fetching $package"
	tmp=$dir.new
	rm -rf "$tmp"
	mkdir -p "$tmp/deb" "$tmp/root"
	chmod 0777 "$tmp/deb"
	(cd "$tmp/deb" && apt-get download -qq "$package")
	dpkg-deb -x "$tmp"/deb/*.deb "$tmp/root"
	rm -rf "$tmp/deb"
	echo "${package#linux-image-}" >"$tmp/version"
	depmod -b "$tmp/root" "${package#linux-image-}"
	cp "$tmp/root/boot/vmlinuz-${package#linux-image-}" "$tmp/bzImage"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# One of ours, not installed either. Its package has a modules.dep.
kernel_unpack_deb() {
	local deb=$1 dir=$2
	[[ ! $dir/bzImage -nt $deb ]] || return 0
	rm -rf "$dir"
	mkdir -p "$dir/root"
	dpkg-deb -x "$deb" "$dir/root"
	install -m 0644 "$dir/root/boot/vmlinuz-$kernel_version" "$dir/bzImage"
}

# kernel_modules NAME...: files to insert, in order. What a kernel has built in
# is no file, and that is fine: the scenario looks for itself.
kernel_modules() {
	local m
	for m in "$@"; do
		if [[ -n $kernel_modroot ]]; then
			modprobe -d "$kernel_modroot" -S "$kernel_version" \
				--show-depends "$m" 2>/dev/null |
				sed -n 's/^insmod \([^ ]*\).*/\1/p'
		elif [[ -f $kernel_flat/$m.ko ]]; then
			echo "$kernel_flat/$m.ko"
		fi
	done | awk '!seen[$0]++'
}
