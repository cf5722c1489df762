# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Exit statuses of sysexits(3), each with a line that names what is wrong.
. "$HERE/lib.sh"

status() {
	code=0
	timeout 10 "$DAEMON" "$@" > "$T/out" 2>&1 < /dev/null || code=$?
	echo $code
}

equals '--version' "$(status --version)" 0
equals '--help' "$(status --help)" 0
equals 'unknown option' "$(status --nonsense)" 64
equals 'a word too many' "$(status --root / extra)" 64
grep -q 'pcpu-reclaimd: extra: ' "$T/out" || fail "$(cat "$T/out")"
equals 'missing root' "$(status --root "$T/nowhere")" 72
grep -q "$T/nowhere: No such file or directory" "$T/out" || fail "$(cat "$T/out")"
# A runtime directory that can't be made.
fakeroot v2
rmdir "$ROOT/run"
equals 'no place for the runtime directory' "$(status --root "$ROOT")" 73
grep -q "$ROOT/run/pcpu-reclaimd can't be used: No such file or directory" "$T/out" ||
	fail "$(cat "$T/out")"
