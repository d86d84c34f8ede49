# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
try() { refused "$1" "$2" evaluate --real "$3" --synthetic "$4" --schema "${5:-people.json}" "${@:6}"; }
head -n 1 people.csv > norows.csv
try 3 'norows.csv: the table has no rows' people.csv norows.csv
try 3 'norows.csv: the table has no rows' norows.csv people.csv
try 3 'norows.csv: the table has no rows' people.csv people.csv people.json --train norows.csv
cut -d, -f1,2 people.csv > nolabel.csv
try 3 '*nolabel.csv*income*' people.csv nolabel.csv
sed '1s/age/years/' people.csv > other.csv
try 3 '*other.csv*age*' people.csv other.csv
sed '2,$s/>50K/<=50K/' people.csv > oneclass.csv
try 3 "oneclass.csv: label column 'income' holds one class only*" people.csv oneclass.csv
try 3 "oneclass.csv: label column 'income' holds one class only*" oneclass.csv people.csv
try 5 '*missing.csv*' people.csv missing.csv
try 5 '*missing.csv*' missing.csv people.csv
try 5 '*missing.csv*' people.csv people.csv people.json --train missing.csv
try 5 '*nothere.json*' people.csv people.csv nothere.json
sed 's/"semblance".*/"x": 1}/' people.json > unlabelled.json
try 3 '*unlabelled.json*no label*' people.csv people.csv unlabelled.json --models logistic
refused 2 '*--real*' evaluate --synthetic people.csv --schema people.json
refused 2 '*--synthetic*' evaluate --real people.csv --schema people.json
refused 2 '*--schema*' evaluate --real people.csv --synthetic people.csv
try 2 '*oracle*' people.csv people.csv people.json --models oracle
try 2 '*--sets*' people.csv people.csv people.json --sets 0
try 2 '*file*' people.csv -
# Without models one class is no fault; a constant column has null associations, never NaN.
accepted evaluate --real people.csv --synthetic oneclass.csv --schema people.json --models none --json
python3 - <<'PYTHON' || fail "constant columns"
import json
a = json.load(open("accepted.out"))["association"]
assert a["synthetic"][2][0] is None and a["real"][2][0] is not None
assert a["constant"] == {"real": [], "synthetic": ["income"], "why": a["constant"]["why"]}
assert a["mean_difference"]["synthetic"] > 0
PYTHON
# A column that the schema does not name is left out, and the program says so.
sed '1s/$/,extra/; 2,$s/$/,9/' people.csv > wide.csv
accepted evaluate --real wide.csv --synthetic wide.csv --schema people.json --models none
[ "$(wc -l < accepted.err)" = 1 ] && grep -q "wide.csv: column 'extra' is not in the schema" accepted.err || fail "extra columns: $(<accepted.err)"
