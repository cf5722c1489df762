# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 daemon=yes
# vm-full: timeout=2400
# vm-arm64: smp=4 mem=6G timeout=2400
#
# The 2021 percpu script: N x (1 outer + 10 inner) siblings, the inner ones
# removed in order, Percpu: before, created, removed, and after. With the knob
# in /sys/kernel/mm/percpu and the daemon running, the empty pages above the
# float come back. Without the knob, or with DAEMON=no, it only says what stays:
# kernels are compared with each other that way.
#
# metadata_* is what it takes to manage that memory, which Percpu: does not
# count: metadata_bytes, or what VmallocUsed grew by where there is no such file.
#
# The full tier runs both shapes; N= picks one. The names without a shape in
# them are the last one's. As percpu50 (the same file) it is N x (1 + 50).

M=10
[ "$VM_SCENARIO" != percpu50 ] || M=50
parent=$CG/storm
float=4
knobs=/sys/kernel/mm/percpu

has_metadata() { [ -r $knobs/metadata_bytes ]; }
metadata_kb() {
	if has_metadata; then
		echo $(($(cat $knobs/metadata_bytes) / 1024))
	else
		echo $(($(meminfo VmallocUsed) - vmalloc0))
	fi
}
units() { # as many as there are possible CPUs
	local possible
	possible=$(cat /sys/devices/system/cpu/possible)
	echo $((${possible##*-} + 1))
}
# What is left when the empty pages are taken off: pages with a live byte.
in_use_kb() { echo $((after - empty * $(units) * $(percpu_page_kb))); }
chunk_bytes() { echo $(($(percpu_page_kb) * 1024 * $(cat $knobs/unit_pages))); } # of one CPU
# A vector with a pointer for each 4 bytes of a chunk but the first, on top.
stock_metadata_kb() { echo $((metadata_created + \
	($(cat $knobs/nr_chunks) - 1) * 2 * $(chunk_bytes) / 1024)); }
# 64 bytes an accounted object, of which a cgroup has one and one a node; 1 KB,
# the bitmaps and 32 bytes a page for a chunk.
metadata_bound_kb() { # CGROUPS
	local nodes
	nodes=$(ls -d /sys/devices/system/node/node[0-9]* 2>/dev/null | wc -l)
	[ "$nodes" -gt 0 ] || nodes=1
	echo $(($1 * (1 + nodes) * 64 / 1024 + $(cat $knobs/nr_chunks) * \
		(1024 + $(chunk_bytes) / 16 + $(cat $knobs/unit_pages) * 32) / 1024))
}

shape() { # N
	local n=$1 label=x$1
	mkdir -p "$parent"
	memory_on "$CG" && memory_on "$parent"
	sleep 1
	free0=$(meminfo MemFree)
	before=$(percpu_kb)
	vmalloc0=$(meminfo VmallocUsed)
	made=$(storm percpu-create "$parent" "$n" $M) || abort "storm: $made"
	created=$(percpu_kb)
	spare=$(empty_pages || echo -1)
	metadata_created=$(metadata_kb)
	if has_metadata; then stock_created=$(stock_metadata_kb); fi
	gone=$(storm percpu-remove "$parent" "$n" $M "${PAUSE:-0}") || abort "storm: $gone"
	say "$n x $M: $made; $gone"
	# The kernel's own work is done by then (nothing changes after 2 s).
	# With a daemon it is not left alone so long: removed is read at once.
	if [ $acting = no ]; then
		sleep 10
		removed=$(percpu_kb)
		empty0=$(empty_pages || echo -1)
	else
		removed=$(percpu_kb)
		empty0=$(empty_pages || echo -1)
		sleep 10
		wait_for 20 trimmed
	fi
	after=$(percpu_kb)
	empty=$(empty_pages || echo -1)
	metadata_after=$(metadata_kb)
	if has_metadata; then bound=$(metadata_bound_kb $((n + 50))); fi
	results "$label."
	if [ "$empty" -ge 0 ]; then
		result "$label.empty_pages_created" "$spare" pages
		result "$label.empty_pages_removed" "$empty0" pages
		result "$label.empty_pages_after" "$empty" pages
		result "$label.in_use_kb" "$(in_use_kb)" kB
	fi
	result "$label.free_left_kb" $((free0 - $(meminfo MemFree))) kB
	result "$label.vmalloc_kb" "$(meminfo VmallocUsed)" kB
	storm clear "$parent" >/dev/null && rmdir "$parent"
}

results() { # PREFIX
	for r in "before_kb=$before" "created_kb=$created" "removed_kb=$removed" "after_kb=$after" \
		"metadata_created_kb=$metadata_created" "metadata_after_kb=$metadata_after" \
		"total_created_kb=$((created + metadata_created))" \
		"total_after_kb=$((after + metadata_after))"; do
		result "$1${r%=*}" "${r#*=}" kB
	done
}

# With so many CPUs, pages of that size, N and M: what may stay. On 64 KB pages a
# survivor in eleven, and in fifty-one, is on each page, and no page comes back.
# On 6.1 it is more than later, as what a cgroup has of percpu memory is another mix.
bars() { # N
	local machine
	machine="$(cat $knobs/nr_units) x $(percpu_page_kb) kB"
	case $(uname -r) in
	6.1.*) machine="6.1, $machine" ;;
	esac
	case "$machine, $1 x $M" in
	"2 x 4 kB, 200 x 10") assert_le "x$1.after_kb" "$after" 2900 ;;
	"2 x 4 kB, 1000 x 10")
		assert_le "x$1.after_kb" "$after" 12900
		assert_le "x$1.total_after_kb" $((after + metadata_after)) 16000
		;;
	"6.1, 2 x 4 kB, 200 x 10") assert_le "x$1.after_kb" "$after" 3400 ;;
	"6.1, 2 x 4 kB, 1000 x 10")
		assert_le "x$1.after_kb" "$after" 14600
		assert_le "x$1.total_after_kb" $((after + metadata_after)) 17500
		;;
	"4 x 64 kB, 1000 x 10")
		assert_le "x$1.total_after_kb" $((after + metadata_after)) 73000
		;;
	"4 x 64 kB, 1000 x 50")
		assert_le "x$1.total_after_kb" $((after + metadata_after)) 315000
		;;
	*) say "no bar for a unit page of $machine and $1 x $M" ;;
	esac
}

trimmed() { [ "$(empty_pages)" -le "$float" ]; }

acting=no
if [ "${DAEMON:-yes}" = yes ] && has_trim_knob; then
	need_daemon
	daemon_start ""
	acting=yes
fi
if has_trim_knob; then
	float=$(cat /sys/kernel/mm/percpu/empty_pages_high 2>/dev/null || echo 4)
fi
say "daemon $acting, trim knob $(has_trim_knob && echo yes || echo no)"
has_metadata || say "no metadata_bytes: metadata is what VmallocUsed grew by"

if full && [ $M = 50 ]; then
	shapes=${N:-1000}
elif full; then
	shapes=${N:-"200 1000"}
else
	shapes=${N:-200}
fi
for n in $shapes; do
	shape "$n"
	if [ $acting = yes ]; then
		assert_le "x$n.empty_pages_after" "$empty" "$float"
		# The bars are of a kernel without lockdep's and KASAN's own percpu memory.
		[ ! -e /proc/lockdep ] || continue
		bars "$n"
		# A vector is 2 / nr_units of the payload.
		[ "$(cat $knobs/nr_units)" != 2 ] ||
			assert_le "x$n.total_created_kb" $((created + metadata_created)) \
				$(((created + stock_created) * 60 / 100))
		assert_le "x$n.metadata_after_kb" "$metadata_after" "$bound"
	fi
done
results ''
if [ "$empty" -ge 0 ]; then
	result empty_pages_created "$spare" pages
	result in_use_kb "$(in_use_kb)" kB
	result empty_pages_after "$empty" pages
	result empty_pages_high "$float" pages
fi
if [ $acting = yes ]; then
	ctl explain percpu 2>&1 | tee /run/explain.txt
	save /run/explain.txt
	journal -o cat >/run/journal.txt
	save /run/journal.txt
	daemon_stop
fi
