# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A Debian 12 with systemd as process 1, for scenarios with root=debian: as small
# as it gets, with what our packages depend on, since a guest has no network. What
# is under test is not in it; that comes with the initramfs, see guest/debian.

debian_packages=(systemd-sysv dbus kmod libev4 libinih1 libcgroup2 libjansson4 numad systemd-oomd)
debian_size=640M
# Nobody reads there.
debian_without=('/usr/share/man/*' '/usr/share/locale/*' '/usr/share/doc/*')

# debian_get: sets debian_image, made once for each list of packages.
debian_get() {
	local key lock
	[[ $kernel_machine == x86-64 ]] || no "root=debian: there is none for $kernel_machine"
	[[ -z $disk ]] || no "root=debian is the only disk"
	key=$(printf '%s\n' bookworm "$debian_size" "${debian_packages[@]}" "${debian_without[@]}" |
		sha256sum | cut -c1-16)
	debian_image=$build/vm/debian-$key.ext4
	[[ ! -f $debian_image ]] || return 0
	need_tools mmdebstrap=mmdebstrap
	((EUID == 0)) || need_tools fakeroot=fakeroot newuidmap=uidmap
	mkdir -p "$build/vm"
	# Only one of several runs makes it.
	exec {lock}>"$build/vm/debian.lock"
	flock "$lock"
	[[ -f $debian_image ]] || debian_make
	exec {lock}>&-
}

# The sources of this machine, where it is a Debian 12: it may have a mirror of its own.
debian_sources() {
	local label
	for label in Debian Debian-Security; do
		apt-get indextargets --format "deb \$(REPO_URI) \$(CODENAME) \$(COMPONENT)" \
			'Created-By: Packages' "Label: $label"
	done 2>/dev/null | grep ' bookworm' | sort -u
}

debian_make() {
	local new=$debian_image.new log=$debian_image.log include sources pattern options=()
	note "making a Debian root file system"
	include=$(IFS=, && echo "${debian_packages[*]}")
	for pattern in "${debian_without[@]}"; do
		options+=("--dpkgopt=path-exclude=$pattern")
	done
	sources=$(debian_sources)
	mmdebstrap --variant=apt --include="$include" "${options[@]}" \
		--aptopt='Acquire::Languages "none"' bookworm "$new.tar" ${sources:+-} \
		<<<"$sources" >"$log" 2>&1 || {
		tail -n 15 "$log" >&2
		no "mmdebstrap has made none"
	}
	debian_pack "$new.tar" "$new"
	rm -f "$new.tar" "$log"
	mv "$new" "$debian_image"
}

# A file system from a tar, with its owners: no mount, so no root is needed.
debian_pack() {
	local as=()
	((EUID == 0)) || as=(fakeroot)
	rm -f "$2"
	truncate -s "$debian_size" "$2"
	# shellcheck disable=SC2016 # for the inner shell
	"${as[@]}" bash -c 'tmp=$(mktemp -d "$2.XXXXXX") && tar -C "$tmp" -xf "$1" &&
		mkfs.ext4 -q -F -L debian -d "$tmp" "$2"; s=$?; rm -rf "$tmp"; exit $s' \
		debian_pack "$1" "$2" || no "no file system from ${1##*/}"
}

# All that comes along: the packages under test as well.
debian_stage() {
	local root=$1
	[[ $daemon != yes ]] || debian_packages_under_test "$root/vm/deb"
	[[ -z $kernel_deb ]] || install -D -m 0644 -t "$root/vm/deb" "$kernel_deb"
	cp "$here"/guest/{debian,start} "$root/vm/"
	mkdir -p "$root/vm/bin"
	cp "$guest_tools"/* "$root/vm/bin/"
}

debian_packages_under_test() {
	if [[ -z ${PCR_BIN:-} ]]; then
		make -s -C "$top" deb >&2 || no "the packages do not build"
	fi
	install -D -m 0644 -t "$1" "${PCR_BIN:-$top/build}"/deb/*.deb ||
		no "no packages; make deb"
}
