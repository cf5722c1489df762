# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=400 daemon=yes
# vm-full: timeout=1200
#
# The 2021 percpu script: N x (1 outer + 10 inner) siblings, the inner ones
# removed in order, Percpu: before, created, removed, and after. With the knob
# in /sys/kernel/mm/percpu and the daemon running, the empty pages above the
# float come back. Without the knob, or with DAEMON=no, it only says what stays:
# kernels are compared with each other that way.
#
# The full tier runs both shapes; N= picks one. The names without a shape in
# them are the last one's.

M=10
parent=$CG/storm
float=4

shape() { # N
	local n=$1 label=x$1
	mkdir -p "$parent"
	memory_on "$CG" && memory_on "$parent"
	sleep 1
	free0=$(meminfo MemFree)
	before=$(percpu_kb)
	made=$(storm percpu-create "$parent" "$n" $M) || abort "storm: $made"
	created=$(percpu_kb)
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
	for r in "before_kb=$before" "created_kb=$created" "removed_kb=$removed" "after_kb=$after"; do
		result "$label.${r%=*}" "${r#*=}" kB
	done
	if [ "$empty" -ge 0 ]; then
		result "$label.empty_pages_removed" "$empty0" pages
		result "$label.empty_pages_after" "$empty" pages
	fi
	result "$label.free_left_kb" $((free0 - $(meminfo MemFree))) kB
	result "$label.vmalloc_kb" "$(meminfo VmallocUsed)" kB
	storm clear "$parent" >/dev/null && rmdir "$parent"
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

if full; then
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
		case $n in
		1000) assert_le "x$n.after_kb" "$after" 12900 ;;
		200) assert_le "x$n.after_kb" "$after" 2900 ;;
		esac
	fi
done
result before_kb "$before" kB
result created_kb "$created" kB
result removed_kb "$removed" kB
result after_kb "$after" kB
if [ "$empty" -ge 0 ]; then
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
