# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What a client that knows nothing but Varlink finds: who answers, the interfaces, and
# their descriptions, which are held against the grammar of the specification; then
# every method of them is known.
. "$HERE/lib.sh"

fakeroot v2
start
service=org.varlink.service
ask $service.GetInfo > "$T/info" || fail "$(cat "$T/info")"
grep -q '"product":"pcpu-reclaimd"' "$T/info" || fail "$(cat "$T/info")"
for field in vendor version url; do
	grep -q "\"$field\":\"" "$T/info" || fail "no $field: $(cat "$T/info")"
done
sed 's/.*"interfaces":\[\([^]]*\)\].*/\1/; s/"//g' "$T/info" | tr , '\n' > "$T/interfaces"
grep -qx $service "$T/interfaces" || fail "$(cat "$T/info")"
grep -qx org.pcpu-reclaimd.Manager "$T/interfaces" || fail "$(cat "$T/info")"

while read -r interface; do
	"$HELP/ask" -g description "$SOCK" $service.GetInterfaceDescription \
		"{\"interface\": \"$interface\"}" > "$T/$interface" || fail "no description of $interface"
	"$HELP/varlink" "$interface" < "$T/$interface" > "$T/members" || fail "$(tail -1 "$T/members")"
	sed -n 's/^method \([A-Za-z0-9]*\).*/\1/p' "$T/$interface" > "$T/methods"
	[ -s "$T/methods" ] || fail "$interface has no method"
	while read -r method; do
		# Reload and Reap would do something; that they are known shows in the error.
		ask "$interface.$method" '{"no_such_parameter": 1}' > "$T/answer"
		grep -q InvalidParameter "$T/answer" || fail "$method: $(cat "$T/answer")"
	done < "$T/methods"
done < "$T/interfaces"

ask org.example.Nothing.Do > "$T/answer" && fail 'an interface that is not there was called'
grep -q 'InterfaceNotFound\|MethodNotFound' "$T/answer" || fail "$(cat "$T/answer")"

# The checker is one: what no grammar allows is refused.
for broken in 'method Do() -> ()' 'interface a.b type' 'interface a.b method do() -> ()' \
	'interface a.b method Do(a: int,) -> ()' 'interface a.b method Do()' \
	'interface a.b type T (a_: int)' 'interface a.b type T (a: int, b)' \
	'interface a.b type T (a: ??int)' 'interface a.b.c method Do() -> ()'; do
	echo "$broken" | "$HELP/varlink" a.b > /dev/null && fail "taken: $broken"
done
echo 'interface a.b # x
type T (a: ?[]int, b: [string](c, d), e: (f: object)) method Do(t: T) -> () error E ()' |
	"$HELP/varlink" a.b > "$T/members" || fail "$(cat "$T/members")"
equals members "$(tr '\n' ' ' < "$T/members")" 'T Do E '
stop
