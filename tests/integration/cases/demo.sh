# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# `make demo` around guests that are not run: its table has the storms in the order
# they were run in, and a run that fails leaves the last one's pages alone.
. "$HERE/lib.sh"

mkdir -p "$T/tests/vm" "$T/build/vm-results/6.12"
cp "$HERE/../vm/demo" "$T/tests/vm/"
cat > "$T/tests/vm/run" <<'END'
#!/bin/sh
[ "$2" = 6.12 ] || exit 1
base=$PCR_BUILD/vm-results/$2/demo@$4.quick
sed -n 's/^result \([a-z_.]*\) .*/RESULT demo.\1=1000 kB/p' "$SCENARIO" > "$base.result"
for page in journal explain-percpu explain-dying status; do
	echo "reap of $page" > "$base.$page.txt"
done
END
chmod +x "$T/tests/vm/run"
export PCR_BUILD="$T/build" SCENARIO="$HERE/../vm/scenarios/demo.sh"

"$T/tests/vm/demo" > "$T/table" || fail "$(cat "$T/table")"
sed -n 's/^\([a-z]*\) .* MB .*/\1/p' "$T/table" > "$T/rows"
sed -n 's/^result \([a-z]*\)\.left_kb .*/\1/p' "$SCENARIO" > "$T/storms"
equals rows "$(cat "$T/rows")" "$(cat "$T/storms")"
grep -qF 'reap of journal' "$PCR_BUILD/demo/journal.txt" || fail 'no journal is kept'
grep -qF '  reap of explain-dying' "$T/table" || fail "$(cat "$T/table")"

"$T/tests/vm/demo" no-such-kernel > "$T/table" 2>&1 && fail 'a kernel that is not there was run'
[ -s "$PCR_BUILD/demo/journal.txt" ] || fail 'the last journal is gone'
