# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What every case under cases/ leans on: one daemon, one fake root, and assertions
# that say what they saw. `run` sets OUT (the build folder) and HERE (this one).
#
# Every wait has a bound. A case that needs what this host has not got calls skip.

set -u

: "${OUT:?}" "${HERE:?}"
DAEMON=${DAEMON:-$OUT/pcpu-reclaimd}
HELP=$OUT/tests/integration

# In memory where there is a place for that: cases make and remove cgroups by the
# thousand, and a busy disk is no part of what they are about.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
T=$(mktemp -d "${TMPDIR:-/tmp}/pcr-it.XXXXXX")
# Cases with another uid have to come through.
chmod 755 "$T"
ROOT=$T/root
RUN=$ROOT/run/pcpu-reclaimd
CG=$ROOT/sys/fs/cgroup
# shellcheck disable=SC2034 # for cases
KNOBS=$ROOT/sys/kernel/mm/percpu
SOCK=$RUN/org.pcpu-reclaimd
LOG=$T/log
PID=''
STATUS=''
HELPERS=''

finish() {
	code=$?
	trap - EXIT
	for p in $PID $HELPERS; do
		kill -KILL "$p" 2>/dev/null
	done
	if [ "$code" -ne 0 ] && [ "$code" -ne 77 ] && [ -f "$LOG" ]; then
		echo '--- what the daemon said last'
		tail -n 20 "$LOG"
	fi
	if command -v at_end > /dev/null; then
		at_end
	fi
	rm -rf "$T"
	exit "$code"
}
trap finish EXIT
trap 'exit 1' TERM INT HUP

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "not root: $*"
}

# --- assertions ---

equals() { # WHAT GOT WANTED
	[ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

at_most() { # WHAT GOT LIMIT
	[ "$2" -le "$3" ] || fail "$1 is $2, more than $3"
}

at_least() { # WHAT GOT LIMIT
	[ "$2" -ge "$3" ] || fail "$1 is $2, less than $3"
}

# Literal text on any line of the log.
said() {
	grep -qF -- "$1" "$LOG" || fail "the log does not say: $1"
}

unsaid() {
	if grep -F -- "$1" "$LOG"; then
		fail "the log says: $1"
	fi
}

log_lines() {
	wc -l < "$LOG"
}

# Tries a command ten times a second.
eventually() { # SECONDS COMMAND...
	tries=$(($1 * 10))
	shift
	while [ $tries -gt 0 ]; do
		if "$@" > /dev/null 2>&1; then
			return 0
		fi
		sleep 0.1
		tries=$((tries - 1))
	done
	fail "never came true: $*"
}

# --- the machine ---

fakeroot() {
	"$HERE/fakeroot.sh" "$ROOT" "$@"
}

settings() { # lines of one drop-in from stdin, in the place of the last
	cat > "$ROOT/etc/pcpu-reclaimd/conf.d/10-test.conf"
}

# A whole file at once: the daemon may be reading it.
put() { # FILE TEXT
	printf '%s\n' "$2" > "$T/put"
	mv "$T/put" "$1"
}

# A cgroup with the files that are read when something dies below it.
cgroup() { # PATH [DYING [CURRENT]]
	mkdir -p "$T/stage/$1"
	stage=$T/stage/$1
	printf 'nr_descendants 0\nnr_dying_descendants %s\n' "${2:-0}" > "$stage/cgroup.stat"
	printf 'anon 0\nfile 0\nshmem 0\nworkingset_refault_anon 0\nworkingset_refault_file 0\n' \
		> "$stage/memory.stat"
	echo "${3:-0}" > "$stage/memory.current"
	: > "$stage/memory.reclaim"
	mkdir -p "$CG/$1"
	mv "$stage"/* "$CG/$1/"
}

set_dying() { # CGROUP N
	put "$CG/$1/cgroup.stat" "nr_descendants 0
nr_dying_descendants $2"
}

# --- the daemon ---

launch() { # OPTION...: does not wait
	"$DAEMON" --root "$ROOT" "$@" < /dev/null >> "$LOG" 2>&1 &
	PID=$!
}

answers() {
	"$HELP/ask" -t 2 -g version "$SOCK" GetStatus
}

start() { # OPTION...: until it answers
	: >> "$LOG"
	launch "$@"
	tries=100
	until answers > /dev/null 2>&1; do
		kill -0 "$PID" 2>/dev/null || fail 'the daemon ended at start'
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail 'the daemon does not answer'
		sleep 0.05
	done
}

ended() {
	! kill -0 "$PID" 2>/dev/null
}

# Waits for the end of the daemon; STATUS is its exit status.
await_end() { # SECONDS
	tries=$(($1 * 20))
	# A zombie still answers kill -0, so ask for its state.
	while [ -r "/proc/$PID/stat" ] && ! grep -q '^[0-9]* (.*) Z' "/proc/$PID/stat" 2>/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail 'the daemon does not end'
		sleep 0.05
	done
	STATUS=0
	wait "$PID" || STATUS=$?
	PID=''
}

stop() {
	kill -TERM "$PID"
	await_end 15
	equals 'exit status after SIGTERM' "$STATUS" 0
}

# Start that is expected to fail: STATUS.
refused() { # OPTION...
	: >> "$LOG"
	launch "$@"
	await_end 15
}

helper() { # COMMAND...: in the background, ended with the case
	"$@" &
	HELPERS="$HELPERS $!"
}

ask() { # METHOD [PARAMETERS]
	"$HELP/ask" "$SOCK" "$@"
}

get() { # PATH in GetStatus
	"$HELP/ask" -g "$1" "$SOCK" GetStatus
}

is() { # PATH VALUE
	[ "$(get "$1")" = "$2" ]
}

fds() {
	find "/proc/$PID/fd" -mindepth 1 | wc -l
}

# Without the one that the control socket's file is watched by.
lifecycle_fds() {
	echo $(($(find "/proc/$PID/fd" -mindepth 1 -lname 'anon_inode:inotify' | wc -l) - 1))
}

rss_kb() {
	awk '/^Rss:/ {print $2}' "/proc/$PID/smaps_rollup"
}

# A build with sanitizers keeps freed memory on purpose: figures of it say nothing.
need_plain_memory() {
	[ -z "${SANITIZED:-}" ] || skip 'memory figures mean nothing under a sanitizer'
}
