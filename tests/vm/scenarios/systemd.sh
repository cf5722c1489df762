# shellcheck shell=dash
# vm: timeout=900 root=debian daemon=yes reboots=yes
#
# From the package to its purge on a Debian whose process 1 is systemd: install, boot
# with it, every knob and source from inside its sandbox, reload, restart, kill, stop,
# upgrade, remove. All of it with a drop-in that has a system call outside of the
# sandbox kill the daemon, so that none is refused in silence.

deb=$(echo /vm/deb/pcpu-reclaimd_*.deb)
knobs=/sys/kernel/mm/percpu
parent=$CG/machine.slice
dropins=/etc/systemd/system/pcpu-reclaimd.service.d
metrics_dropins=/etc/systemd/system/pcpu-reclaimd-metrics@.service.d
unit() { systemctl show -P "$1" pcpu-reclaimd.service; }
# What a reader of a failure wants to see, in lines of its own.
evidence() { systemctl --no-pager -l status pcpu-reclaimd | sed 's/^/  /'; }
active() { systemctl is-active --quiet pcpu-reclaimd.service && daemon_answers; }
float_high() { cat $knobs/empty_pages_high; }
is_high() { [ "$(float_high)" = "$1" ]; }
source_now() { ctl status --json | jget watching.source; }
is_source() { [ "$(source_now)" = "$1" ]; }

# What a package may leave is told from what was there; others write there meanwhile.
files() {
	find / -xdev -path /proc -prune -o -path /sys -prune -o -path /dev -prune -o -path /vm -prune \
		-o -path /tmp -prune -o -path /var/log -prune -o -path /var/lib/dpkg -prune \
		-o -path /var/cache -prune -o -path /var/lib/rebooted -o -path /root -prune \
		-o -path /var/lib/systemd/timers -prune -o -name 'group*' -path '/etc/*' \
		-o -name 'gshadow*' -path '/etc/*' -o -print | sort
	cat /etc/group
}

if ! rebooted; then
	files >/var/log/files.before
	dpkg -i "$deb" >/run/dpkg.log 2>&1 || abort "install: $(tail -n 3 /run/dpkg.log)"
	wait_for 30 active || { evidence; abort "not running after its installation"; }
	assert_eq "service after installation" "$(systemctl is-enabled pcpu-reclaimd.service)" enabled
	assert_eq "socket after installation" "$(systemctl is-enabled pcpu-reclaimd.socket)" enabled
	mkdir -p $dropins
	# fanotify is tried wherever it might be had, and is refused for want of a capability.
	printf '%s\n' '[Service]' SystemCallErrorNumber=kill \
		'SystemCallFilter=fanotify_init fanotify_mark' >$dropins/50-strict.conf
	reboot_once
fi

# ---- booted with it ----

wait_for 60 active || { evidence; abort "not running after a boot"; }
result boot_to_ready_ms $(($(unit ActiveEnterTimestampMonotonic) / 1000)) ms
daemon_pid=$(unit MainPID)
exposure=$(systemd-analyze security --no-pager pcpu-reclaimd.service |
	sed -n 's/.*Overall exposure level.*: \([0-9]*\)\.\([0-9]\).*/\1\2/p')
result exposure_x10 "$exposure"
assert_le exposure_x10 "$exposure" 17
say "capabilities $(awk '$1 == "CapEff:" { print $2 }' "/proc/$daemon_pid/status"), $(awk '$1 == "NoNewPrivs:" || $1 == "Seccomp:"' "/proc/$daemon_pid/status" | tr -s '\t\n' ' ')"
# Its threads as they set themselves: short slices, and one that stands back.
nices() { awk '{ print $19 }' /proc/"$daemon_pid"/task/*/stat | sort -n | tr '\n' ' '; }
say "nice: $(nices), $(grep -E 'slice' "/proc/$daemon_pid/sched" | tr -s ' ')"
nices | grep -q " 0 \$" || fail "no thread of it stands back"
result rss_kb "$(daemon_rss_kb)" kB
# Without a capability to lock memory, within the unit's limit.
assert_ge "kB locked" "$(awk '$1 == "VmLck:" { print $2 }' "/proc/$daemon_pid/status")" 1000
assert_eq memory.swap.max "$(cat "$CG/system.slice/pcpu-reclaimd.service/memory.swap.max")" 0

# ---- doctor: no finding; what the kernel has can be used, fanotify but for ----

# usable SUBJECT:SUBJECT...: doctor finds these in order, and no problem at all
usable() {
	ctl doctor >/run/doctor.txt || fail "doctor has found something"
	cat /run/doctor.txt
	ctl doctor --json >/run/doctor.json
	assert_eq problems "$(jget problems </run/doctor.json)" 0
	jget 'findings[].subject' </run/doctor.json >/run/subjects
	jget 'findings[].kind' </run/doctor.json >/run/kinds
	paste -d: /run/kinds /run/subjects >/run/findings
	echo "$1" | tr ':' '\n' | grep . >/run/must
	while read -r subject; do
		grep -qxF "ok:$subject" /run/findings || fail "doctor: $subject is not usable in the sandbox"
	done </run/must
}
must="own memory:cgroups:lifecycle tracefs:lifecycle inotify:lifecycle walk:pressure:reap:file descriptors:settings"
if has_trim_knob; then
	must="$must:percpu trim:percpu float low:percpu float high:percpu threshold"
else
	must="$must:percpu spare chunk"
fi
usable "$must"

# ---- who may ask ----

asked_as() { # GROUP: the exit status
	setpriv --reuid nobody --regid nogroup --groups "$1" -- pcpu-reclaimctl status >/dev/null 2>&1
	echo $?
}
assert_eq "a member of the group may ask" "$(asked_as pcpu-reclaimd)" 0
assert_eq "others may not" "$(asked_as nogroup)" 4

# ---- metrics over HTTP: off until asked for, then from a sandbox of their own ----

assert_eq "metrics over HTTP, unasked" "$(systemctl is-enabled pcpu-reclaimd-metrics.socket)" disabled
mkdir -p "$metrics_dropins"
printf '%s\n' '[Service]' SystemCallErrorNumber=kill >"$metrics_dropins/50-strict.conf"
systemctl enable --now pcpu-reclaimd-metrics.socket || fail "the metrics socket"
scrape() { # PATH
	bash -c "exec 3<>/dev/tcp/127.0.0.1/9817 && printf 'GET $1 HTTP/1.0\r\n\r\n' >&3 && cat <&3" |
		tr -d '\r'
}
scrape /metrics >/run/scrape.txt
assert_eq "answer to a scrape" "$(head -n 1 /run/scrape.txt)" "HTTP/1.0 200 OK"
assert_eq "its end" "$(tail -n 1 /run/scrape.txt)" "# EOF"
assert_ge "cgroups in a scrape" "$(awk '$1 == "pcpu_reclaimd_cgroups" { print $2 }' /run/scrape.txt)" 2
result metrics_series "$(grep -c '^pcpu_reclaimd_' /run/scrape.txt)"
assert_eq "answer to another path" "$(scrape / | head -n 1)" "HTTP/1.0 404 Not Found"
say "metrics: $(systemctl show -P NAccepted pcpu-reclaimd-metrics.socket) connections"

# ---- a storm, also in a tree that belongs to a user ----

configure "[Percpu]
ReapAbove=20
ReapAfter=2s
Cooldown=1s
[Daemon]
TraceMarker=yes"
systemctl reload pcpu-reclaimd || { evidence; fail "a reload fails"; }
n=200
mkdir -p "$parent/jobs" "$parent/user" /var/tmp/jobs /var/tmp/user
memory_on "$parent"
for who in jobs user; do
	memory_on "$parent/$who"
	[ $who = jobs ] || chown -R 1000:1000 "$parent/user"
	storm dying-create "$parent/$who" /var/tmp/$who $n >/dev/null || abort storm
	[ $who = jobs ] || chown -R 1000:1000 "$parent/user"
	storm dying-remove "$parent/$who" $n >/dev/null || abort storm
done
few() { [ "$(dying "$1")" -lt 20 ]; }
wait_for 60 few "$parent/jobs" || fail "not reaped: $(ctl explain /machine.slice/jobs)"
wait_for 60 few "$parent/user" || fail "not reaped in a user's tree: $(ctl explain /machine.slice/user)"
result dying_left "$(staying "$parent")"
ctl status
ctl history --limit 5
say "$(unit StatusText)"
unit StatusText | grep -q 'iven back' || fail "STATUS says nothing of what was done"
# The line comes when the reap has ended, which is later than that few are left.
reaped() { journalctl -q PCR_ACTION=reap PCR_CGROUP=/machine.slice/jobs -o cat | grep -q .; }
wait_for 60 reaped || fail "no reap in the journal: $(ctl explain /machine.slice/jobs)"
assert_eq "refused writes in the journal" "$(journalctl -q PCR_OUTCOME=error -o cat | wc -l)" 0
journalctl -q -x -u pcpu-reclaimd | grep -q 'Defined-By: pcpu-reclaimd' ||
	fail "the catalog is not known"
assert_ge "marks in the trace" "$(grep -c 'pcpu-reclaimd' /sys/kernel/tracing/trace)" 1
ctl trim || fail "trim was refused"
trimmed() { journalctl -q PCR_ACTION=trim PCR_REASON=asked -o cat | grep -q .; }
wait_for 60 trimmed || fail "no trim came of it"
assert_eq "refused writes in the journal" "$(journalctl -q PCR_OUTCOME=error -o cat | wc -l)" 0

# ---- reload ----

configure "[Percpu]
EmptyPagesHigh=8
[Pressure]
Trigger=100ms/1s
[Daemon]
LogLevel=debug"
systemctl reload pcpu-reclaimd || fail "a reload with good settings fails"
# Live when it returns.
assert_eq "log level after the reload" "$(ctl log-level)" debug
ctl doctor | grep -q 'trigger.* armed' || fail "no trigger with a window of its own: $(ctl doctor)"
! has_trim_knob || wait_for 10 is_high 8 || fail "empty_pages_high is $(float_high), wanted 8"
echo '[Percpu]
Reap=perhaps' >/etc/pcpu-reclaimd/conf.d/60-bad.conf
! systemctl reload pcpu-reclaimd 2>/run/reload.txt || fail "a reload with bad settings succeeds"
active || fail "bad settings have ended it"
assert_eq "log level after the refused reload" "$(ctl log-level)" debug
assert_ge "refusals in the journal" \
	"$(journalctl -q MESSAGE_ID=3229c77e12a44fb794dca05159a760b4 -o cat | grep -c '60-bad.conf:2')" 1
say "$(unit StatusText)"
unit StatusText | grep -q '60-bad.conf:2' || fail "STATUS does not tell of refused settings: $(unit StatusText)"
rm /etc/pcpu-reclaimd/conf.d/60-bad.conf
systemctl reload pcpu-reclaimd || fail "mended settings are refused"
! unit StatusText | grep -q 'bad.conf' || fail "STATUS still tells of refused settings"
assert_eq "the same process all along" "$(unit MainPID)" "$daemon_pid"
# What is removed of its runtime directory is made again.
rm -f /run/pcpu-reclaimd/ledger /run/pcpu-reclaimd/lock
systemctl reload pcpu-reclaimd
[ -e /run/pcpu-reclaimd/lock ] || fail "its lock was not made again"

# ---- knobs of exits and huge pages ----

. /vm/thp.sh
huge=$parent/huge
queues=/sys/devices/virtual/workqueue
configure "[BatchFree]
Enabled=yes
MaxActive=2
[Collapse]
KhugepagedScanSleep=3000000
KhugepagedPages=2
[Policy huge]
Match=/machine.slice/huge
Collapse=64M/1s"
mkdir -p "$huge"
load_start "$huge" huge 1 64 0 1000
load_wait huge
systemctl reload pcpu-reclaimd || fail "a reload with these knobs fails"
holds() { [ "$(cat "$1" 2>&1)" = "$2" ]; }
wait_for 20 holds "$khugepaged/scan_sleep_millisecs" 3000000 || fail "scan_sleep_millisecs is $(cat "$khugepaged/scan_sleep_millisecs")"
wait_for 20 holds "$khugepaged/pages_to_scan" 2 || fail "pages_to_scan is $(cat "$khugepaged/pages_to_scan")"
if has_batch_free; then
	wait_for 20 holds "$batch/enabled" 1 || fail "batch free is not enabled: $(ctl doctor)"
	for f in "$queues"/batch_free_node*/max_active; do
		wait_for 20 holds "$f" 2 || fail "$f is $(cat "$f")"
	done
fi
! has_task_collapse || wait_for 20 holds "$task_collapse/enabled" 1 || fail "task_collapse is not enabled"
is_huge() { [ "$(rollup_kb "$(load_pid huge)" AnonHugePages)" -ge 32768 ]; }
wait_for 60 is_huge || fail "nothing becomes huge in the sandbox: $(ctl collapse)"
ctl collapse
usable "own memory:khugepaged sleep:khugepaged pages:collapse by madvise:$(
	has_batch_free && echo batch free):$(has_task_collapse && echo collapse by tasks)"
load_stop "$huge"

# ---- beside others that look after memory ----

# numad writes one of our settings when it starts: seen, and left alone from then on.
numad -l 3 -H 1500 || fail "numad does not start"
wait_for 30 holds "$khugepaged/scan_sleep_millisecs" 1500 || fail "numad has not set scan_sleep_millisecs"
foreign() { ctl doctor | grep -q 'another program set it to 1500'; }
wait_for 90 foreign || fail "nobody has seen what numad did: $(ctl doctor)"
assert_eq "scan_sleep_millisecs beside numad" "$(cat "$khugepaged/scan_sleep_millisecs")" 1500
numad -i 0
systemctl start systemd-oomd || fail "systemd-oomd does not start"
oomctl >/run/oomctl 2>&1 || fail "oomctl: $(cat /run/oomctl)"
assert_eq "what systemd-oomd may do to it" "$(unit ManagedOOMPreference)" omit
active || fail "not running beside systemd-oomd"
systemctl stop systemd-oomd.socket systemd-oomd.service
configure ""
systemctl reload pcpu-reclaimd
# Ours goes back to what it was, numad's stays.
wait_for 20 holds "$khugepaged/pages_to_scan" 4096 || fail "pages_to_scan is $(cat "$khugepaged/pages_to_scan") in the end"
! has_batch_free || wait_for 20 holds "$batch/enabled" 0 || fail "batch free stays enabled"
assert_eq "scan_sleep_millisecs in the end" "$(cat "$khugepaged/scan_sleep_millisecs")" 1500
khugepaged_defaults
rmdir "$huge"

# ---- the other sources ----

for source in inotify walk; do
	configure "[Daemon]
Lifecycle=$source"
	systemctl reload pcpu-reclaimd
	wait_for 20 is_source $source || fail "source is $(source_now), wanted $source"
done
configure ""
systemctl reload pcpu-reclaimd
wait_for 20 is_source tracefs || fail "source is $(source_now), wanted tracefs"
install -D -m 0644 -t $dropins /usr/share/doc/pcpu-reclaimd/examples/fanotify.conf
configure "[Daemon]
Lifecycle=fanotify"
systemctl daemon-reload
systemctl restart pcpu-reclaimd || fail "no start with fanotify.conf"
ctl doctor | tee /run/doctor.txt | grep fanotify
# On kernels whose cgroup2 has an id; 6.1's has none, and another source stands in.
grep -q 'fanotify.*no id to report' /run/doctor.txt || assert_eq source "$(source_now)" fanotify
rm $dropins/fanotify.conf
systemctl daemon-reload

# ---- restart, kill, stop ----

configure "[Percpu]
EmptyPagesHigh=8"
systemctl restart pcpu-reclaimd || fail "restart"
active || fail "not running after a restart"
! has_trim_knob || wait_for 10 is_high 8 || fail "empty_pages_high is $(float_high), wanted 8"
daemon_pid=$(unit MainPID)
known=$(ctl history --json | jget total)
assert_ge "actions before a kill" "$known" 1
kill -9 "$daemon_pid"
back() { [ "$(unit MainPID)" != "$daemon_pid" ] && active; }
wait_for 60 back || { evidence; fail "not back after kill -9"; }
assert_eq restarts "$(unit NRestarts)" 1
assert_ge "actions known after a kill" "$(ctl history --json | jget total)" "$known"
ctl history --json | grep -q '"run_before": *"restart"' || fail "no action is of before the restart"
if full; then
	printf '%s\n' '[Service]' WatchdogSec=10 >$dropins/60-watchdog.conf
	systemctl daemon-reload
	systemctl restart pcpu-reclaimd
	daemon_pid=$(unit MainPID)
	kill -STOP "$daemon_pid"
	wait_for 120 back || { evidence; fail "nobody has missed its heartbeat"; }
	assert_eq "how it ended" "$(journalctl -q -u pcpu-reclaimd -o cat | grep -c 'Watchdog timeout')" 1
	! has_trim_knob || wait_for 10 is_high 8 || fail "empty_pages_high is $(float_high) after the watchdog, wanted 8"
	rm $dropins/60-watchdog.conf
	systemctl daemon-reload
fi
systemctl stop pcpu-reclaimd || fail "stop"
assert_eq "how it ended" "$(unit Result)" success
! has_trim_knob || assert_eq "empty_pages_high after a stop" "$(float_high)" 4
assert_eq "trace instances left" "$(find /sys/kernel/tracing/instances -mindepth 1 | grep -c .)" 0
# Whoever asks starts it.
ctl status >/dev/null || fail "not started by its socket"
active || fail "not running after it was asked"

# ---- without what it can do without ----

configure ""
printf '%s\n' '[Service]' 'InaccessiblePaths=/proc/pressure /sys/kernel/tracing' >$dropins/60-less.conf
systemctl daemon-reload
systemctl restart pcpu-reclaimd || fail "no start without pressure and tracefs"
assert_eq "source without tracefs" "$(source_now)" inotify
ctl doctor | grep -q 'psi=1' || fail "doctor does not miss /proc/pressure: $(ctl doctor)"
rm $dropins/60-less.conf
systemctl daemon-reload
systemctl restart pcpu-reclaimd

# ---- upgrade, remove, purge ----

rm -rf /var/tmp/deb
dpkg-deb -R "$deb" /var/tmp/deb
sed -i 's/^Version: .*/&+next/' /var/tmp/deb/DEBIAN/control
dpkg-deb -Znone -b /var/tmp/deb /var/tmp/next.deb >/dev/null
echo '# mine' >>/etc/pcpu-reclaimd/pcpu-reclaimd.conf
daemon_pid=$(unit MainPID)
dpkg -i /var/tmp/next.deb >/run/dpkg.log 2>&1 || fail "upgrade: $(tail -n 3 /run/dpkg.log)"
wait_for 30 back || fail "not restarted by an upgrade"
systemctl is-active --quiet pcpu-reclaimd.socket || fail "no socket after an upgrade"
scrape /metrics | grep -q '^# EOF' || fail "no metrics after an upgrade"
grep -q '# mine' /etc/pcpu-reclaimd/pcpu-reclaimd.conf || fail "an upgrade has changed my settings"
rm -rf /var/tmp/deb /var/tmp/next.deb $dropins $metrics_dropins

dpkg -r pcpu-reclaimd >/run/dpkg.log 2>&1 || fail "remove: $(tail -n 3 /run/dpkg.log)"
! systemctl is-active --quiet pcpu-reclaimd.service || fail "it runs after its removal"
! systemctl is-active --quiet pcpu-reclaimd-metrics.socket || fail "the metrics socket outlives it"
grep -q '# mine' /etc/pcpu-reclaimd/pcpu-reclaimd.conf || fail "a removal has taken my settings"
dpkg -P pcpu-reclaimd >/run/dpkg.log 2>&1 || fail "purge: $(tail -n 3 /run/dpkg.log)"
storm clear "$parent" >/dev/null
rm -rf /var/tmp/jobs /var/tmp/user
files >/var/log/files.after
diff /var/log/files.before /var/log/files.after >/run/left || fail "left behind: $(grep '^[<>]' /run/left | head -n 10)"
[ ! -e /run/pcpu-reclaimd ] || fail "its runtime directory is left behind"
assert_eq "units that failed" "$(systemctl --failed --no-legend | grep -c .)" 0
daemon_pid=
