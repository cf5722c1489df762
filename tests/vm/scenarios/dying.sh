# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=300 disk=512M modules=lzo-rle,zram
# vm-full: timeout=600
#
# What the kernel alone does with removed cgroups that still hold one page each:
# nothing, until somebody asks. No daemon runs; by hand, step by step:
#
#   parent  one memory.reclaim on the living parent takes the page cache. Not
#           all go: on a journalling ext4 every sixteenth cgroup read an inode
#           table block, whose page the journal holds until a checkpoint.
#   kick    a cgroup whose file was dirty when it went is also held by its
#           writeback structure, which the kernel puts away only when yet
#           another cgroup goes: one mkdir and rmdir.
#   root    a small memory.reclaim on the root runs the shrinkers that reclaim
#           on one cgroup does not, the journal's among them.
#
# tmpfs stays whatever is asked, and goes when there is swap. These are the
# bounds the daemon is measured against.

full && : "${N:=3000}"
: "${N:=1000}"
parent=$CG/storm

storm_on() { # LABEL DIR
	mkdir -p "$parent" "$2"
	memory_on "$CG" && memory_on "$parent"
	# The file system's own bitmaps belong to no job.
	touch "$2/first" && sync
	result "$1.start_kb" "$(percpu_kb)" kB
	made=$(storm dying-create "$parent" "$2" "$N") || abort "storm: $made"
	result "$1.peak_kb" "$(percpu_kb)" kB
	gone=$(storm dying-remove "$parent" "$N") || abort "storm: $gone"
	say "$1: $made; $gone"
	sleep 10
	result "$1.left_kb" "$(percpu_kb)" kB
	result "$1.dying" "$(dying)"
	assert_ge "$1.dying" "$(dying)" $((N * 99 / 100))
}

reclaim() { # LABEL CGROUP AMOUNT
	local since
	since=$(now_ms)
	(echo "$3" >"$2/memory.reclaim") 2>/run/err ||
		say "memory.reclaim: $(sed 's/.*: //' /run/err)"
	result "$1.reclaim_ms" $(($(now_ms) - since)) ms
	left "$1"
}

left() { # LABEL
	sleep 2
	result "$1.after_kb" "$(percpu_kb)" kB
	result "$1.after_dying" "$(dying)"
}

storm_on cache /disk/cache
# Reclaim writes nothing back itself: dirty pages would only start to be
# written, and stay for this time.
sync
reclaim cache.parent "$parent" 1G
mkdir "$CG/kick" && rmdir "$CG/kick"
left cache.kick
assert_le cache.kick.after_dying "$(dying)" $((N / 10))
reclaim cache.root "$CG" 1M
assert_le cache.root.after_dying "$(dying)" 0
storm clear "$parent" >/dev/null && rmdir "$parent"

storm_on tmpfs /tmp/files
reclaim tmpfs.parent "$parent" 1G
assert_ge tmpfs.parent.after_dying "$(dying)" $((N * 99 / 100))

if [ -e /sys/block/zram0 ]; then
	echo 256M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
	reclaim zram.parent "$parent" 100M
	assert_le zram.parent.after_dying "$(dying)" 0
else
	say "no zram in this kernel: swap not shown"
fi
