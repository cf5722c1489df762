# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Cgroups named as kubelet, podman, docker and systemd name them (tests/trees): each is
# found under its name, the policy that was meant for it matches, and tables show both.
. "$HERE/lib.sh"

CTL=$OUT/pcpu-reclaimctl
TREES=$HERE/../trees
fakeroot v2
# The first match applies, so what is more special stands before.
settings << 'END'
[Daemon]
DryRun=yes
[Policy conmon]
Match=**/crio-conmon-*.scope **/libpod-conmon-*.scope
[Policy batch]
Match=/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod*.slice/**
Match=/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod*.slice
[Policy static]
Match=**/kubepods-burstable-pod????????????????????????????????.slice/*
[Policy crio]
Match=/kubepods.slice/**/crio-*.scope
[Policy web]
Match=/kubepods.slice/**/kubepods-burstable-pod7b0c9f4e_*.slice
Match=/kubepods.slice/**/kubepods-burstable-pod7b0c9f4e_*.slice/**
[Policy guaranteed]
Match=/kubepods.slice/kubepods-pod*.slice /kubepods.slice/kubepods-pod*.slice/**
[Policy cgroupfs]
Match=/kubepods/*/pod*/**
[Policy pod]
Match=/machine.slice/machine-libpod_pod_*.slice /machine.slice/machine-libpod_pod_*.slice/**
[Policy vm]
Match=/machine.slice/machine-qemu\x2d*.scope /machine.slice/machine-qemu\x2d*.scope/**
[Policy nspawn]
Match=/machine.slice/systemd-nspawn@*.service/**
[Policy rootless]
Match=/user.slice/user-*.slice/user@*.service/user.slice/libpod-*.scope/**
[Policy ci]
Match=/machine.slice /machine.slice/**
[Policy docker]
Match=/system.slice/docker-*.scope /system.slice/docker-*.scope/**
[Policy database]
Match=**/postgresql@*.service
[Policy getty]
Match=**/getty@tty?.service
[Policy fsck]
Match=/system.slice/system-systemd\x2dfsck.slice/systemd-fsck@dev-disk-by\x2duuid-*.service
[Policy desktop]
Match=**/app-org.mozilla.firefox\x2desr@*.service
END
cat "$TREES"/*.tree | LC_ALL=C sort -k 2 > "$T/trees"
# Backslashes are part of names: read -r.
while read -r _ path; do
	cgroup "$path" 150 5000000
done < "$T/trees"
start
n=0
while read -r policy path; do
	"$CTL" --socket "$SOCK" explain "/$path" > "$T/out" 2>&1 < /dev/null || fail "explain /$path: $(cat "$T/out")"
	if [ "$policy" = - ]; then
		wanted="/$path matches no policy"
	else
		wanted="/$path matches policy \"$policy\""
	fi
	head -n 1 "$T/out" | grep -qF -- "$wanted" || fail "not \"$wanted\": $(cat "$T/out")"
	n=$((n + 1))
done < "$T/trees"
at_least 'cgroups held against it' "$n" 40

# The same in the table of all of them, where JSON writes a backslash twice.
"$CTL" --socket "$SOCK" --json cgroups --all | tr '{' '\n' > "$T/cgroups.json"
"$CTL" --socket "$SOCK" cgroups --all > "$T/cgroups.txt" || fail 'cgroups'
one() { # FILE: found is a line
	equals "lines of $1 for /$path" "$(printf '%s\n' "$found" | grep -c .)" 1
}
row() { PATH_WANTED=/$path awk '$1 == ENVIRON["PATH_WANTED"]' "$T/cgroups.txt"; }
while read -r policy path; do
	found=$(grep -F "\"cgroup\":\"/$(printf '%s\n' "$path" | sed 's/\\/&&/g')\",\"id\":" "$T/cgroups.json")
	one cgroups.json
	case $policy:$found in
	-:*'"policy":'*) fail "a policy for /$path: $found" ;;
	-:*) ;;
	*"\"policy\":\"$policy\""*) ;;
	*) fail "/$path: no policy \"$policy\": $found" ;;
	esac
	found=$(row)
	one cgroups.txt
	[ "$policy" = - ] || printf '%s\n' "$found" | grep -q " $policy " ||
		fail "/$path: no policy \"$policy\": $found"
done < "$T/trees"

# What is said of the longest of them names all of it: its end alone would be another cgroup.
path=$(awk '{ print $2 }' "$T/trees" | awk '{ print length, $0 }' | sort -n | tail -n 1 | cut -d' ' -f2)
at_least 'the length of a path' "${#path}" 190
said "reap /$path: would reclaim"
ask GetHistory '{"limit":100}' > "$T/history"
grep -qF "\"cgroup\":\"/$path\"" "$T/history" || fail "history has not /$path: $(cat "$T/history")"
stop
