#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds the house's table against the code: which room may include which, and that
# the pure rooms reach no system call. HACKING.md explains the rooms.
# usage: tests/layers.sh OUT   (OUT holds lib/ROOM.a)
set -u
out=${1:-build}
bad=0

# room: rooms it may include from (itself and include/pcr are always allowed)
table='
base:
sys: base
read: sys base
model: base
policy: base model
trace: base model policy
act: sys base
conf: base sys
loop: base sys read model policy act
ctl: base sys model policy conf
app: base sys read model policy trace act conf loop ctl
client: base
'

may() { printf '%s\n' "$table" | sed -n "s/^$1: *//p"; }

for room in $(printf '%s\n' "$table" | sed -n 's/^\([a-z]*\):.*/\1/p'); do
	[ -d "daemon/$room" ] || continue
	# shellcheck disable=SC2013
	for inc in $(grep -hoE '^#include "[a-z_]+/[a-z_0-9]+\.h"' daemon/"$room"/*.[ch] 2>/dev/null |
			sed 's/#include "\([a-z_]*\)\/.*/\1/' | sort -u); do
		case " pcr $room $(may "$room") " in
		*" $inc "*) ;;
		*) echo "layers: daemon/$room includes daemon/$inc: $(grep -lE "^#include \"$inc/" daemon/"$room"/*.[ch] | tr '\n' ' ')"
		   bad=1 ;;
		esac
	done
done

# A library's header belongs to the rooms named here.
only() {
	lib=$1 header=$2; shift 2
	# shellcheck disable=SC2013 # no blanks in names here
	for f in $(grep -lE "^#include <$header>" daemon/*/*.[ch] daemon/*.c 2>/dev/null); do
		ok=0
		for where in "$@"; do
			# shellcheck disable=SC2254 # it is a pattern
			case $f in $where) ok=1 ;; esac
		done
		[ $ok -eq 1 ] || { echo "layers: $f uses $lib, which belongs to: $*"; bad=1; }
	done
}
only libcgroup 'libcgroup\.h' 'daemon/sys/*'
only inih 'ini\.h' 'daemon/conf/load.c' 'daemon/conf/ini.c'
only libev 'ev\.h' 'daemon/loop/*' 'daemon/ctl/*' 'daemon/app/*'
only jansson 'jansson\.h' 'daemon/ctl/*' 'daemon/client/*'
only libsystemd 'systemd/.*' 'daemon/loop/*' 'daemon/ctl/*' 'daemon/app/*' 'daemon/main.c'

# Pure rooms: nothing that asks the kernel, the clock, or prints.
impure='open|openat|open64|openat64|read|write|pread|pwrite|pread64|ioctl|close|fopen|fopen64|fread|fwrite|fclose|stat|fstat|fstatat|lstat|clock_gettime|gettimeofday|time|nanosleep|usleep|socket|connect|send|recv|sendmsg|recvmsg|fork|execve|kill|getpid|gettid|getuid|syscall|printf|puts|fprintf|__printf_chk|__fprintf_chk|vfprintf|syslog|sd_journal_.*|pthread_.*|ev_.*|getenv|secure_getenv'
for room in model policy trace base; do
	lib=$out/lib/$room.a
	[ -e "$lib" ] || continue
	reached=$(nm -u "$lib" 2>/dev/null | awk '{print $2}' | sed 's/@.*//' | grep -xE "$impure" | sort -u | tr '\n' ' ')
	[ -z "$reached" ] || { echo "layers: daemon/$room is pure, but reaches: $reached"; bad=1; }
done
# policy decides and allocates nothing.
if [ -e "$out/lib/policy.a" ]; then
	reached=$(nm -u "$out/lib/policy.a" | awk '{print $2}' | grep -xE 'malloc|calloc|realloc|free|strdup|asprintf' | tr '\n' ' ')
	[ -z "$reached" ] || { echo "layers: daemon/policy allocates: $reached"; bad=1; }
fi

[ $bad -eq 0 ] && echo "layers: every room keeps to its table"
exit $bad
