# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=600 disk=768M journal=no daemon=yes
# vm-full: timeout=3600
#
# podman 18761: a container with a health check, and each check is a cgroup below the
# container's that comes, reads and writes a little, and goes. A page of cache stays
# charged to it, so it stays as well, and after days the host is out of memory.
#
# N checks without the daemon, and N with it and its default settings, in quarters:
# percpu memory must not be higher in the last one than it was in the second. It has the
# teeth of a saw, 10 to 30 seconds each. With a pause of PAUSE microseconds after each
# check a quarter has several of them; in the quick tier, that has one at most, it must stay
# below half of what it is without the daemon.

need_daemon
full && : "${N:=20000}" "${PAUSE:=12000}"
: "${N:=2000}" "${PAUSE:=25000}"
id=4f2c0b7d1e9a86355c7d20f4b1e8a93d66f0c2b58e417da9035be6c8f7d2a14b
scope=$CG/machine.slice/libpod-$id.scope
container=$scope/container
quarter=$((N / 4))

# As podman and crun lay it out, with the container's own process beside its checks.
container_start() {
	mkdir -p "$container/main" /disk/checks
	memory_on "$CG" && memory_on "$CG/machine.slice" && memory_on "$scope" && memory_on "$container"
	sh -c 'echo 0 >"$1/cgroup.procs" && exec sleep 1000000' main "$container/main" &
	main=$!
	# The file system's own bitmaps belong to no check.
	touch /disk/checks/first && sync
}

container_stop() {
	kill $main && wait $main 2>/dev/null
	storm clear "$CG/machine.slice" >/dev/null && rmdir "$CG/machine.slice"
	rm -rf /disk/checks
	wait_for 5 no_dying || say "$(dying) removed cgroups stay"
}

# Fills start, and high1 to high4: the highest Percpu: of each quarter.
checks() { # LABEL USEC
	local q
	start=$(percpu_kb)
	for q in 1 2 3 4; do
		made=$(storm checks "$container" /disk/checks $(((q - 1) * quarter)) $quarter "$2") ||
			abort "storm: $made"
		say "$1: quarter $q: $made dying=$(dying)"
		eval "high$q=$(word high_kb "$made")"
	done
}

container_start
checks off 0
off=$high4
result percpu_start_kb "$start" kB
result percpu_off_kb "$off" kB
assert_ge "percpu_off_kb - start" $((off - start)) $((N * 3))
assert_ge "off: last quarter's percpu memory above the second's" $((off - high2)) $((N * 4 / 3))
container_stop

daemon_start ""
container_start
checks on "$PAUSE"
result percpu_on_half_kb "$high2" kB
result percpu_on_kb "$high4" kB
if full; then
	assert_le "10 x percpu_on_kb" $((high4 * 10)) $((high2 * 11))
fi
assert_le percpu_on_kb "$high4" $((off / 2))
ctl explain "${container#"$CG"}" 2>&1 | tee /run/explain.txt
save /run/explain.txt
ctl history --limit 5
journal -o cat >/run/journal.txt
save /run/journal.txt
container_stop
daemon_stop
