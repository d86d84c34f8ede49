# SPDX-License-Identifier: Apache-2.0
# Names of files, columns, categories and titles hold C1 controls, DEL and overrides of direction: neither the terminal nor a
# page nor the words of a certificate do.
. "$CLI_TESTS/lib.sh"
odd=$'\302\233\302\205\342\200\256\342\201\246\177' # U+009B, U+0085, U+202E, U+2066, DEL
seen() { cat accepted.out accepted.err >> terminal.txt; }
says() { accepted "$@" && seen; }
n=${odd%?} # names of columns cannot hold a DEL
csv="p$odd.csv" schema="p$odd.json" out="s$odd.csv"
awk -v n="$n" 'BEGIN { printf "age%s,town%s,left%s\n", n, n, n
    for (i = 0; i < 200; i++) printf "%d,%s,1\n", (i * 37) % 100, i % 3 ? "Ayr" n : i % 2 ? "Bath" : "elsewhere" n }' > "$csv"
printf '{"fields": [{"name": "age%s", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
 {"name": "town%s", "type": "string", "constraints": {"enum": ["Ayr%s", "Bath"]}}]}' "$n" "$n" "$n" > "$schema"
says schema check "$schema"
says schema check "$schema" "$csv"
says schema inspect "$csv"
says plan --schema "$schema" --epsilon 1 -n 200 --method marginals
says plan --schema "$schema" --epsilon 1 -n 200 --method marginals --json
says synth "$csv" --schema "$schema" --epsilon 1 -o "$out" --method marginals --verbose --title "t$n" --by "b$n"
says verify "$out.certificate.json" --ledger "$csv.ledger" --release "$out.release"
says ledger show "$csv.ledger"
says ledger verify "$csv.ledger"
evaluate=(evaluate --real "$csv" --synthetic "$out" --schema "$schema" --models none)
says "${evaluate[@]}" --report page.html --certificate "$out.certificate.json"
says "${evaluate[@]}" --json
for words in "account --epsilon $odd" "$odd" "verify x$odd" "schema check $csv" "synth $csv --schema $schema --epsilon 1 -o $out"; do
    # shellcheck disable=SC2086 # words
    "$SEMBLANCE" $words 2>> terminal.txt >> terminal.txt && fail "accepted: $words"
done
cp "$out.certificate.json" certificate.json
python3 - <<'PYTHON' || fail "shown"
import json
import re
bad = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
texts = {name: open(name, encoding="utf-8", newline="").read() for name in ("terminal.txt", "page.html", "certificate.json")}
texts["statement"] = json.loads(texts["certificate.json"])["guarantee"]["statement"]
for name, text in texts.items():
    assert len(text) > 1000, name
    found = bad.search(text)
    assert found is None, (name, text[max(0, found.start() - 80) : found.start() + 20])
assert "town????" in texts["terminal.txt"] and "town\\u009b" in texts["terminal.txt"] and "town\\u009b" in texts["statement"]
assert "Ayr\ufffd" in texts["page.html"] and "<h1>t\ufffd" in texts["page.html"] and "DATA SET: t\\u009b" in texts["statement"]
PYTHON
