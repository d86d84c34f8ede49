# SPDX-License-Identifier: Apache-2.0
# A finding holds, does not hold, or cannot be told, and then how much epsilon it takes is said; that much is then enough.
. "$CLI_TESTS/lib.sh"
make_people
SEMBLANCE=$SEMBLANCE_TESTKEY # an interval misses the truth once in twenty: its noise is always the same
awk 'BEGIN { print "age,town,income"; for (i = 0; i < 4000; i++) printf "%d,Ayr,%s\n", i % 2 ? 60 + i % 7 : 30 + i % 7, i % 2 ? ">50K" : "<=50K" }' > people.csv
# verdict EPSILON FINDING: what is said of it.
verdict() {
    echo "$2" > finding.json
    accepted ask people.csv --schema people.json --epsilon "$1" --delta 1e-5 --check finding.json -o out.json --overwrite -q
    json_member verdict < accepted.out
}
rich='"question": {"mean": "age", "by": ["income"]}, "group": {"income": ">50K"}'
[ "$(verdict 1 "{$rich, \"claim\": {\"greater\": 50}}")" = holds ] || fail "$(cat accepted.out)"
[ "$(verdict 1 "{$rich, \"claim\": {\"less\": 50}}")" = 'does not hold' ] || fail "$(cat accepted.out)"
[ "$(verdict 1 "{$rich, \"claim\": {\"interval\": [40, 80]}}")" = holds ] || fail "$(cat accepted.out)"
[ "$(verdict 1 "{$rich, \"of\": \"population\", \"claim\": {\"greater\": 50}}")" = holds ] || fail "$(cat accepted.out)"
[ "$(verdict 1 "{$rich, \"claim\": {\"difference\": {\"group\": {\"income\": \"<=50K\"}, \"greater\": 20}}}")" = holds ] || fail "$(cat accepted.out)"
[ "$(verdict .01 "{$rich, \"claim\": {\"greater\": 62.9}}")" = 'cannot be told at this epsilon' ] || fail "$(cat accepted.out)"
grep -q '"epsilon": ' accepted.out || fail "how much would it take? $(cat accepted.out)"
# Held against a release that is there, at no cost; a finding about something else is refused.
cp people.csv.ledger before
echo "{$rich, \"claim\": {\"greater\": 50}}" > finding.json
accepted ask --from out.json.release --check finding.json
cmp -s before people.csv.ledger || fail "it was charged"
echo '{"question": {"count": ["town"]}, "claim": {"greater": 50}}' > other.json
refused 3 "the finding: the release does not answer its question*" ask --from out.json.release --check other.json
echo "{$rich, \"claim\": {\"more\": 50}}" > wrong.json
refused 3 "the finding: claim needs*" ask --from out.json.release --check wrong.json
