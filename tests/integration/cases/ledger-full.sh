# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A setting that can't be remembered is not changed: the runtime directory is full.
# Said once, not at every turn (field report 6), and the rest goes on.
. "$HERE/lib.sh"

need_root 'a tmpfs of one page'
fakeroot v2 percpu
mkdir "$RUN"
mount -t tmpfs -o size=4k,mode=755 tmpfs "$RUN" 2>/dev/null || skip 'no tmpfs can be mounted here'
at_end() {
	umount "$RUN" 2>/dev/null || umount -l "$RUN"
}
head -c 65536 /dev/zero > "$RUN/filler" 2>/dev/null
settings <<END
[Percpu]
EmptyPagesHigh=8
END
cgroup ci
mkdir "$CG/ci/1" "$CG/ci/2" "$CG/ci/3"
start
eventually 5 grep -qF "empty_pages_high is not changed: the ledger can't be written: No space left on device" "$LOG"
for i in 1 2 3; do
	rmdir "$CG/ci/$i"
	sleep 1.2
done
equals 'the setting' "$(cat "$KNOBS/empty_pages_high")" 4
equals 'times it was said' "$(grep -c 'is not changed' "$LOG")" 1
[ ! -e "$RUN/ledger.new" ] || fail 'a half-written ledger is left behind'

# Room again: a reload tries again.
rm "$RUN/filler"
ask Reload > /dev/null || fail 'the reload failed'
eventually 5 grep -q '^8$' "$KNOBS/empty_pages_high"
stop
equals 'after SIGTERM' "$(cat "$KNOBS/empty_pages_high")" 4
