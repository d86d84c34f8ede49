# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_visits
accepted synth visits.csv --schema visits.json --epsilon 4 --method histories -o v.csv --quiet
accepted estimate v.csv.release --count --mean stage --share ward=skin --by sex --difference f --draws 4 --json
python3 - <<'PYTHON' || fail "histories: $(<accepted.out)"
import json
rows = json.load(open("accepted.out"))["estimates"]
assert len(rows) == 9 and all(one["low"] <= one["estimate"] <= one["high"] for one in rows), rows
assert 300 < rows[0]["estimate"] + rows[1]["estimate"] < 2700, rows  # of 900, by a noisy number of persons and of their rows
PYTHON
make_bank 300
accepted synth --package bank/bank.json --epsilon 20 -o out --quiet
release=$(find . -name '*.release' | grep -v '^./v.csv' | head -n 1)
accepted estimate "$release" --table clients --share role=owner --mean born --by sex --draws 4 --csv
[ "$(wc -l < accepted.out)" = 5 ] || fail "$(<accepted.out)"
accepted estimate "$release" --table accounts --count --draws 4 --json
python3 -c 'import json; a, = json.load(open("accepted.out"))["estimates"]; assert 240 < a["low"] <= a["estimate"] <= a["high"] < 360, a' || fail "accounts"
refused 2 "table: the releases are of linked tables; name one, such as 'accounts'" estimate "$release" --count
refused 2 "table: there is no table 'banks'" estimate "$release" --count --table banks
refused 2 "mean: the table has no column 'born'" estimate "$release" --mean born --table accounts
