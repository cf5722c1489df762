# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The machine: emulated (no KVM needed), two serial lines. The first is the
# kernel's console, kept in a file; the second carries the scenario's lines.

qemu_args() {
	local accel=(-accel "tcg,thread=multi")
	# Its clock counts instructions, 2 ns each, and does not wait when nothing runs.
	if [[ $clock == instructions ]]; then
		accel=(-accel "tcg,thread=single" -icount "shift=1,sleep=off")
	fi
	args=(
		"${emulator[@]}" "${accel[@]}" -nodefaults -no-user-config
		-smp "$smp,sockets=$(qemu_sockets)" -m "$mem" -display none -monitor none
		-kernel "$kernel_image" -initrd "$work/initramfs"
		-append "console=$console panic=$([[ $reboots == yes ]] && echo 0 || echo -1) oops=panic psi=1 mitigations=off random.trust_cpu=on${tell:+ $tell}$append"
	)
	# Otherwise a panic stands: a reboot would only come back to it. qemu_watch ends that.
	[[ $reboots == yes ]] || args+=(-no-reboot)
	qemu_numa
	# What is written there is gone with the guest.
	[[ $system != debian ]] || args+=(
		-drive "file=$debian_image,if=virtio,format=raw,snapshot=on")
	[[ -z $disk ]] || args+=(
		-drive "file=$work/disk,if=virtio,format=raw,cache=unsafe,discard=unmap")
}

# Nodes do not share a cache, or the kernel warns: a socket for each that has CPUs.
qemu_sockets() {
	local cpus
	if [[ $numa == *:* ]]; then
		cpus=$(tr / '\n' <<<"$numa" | grep -c '^[0-9]')
	else
		cpus=$numa
	fi
	echo "$cpus"
}

# numa=N: CPUs and memory in N equal nodes. numa=CPUS:MEMORY/CPUS:MEMORY/...: one
# by one, such as 0-1:2G/:1G/2-3: for one of each kind: both, no CPUs, no memory.
qemu_numa() {
	local nodes=() node n size
	if [[ $numa == *:* ]]; then
		IFS=/ read -ra nodes <<<"$numa"
	elif ((numa > 1)); then
		size=$(($(numfmt --from=iec "$mem") / numa))
		for ((n = 0; n < numa; n++)); do
			nodes+=("$((n * smp / numa))-$(((n + 1) * smp / numa - 1)):$size")
		done
	fi
	for n in "${!nodes[@]}"; do
		node=node,nodeid=$n
		[[ ${nodes[n]} == :* ]] || node+=,cpus=${nodes[n]%:*}
		if [[ ${nodes[n]} != *: ]]; then
			node+=,memdev=m$n
			args+=(-object "memory-backend-ram,size=${nodes[n]#*:},id=m$n")
		fi
		args+=(-numa "$node")
	done
}

# Ends a guest whose kernel stands still after a panic, once that is told in whole.
qemu_watch() {
	until grep -q -e '---\[ end Kernel panic' "$work/console"; do
		sleep 1
	done
	kill "$(<"$work/pid")"
}

qemu_shell() {
	qemu_args
	args+=(-serial mon:stdio)
	"${args[@]}"
}

qemu_run() {
	local status=0 started=$SECONDS watch=''
	log=$results/$name.console
	verdict='' reason=''
	qemu_args
	args+=(-serial "file:$work/console" -chardev "stdio,id=wire,signal=off" -pidfile "$work/pid")
	# arm64's machine has one serial line of its own.
	if [[ $kernel_machine == arm64 ]]; then
		args+=(-device "pci-serial,chardev=wire")
	else
		args+=(-serial chardev:wire)
	fi
	note "$kernel $name"
	: >"$work/lines" && : >"$work/console"
	if [[ $reboots == yes ]]; then
		qemu_watch &
		watch=$!
	fi
	timeout -k 5 "$timeout" "${args[@]}" </dev/null 2>"$work/qemu.err" |
		qemu_read "$started" || status=$?
	# It has ended by itself after a panic.
	[[ -z $watch ]] || kill "$watch" 2>/dev/null || true
	cp "$work/console" "$log"
	qemu_judge "$status"
	{
		echo "kernel $kernel_hash"
		echo "tree $tree_hash"
		echo "seconds $((SECONDS - started))"
		grep '^RESULT ' "$work/lines" || true
		echo "verdict $verdict${reason:+ $reason}"
	} >"$result.new"
	mv "$result.new" "$result"
	note "$kernel $name: $verdict in $((SECONDS - started)) s${reason:+: $reason}"
	case $verdict in
	pass) exit 0 ;;
	skip) exit 77 ;;
	*) exit 1 ;;
	esac
}

# Lines as they come: RESULT lines as they are, the rest as progress, files
# into the results directory.
qemu_read() {
	local started=$1 line file=''
	while IFS= read -r line; do
		line=${line%$'\r'}
		if [[ -n $file ]]; then
			if [[ $line == ENDFILE ]]; then
				base64 -d <"$work/file" >"$results/$name.$file" || true
				file=''
			else
				echo "$line" >>"$work/file"
			fi
			continue
		fi
		echo "$line" >>"$work/lines"
		case $line in
		'FILE '*)
			file=${line#FILE }
			file=${file//[^A-Za-z0-9._-]/_}
			: >"$work/file"
			;;
		'RESULT '*) echo "$line" ;;
		'VERDICT '*) ;;
		*) printf '  %4d s  %s\n' "$((SECONDS - started))" "$line" >&2 ;;
		esac
	done
}

# The verdict is the guest's, unless it gave none, or the kernel complained.
qemu_judge() {
	local status=$1 line first=1
	line=$(grep '^VERDICT ' "$work/lines" | tail -n 1 || true)
	read -r _ verdict reason <<<"$line" || true
	if ((status == 124 || status == 137)); then
		verdict=fail reason="no end within $timeout s; killed"
	elif grep -q 'Kernel panic' "$work/console"; then
		verdict=fail
		reason=$(grep -m 1 -o 'Kernel panic.*' "$work/console" | tr -d '\r')
	elif [[ -z $verdict ]]; then
		verdict=fail reason="the guest ended without a verdict (qemu: $status)"
	elif qemu_complaint; then
		verdict=fail
	elif [[ $verdict == pass && -n $same_as ]] && ! selftests_same; then
		verdict=fail
	elif [[ $verdict == pass ]]; then
		return
	elif [[ $verdict == skip ]]; then
		return
	fi
	note "the console's last lines ($log):"
	# Up to there it is the same every time, and no news.
	first=$(grep -n 'Run /init as init' "$work/console" | tail -n 1 | cut -d: -f1 || true)
	tail -n "+${first:-1}" "$work/console" | tr -d '\r' | tail -n 25 | sed 's/^/  | /' >&2
	head -n 5 "$work/qemu.err" >&2
}

# Warnings of the kernel itself. Stalls are left out where the scenario does not
# ask for them: on a busy host an emulated CPU does stand still for seconds.
qemu_complaint() {
	local line
	if [[ $stalls == count ]] &&
		line=$(grep -m 1 -E 'rcu: INFO: .*stall|blocked for more than' "$work/console" | tr -d '\r'); then
		reason="kernel: ${line#*] }"
		return
	fi
	line=$(grep -m 1 -E 'WARNING: |BUG: |KASAN: |INFO: possible |INFO: inconsistent |UBSAN: |kmemleak: [0-9]' \
		"$work/console" | grep -vE 'soft lockup|workqueue lockup' | tr -d '\r') || return 1
	reason="kernel: ${line#*] }"
}
