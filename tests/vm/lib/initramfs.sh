# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The guest's root file system: busybox, the real daemon and its client, a real
# journald, their libraries, the guest tools, the scenario. Nothing else, and
# no root needed to make it: ownership is set while packing.

initramfs_stage() {
	local root=$1
	make -s -f "$here/guest/Makefile" -C "$top" O="$guest_tools" CC="$guest_cc" >&2
	mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},etc,proc,sys,dev,run,tmp,root,var,vm/modules}
	for f in bin sbin lib lib64; do
		ln -s "usr/$f" "$root/$f"
	done
	cp "$(machine_program busybox)" "$root/usr/bin/busybox"
	ln -s busybox "$root/usr/bin/sh"
	install -m 0755 "$here/guest/init" "$root/init"
	cp "$here"/guest/{main,lib.sh,thp.sh,trace.sh,verdict.sh} "$root/vm/"
	cp "$here/scenarios/$scenario.sh" "$root/vm/scenario"
	initramfs_modules "$root"
	initramfs_env >"$root/vm/env"
	echo 0123456789abcdef0123456789abcdef >"$root/vm/machine-id"
	if [[ $system == debian ]]; then
		debian_stage "$root"
	else
		initramfs_system "$root"
	fi
}

# Without a root file system of its own this one is all there is.
initramfs_system() {
	local root=$1
	initramfs_copy "$root" "$sysroot/usr/lib/systemd/systemd-journald" usr/lib/systemd
	initramfs_copy "$root" "$(machine_program journalctl)" usr/bin
	if [[ $daemon == yes && -x $bin/pcpu-reclaimd && -x $bin/pcpu-reclaimctl ]]; then
		initramfs_copy "$root" "$bin/pcpu-reclaimd" usr/sbin
		initramfs_copy "$root" "$bin/pcpu-reclaimctl" usr/bin
		initramfs_settings "$root"
	fi
	cp "$guest_tools"/* "$root/usr/bin/"
	[[ $selftests == no ]] || selftests_stage "$root" "$selftests"
	initramfs_etc "$root"
}

# A program and every library it wants, at the paths it wants them.
initramfs_copy() {
	local root=$1 program=$2 dir=$3 lib
	mkdir -p "$root/$dir"
	cp "$program" "$root/$dir/"
	machine_libraries "$program" | while IFS= read -r lib; do
		[[ -e $root/${lib#/} ]] && continue
		mkdir -p "$root$(dirname "$lib")"
		cp -L "$sysroot$lib" "$root$lib"
	done
}

# The shipped settings, as `make install` lays them out.
initramfs_settings() {
	local root=$1
	if [[ -f $top/conf/pcpu-reclaimd.conf ]]; then
		install -D -m 0644 -t "$root/usr/lib/pcpu-reclaimd" \
			"$top/conf/pcpu-reclaimd.conf"
	fi
}

initramfs_etc() {
	local root=$1
	cp "$root/vm/machine-id" "$root/etc/machine-id"
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' \
		'guest:x:1000:1000:guest:/tmp:/bin/sh' \
		'nobody:x:65534:65534:nobody:/:/bin/false' >"$root/etc/passwd"
	printf '%s\n' root:x:0: systemd-journal:x:101: adm:x:4: \
		guest:x:1000: nogroup:x:65534: >"$root/etc/group"
	printf '%s\n' 'passwd: files' 'group: files' >"$root/etc/nsswitch.conf"
	printf '%s\n' 'ID=debian' 'PRETTY_NAME="test guest"' >"$root/etc/os-release"
	mkdir -p "$root/etc/systemd"
	# Volatile and never in the way: a storm's lines all count.
	printf '%s\n' '[Journal]' Storage=volatile RateLimitIntervalSec=0 \
		RuntimeMaxUse=64M Audit=no ReadKMsg=no \
		>"$root/etc/systemd/journald.conf"
}

initramfs_modules() {
	local root=$1 want=() f
	[[ -z $disk && $system != debian ]] || want+=(virtio_pci virtio_blk ext4)
	# shellcheck disable=SC2206 # a list of words
	want+=($modules)
	# Brought along for the scenario to insert.
	# shellcheck disable=SC2086 # a list of words
	kernel_modules $carry | xargs -r cp -t "$root/vm/modules"
	: >"$root/vm/modules/list"
	((${#want[@]})) || return 0
	while IFS= read -r f; do
		cp "$f" "$root/vm/modules/"
		echo "${f##*/}" >>"$root/vm/modules/list"
	done < <(kernel_modules "${want[@]}")
}

initramfs_env() {
	local s
	echo "VM_SCENARIO=$scenario"
	echo "VM_TIER=$tier"
	echo "VM_KERNEL=$kernel"
	echo "VM_CGROUPS=$cgroups"
	echo "VM_DISK=$disk"
	echo "VM_ROOT=$system"
	echo "VM_SHELL=$shell"
	echo "VM_CONSOLE=/dev/$console"
	echo "VM_WIRE=/dev/$wire"
	for s in "${settings[@]}"; do
		echo "$s"
	done
}

# What a result depends on besides the kernel: every byte that goes in, and the
# machine it runs on.
initramfs_hash() {
	local root=$1
	{
		echo "${emulator[*]} $clock $smp $mem $numa $cgroups $disk $journal $append $system ${debian_image##*/}"
		(cd "$root" && find . \( -type f -o -type l \) -printf '%m %p %l\n' | sort)
		(cd "$root" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
	} | sha256sum | cut -c1-16
}

initramfs_pack() {
	(cd "$1" && find . -print0 | sort -z |
		cpio --quiet -0 -o -H newc -R 0:0 --reproducible) >"$2"
}
