# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Empty percpu memory: nothing is written while it is within the float, "max" once a
# removal shows more of it than TrimAbove=. By hand, so many bytes.
. "$HERE/lib.sh"

fakeroot v2 percpu
cgroup a
mkdir "$CG/a/1" "$CG/a/2" "$CG/a/3"
start
helper "$HELP/kernel" "$ROOT" '' a > "$T/writes"
equals 'trim ready' "$(get 'actions.[action=trim].ready')" true
equals 'pages beyond the float' "$(get percpu.surplus_bytes)" 0

# 20 pages beyond the float on 2 CPUs are less than TrimAbove=1M.
put "$KNOBS/empty_pages" 24
rmdir "$CG/a/1"
eventually 10 is percpu.empty_pages 24
[ ! -s "$T/writes" ] || fail "trimmed: $(cat "$T/writes")"

put "$KNOBS/empty_pages" 404
rmdir "$CG/a/2"
eventually 10 grep -q 'percpu max' "$T/writes"
eventually 10 is percpu.empty_pages 4
eventually 10 grep -q '^pcpu-reclaimd: trim percpu: ' "$LOG"

ask Trim '{"bytes": 65536}' > "$T/answer" || fail "$(cat "$T/answer")"
eventually 10 grep -q 'percpu 65536' "$T/writes"
equals 'trims' "$(grep -c '^percpu' "$T/writes")" 2
stop
