# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# machine_get: what follows from $kernel_machine. Sets the emulator with its
# machine and what the kernel wants to be told of it, the two serial lines as the
# guest names them, and where the guest's programs come from: this system, or a
# sysroot unpacked beside the build.

# shellcheck disable=SC2034 # all of it is read by its neighbours
machine_get() {
	sysroot='' guest_cc=cc guest_tools=$build/vm/guest
	case $kernel_machine in
	x86-64)
		need_tools qemu-system-x86_64=qemu-system-x86
		emulator=(qemu-system-x86_64 -machine "q35,hpet=off" -cpu "max,la57=off")
		console=ttyS0 wire=ttyS1 tell="tsc=reliable"
		;;
	arm64)
		need_tools qemu-system-aarch64=qemu-system-arm
		# Pointer authentication, which later models have, is slow to emulate.
		emulator=(qemu-system-aarch64 -machine "virt,gic-version=3" -cpu cortex-a72)
		console=ttyAMA0 wire=ttyS0 tell=""
		machine_sysroot
		;;
	esac
}

# The daemon, its client and the tools of the guest, cross-built.
machine_sysroot() {
	sysroot=$top/build/sysroot-arm64
	guest_tools+=-arm64
	make -s -C "$top" build/sysroot-arm64/.made >&2 || no "no sysroot for arm64"
	if [[ -z ${PCR_BIN:-} ]]; then
		make -s -C "$top" PROFILE=arm64 OUT="$build/arm64" all >&2 ||
			no "the daemon does not build for arm64"
	fi
	bin+=/arm64
	guest_cc="aarch64-linux-gnu-gcc --sysroot=$sysroot"
}

# machine_program NAME: where its file is.
machine_program() {
	if [[ -z $sysroot ]]; then
		command -v "$1"
	else
		echo "$sysroot/usr/bin/$1"
	fi
}

# The libraries that a program wants, by the paths it wants them at.
machine_libraries() {
	if [[ -z $sysroot ]]; then
		ldd "$1" | sed -n 's/.*[ \t]\(\/[^ ]*\) (0x.*/\1/p'
	else
		sysroot_libraries "$1"
	fi
}

# The same without the other machine's loader: what each file names, and what
# those name in turn.
sysroot_libraries() {
	local -A seen=()
	local todo=("$1") name path
	readelf -lW "$1" | sed -n 's/.*interpreter: \(.*\)]$/\1/p'
	while ((${#todo[@]})); do
		while read -r name; do
			[[ -z ${seen[$name]:-} ]] || continue
			seen[$name]=yes
			path=$(sysroot_find "$name")
			echo "$path"
			todo+=("$sysroot$path")
		done < <(readelf -dW "${todo[0]}" | sed -n 's/.*(NEEDED).*\[\(.*\)]$/\1/p')
		todo=("${todo[@]:1}")
	done
}

sysroot_find() {
	local dir=/lib/aarch64-linux-gnu
	[[ -e $sysroot$dir/$1 ]] || dir+=/systemd
	[[ -e $sysroot$dir/$1 ]] || no "no library $1 in $sysroot"
	echo "$dir/$1"
}
