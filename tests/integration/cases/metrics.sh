# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Metrics of the real daemon, held against the grammar of OpenMetrics; then over HTTP,
# with peers that send too much, too slowly, nonsense or nothing.
. "$HERE/lib.sh"

CTL=$OUT/pcpu-reclaimctl
metrics() { timeout 20 "$CTL" --socket "$SOCK" metrics "$@"; }
holds() { # LINE
	grep -qxF -- "pcpu_reclaimd_$1" "$T/metrics" || fail "no $1 in: $(cat "$T/metrics")"
}
lacks() { # NAME
	if grep "^pcpu_reclaimd_$1" "$T/metrics"; then
		fail "$1 is written"
	fi
}

fakeroot v2 percpu psi
settings <<END
[Policy ci]
Match=/ci/**
Reap=no
[Policy db]
Match=/db
Collapse=8M/1s
END
cgroup ci
cgroup ci/job
: > "$LOG"
metrics > "$T/metrics" 2> "$T/err" && fail 'metrics without a daemon'
[ ! -s "$T/metrics" ] || fail "metrics without a daemon: $(cat "$T/metrics")"
start
metrics > "$T/metrics" || fail metrics
"$HELP/openmetrics" < "$T/metrics" > "$T/why" || fail "$(cat "$T/why")"
holds 'cgroups 3'
holds 'policy_cgroups{policy="ci"} 1'
holds 'policy_reap{policy="ci"} 0'
holds 'policy_collapse_bytes_per_second{policy="db"} 8388608'
holds 'action_ready{action="reap"} 1'
holds 'action_ready{action="batch-free"} 0'
holds 'percpu_bytes 4194304'
holds 'percpu_empty_bytes 32768'
holds 'kernel_setting{setting="empty_pages_high"} 4'
holds 'settings_refused 0'
holds 'collapse_budget_bytes_per_second 67108864'
lacks batch_free_max_active
printf '[Percpu]\nReapStep=16MB\n' | settings
ask Reload > "$T/answer" && fail 'a bad reload succeeded'
metrics > "$T/metrics"
holds 'settings_refused 1'

# --- one request on stdin ---
http() { # REQUEST STATUS: the answer is in $T/answer, its body in $T/metrics
	printf '%b' "$1" | metrics --http > "$T/answer" 2> "$T/err" || code=$?
	tr -d '\r' < "$T/answer" | sed -n '1,/^$/p' > "$T/head"
	tr -d '\r' < "$T/answer" | sed '1,/^$/d' > "$T/metrics"
	equals "answer to $1" "$(sed -n '1s/^HTTP.1.0 \([0-9]*\) .*/\1/p' "$T/head")" "$2"
	length=$(sed -n 's/^Content-Length: //p' "$T/head")
	case $1 in
	HEAD*) equals 'body of a HEAD' "$(wc -c < "$T/metrics")" 0 ;;
	*) equals 'length of the body' "$(wc -c < "$T/metrics")" "$length" ;;
	esac
}
code=0
http 'GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n' 200
"$HELP/openmetrics" < "$T/metrics" > "$T/why" || fail "$(cat "$T/why")"
grep -qx 'Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8' "$T/head" ||
	fail "$(cat "$T/head")"
http 'GET /metrics?x=1 HTTP/1.0\n\n' 200
http 'HEAD /metrics HTTP/1.1\r\n\r\n' 200
http 'GET / HTTP/1.1\r\n\r\n' 404
http 'GET /metricsx HTTP/1.1\r\n\r\n' 404
http 'GET /metric HTTP/1.1\r\n\r\n' 404
http 'POST /metrics HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd' 405
grep -qx 'Allow: GET, HEAD' "$T/head" || fail "$(cat "$T/head")"
http 'GET /metrics\r\n\r\n' 400
http 'GET /metrics HTTP/1.1 x\r\n\r\n' 400
http '\r\n\r\n' 400
http 'GET /metrics HTTP/1.1\r\nX: \0\r\n\r\n' 400
http 'GET /metrics HTTP/1.1\r\n' 400
http 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' 505
http "GET /metrics HTTP/1.1\r\nX: $(printf '%9000s' x)\r\n\r\n" 431
equals 'exit status of all these' $code 0
metrics --http < /dev/null > "$T/answer" || fail 'nothing asked is no failure'
[ ! -s "$T/answer" ] || fail "an answer to nothing: $(cat "$T/answer")"
# Half a request, and then nothing: answered in time, and the daemon was asked nothing.
mkfifo "$T/pipe"
sleep 60 > "$T/pipe" &
HELPERS="$HELPERS $!"
wakeups=$(get wakeups)
printf 'GET /metrics' > "$T/pipe" &
metrics --http < "$T/pipe" > "$T/answer" || fail 'a slow peer is a failure'
grep -q '^HTTP/1.0 408 ' "$T/answer" || fail "$(cat "$T/answer")"
at_most 'turns of the loop meanwhile' $(($(get wakeups) - wakeups)) 20

# --- as the unit does it: a socket that hands over each connection ---
port=$((20000 + $$ % 20000))
systemd-socket-activate --accept --inetd -l 127.0.0.1:$port \
	"$CTL" --socket "$SOCK" metrics --http 2> "$T/activate" &
HELPERS="$HELPERS $!"
scrape() {
	printf 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' |
		socat -t 10 - TCP:127.0.0.1:$port > "$T/answer" && [ -s "$T/answer" ]
}
eventually 5 scrape
tr -d '\r' < "$T/answer" | sed '1,/^$/d' > "$T/metrics"
"$HELP/openmetrics" < "$T/metrics" > "$T/why" || fail "$(cat "$T/why"): $(cat "$T/answer")"
# The answer comes whole to one that sends more than is read.
{ printf 'GET /metrics HTTP/1.1\r\n' && head -c 60000 /dev/zero | tr '\0' x; } |
	socat -t 10 - TCP:127.0.0.1:$port > "$T/answer" 2> /dev/null
grep -q '^HTTP/1.0 431 ' "$T/answer" || fail "$(cat "$T/answer")"

stop
http 'GET /metrics HTTP/1.1\r\n\r\n' 503
equals 'exit status without a daemon' $code 3
