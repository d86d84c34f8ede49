# SPDX-License-Identifier: Apache-2.0
# Intervals on bars and cells come from the releases alone: for tables, persons and linked tables.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(3); print "kind,size,coin"; for (i = 0; i < 3000; i++) { k = rand() < .3
    printf "%s,%d,%d\n", k ? "a" : "b", 10 + 12 * k + 9 * rand(), rand() < .5 } }' > rows.csv
cat > rows.json <<'JSON'
{"fields": [{"name": "kind", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}},
 {"name": "size", "type": "integer", "constraints": {"minimum": 0, "maximum": 40, "required": true}},
 {"name": "coin", "type": "string", "constraints": {"enum": ["0", "1"], "required": true}}]}
JSON
rows=(rows.csv --schema rows.json --epsilon 2 --neighbours replace-one)
pairs=(synth "${rows[@]}" --method pairs -o syn.csv --report page.html --pictures page.json --intervals 20 --quiet)
# An interval misses the truth once in twenty, and noise alone looks like a relation about as often: here it is always the same.
shipped=$SEMBLANCE
SEMBLANCE=$SEMBLANCE_TESTKEY
accepted "${pairs[@]}"
grep -q 'class="whisker"' page.html || fail "no intervals"
grep -q '95% interval</strong> for the share of rows in the population' page.html || fail "the page does not say what they are"
python3 - page.json syn.csv <<'PY' || fail "the intervals are wrong"
import csv, json, sys
page = json.load(open(sys.argv[1]))
rows = [*csv.DictReader(open(sys.argv[2]))]
assert page["intervals"] == {"draws": 20, "level": 0.95}
kind = next(one for one in page["columns"] if one["name"] == "kind")["histogram"]
at = kind["labels"].index("a")
assert abs(kind["synthetic"][at] - sum(one["kind"] == "a" for one in rows) / len(rows)) < 1e-12
assert kind["low"][at] < .3 < kind["high"][at] and .02 < kind["high"][at] - kind["low"][at] < .12
told = {tuple(sorted(one["columns"])): one["told"] for one in page["pairs"]}
assert told["kind", "size"] is True and told["coin", "kind"] is False and told["coin", "size"] is False, told
for one in page["pairs"]:
    for low, high in zip(sum(one["low"], []), sum(one["high"], [])):
        assert 0 <= low < high <= 1
PY
[ "$(grep -c 'class="untold"' page.html)" = 2 ] || fail "relations that cannot be told from none are not drawn as such"

SEMBLANCE=$shipped # whose pages can be public
rm rows.csv.ledger
accepted "${pairs[@]}" --overwrite
grep -q 'class="whisker"' page.html || fail "no intervals"

# Without the table: the bars are the estimates. Nothing is charged, no real file is opened.
cp rows.csv.ledger before
mkdir gone && mv rows.csv rows.json syn.csv gone
public=(evaluate --public-only --certificate syn.csv.certificate.json --release syn.csv.release)
accepted "${public[@]}" --report alone.html --pictures alone.json
grep -q '"draws": *6' alone.json || fail "another number of draws than the usual one"
grep -q 'class="whisker"' alone.html && ! grep -q 'NOT PRIVATE' alone.html || fail "no public page from the releases"
accepted "${public[@]}" --report none.html --intervals 0
! grep -q 'class="whisker"' none.html || fail "intervals that nobody asked for"
mv gone/* . && cmp rows.csv.ledger before || fail "something was charged"

# A method without draws says so; releases of another run, one draw and too many are refused.
accepted synth "${rows[@]}" "${small[@]}" -o merf.csv --report merf.html --quiet
grep -q 'There are no intervals: the method merf has no replicates' merf.html || fail "it does not say why there are no intervals"
refused 3 'syn.csv.release: the certificate does not list this file*' evaluate --public-only --certificate merf.csv.certificate.json --release syn.csv.release --report no.html
refused 2 '*--intervals*' "${public[@]}" --report no.html --intervals 1001
refused 2 '*--intervals 1*' "${public[@]}" --report no.html --intervals 1
refused 2 '*--release needs --public-only*' evaluate --real rows.csv --synthetic syn.csv --schema rows.json --release syn.csv.release
refused 2 '*--pictures needs --report*' synth "${rows[@]}" -o no.csv --pictures no.json
refused 5 'page.json*exists*' "${public[@]}" --report no.html --pictures page.json
[ ! -e no.html ] && [ ! -e no.csv ] || fail "a refusal left a file"

# Persons, and linked tables table by table.
make_bank 300
accepted synth --package bank/bank.json --epsilon 4 -o linked --report linked.html --pictures linked.json --quiet
python3 - linked.json <<'PY' || fail "linked tables have no intervals"
import json, sys
tables = json.load(open(sys.argv[1]))["tables"]
assert len(tables) > 1 and all(len(one["columns"][0]["histogram"]["low"]) > 1 for one in tables)
PY
grep -q '<h3>Table ' linked.html || fail "the tables have no names"
