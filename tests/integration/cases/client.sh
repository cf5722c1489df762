# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The client against the real daemon: every command, its exit status, and that what is
# absent is not shown as 0 (field report 28), what is wrong as wrong (30).
. "$HERE/lib.sh"

CTL=$OUT/pcpu-reclaimctl
[ -x "$CTL" ] || skip 'no client here'
code=0
ctl() { # WANTED-STATUS ARGUMENT...
	want=$1
	shift
	code=0
	timeout 20 "$CTL" --socket "$SOCK" "$@" > "$T/out" 2>&1 < /dev/null || code=$?
	[ "$code" -eq "$want" ] || fail "pcpu-reclaimctl $*: exit status $code, not $want: $(cat "$T/out")"
}
shows() {
	grep -qF -- "$1" "$T/out" || fail "no \"$1\" in: $(cat "$T/out")"
}
hides() {
	if grep -F -- "$1" "$T/out"; then
		fail "\"$1\" is shown"
	fi
}

fakeroot v2
settings <<END
[Policy ci]
Match=/ci/**
Reap=no
END
cgroup ci 0 5000000
cgroup ci/job
: > "$LOG"
ctl 3 status
ctl 2 stauts
shows status

start
for command in status cgroups policies 'explain ci' 'explain percpu' history plan log-level; do
	# shellcheck disable=SC2086 # two words
	ctl 0 $command
	# shellcheck disable=SC2086
	ctl 0 --json $command
	grep -q '^[[{]' "$T/out" || fail "--json $command: $(cat "$T/out")"
done
ctl 0 status
shows 'reap'
hides '0 B empty'
# A kernel without the series is no fault of anybody's.
ctl 0 --json doctor
shows '"absent"'
ctl 1 explain /nowhere
ctl 1 trim
ctl 1 reap /nowhere
ctl 0 reload
printf '[Percpu]\nReapStep=16MB\n' | settings
ctl 1 reload
shows '10-test.conf:2:12: '
ctl 1 doctor
shows 'the last reload was refused'
ctl 0 status
shows '10-test.conf:2:12: '
# Of many errors whole lines, and word of the rest; a finding is one line.
for i in 1 2 3 4 5 6 7 8 9 10; do echo "NoSuchKey$i=yes"; done | { echo '[Percpu]'; cat; } | settings
ctl 1 reload
shows '10 errors'
ctl 0 status
shows 'NoSuchKey1=yes: unknown key'
shows 'and more, see: pcpu-reclaimd --check-config'
cut=$(grep NoSuchKey "$T/out" | grep -vc 'unknown key in \[Percpu\]$')
equals 'lines that were cut' "$cut" 0
ctl 1 doctor
shows 'NoSuchKey1=yes: unknown key in [Percpu]; all of it: pcpu-reclaimd --check-config'
hides '\x0a'

# Not permitted is another status than refused.
if [ "$(id -u)" -eq 0 ]; then
	settings < /dev/null
	ctl 0 reload
	chmod 666 "$SOCK"
	code=0
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$CTL" --socket "$SOCK" status > "$T/out" 2>&1 || code=$?
	equals 'status for a stranger' $code 4
fi
stop
