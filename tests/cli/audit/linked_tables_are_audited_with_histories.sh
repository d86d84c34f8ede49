# SPDX-License-Identifier: Apache-2.0
# `audit --method histories` attacks one table of persons and linked tables, and both hold.
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
accepted audit --method histories --neighbours add-remove --json a.json
for data in 'table of persons' 'table of histories' 'linked tables'; do
    grep -q "^$data .*histories .*add-remove" accepted.out || fail "no line of $data"
done
grep -q 'Everything held' accepted.out || fail "no verdict"
python3 - <<'PYTHON' || fail "the numbers of linked tables"
import json

rounds = [r for r in json.load(open("a.json"))["rounds"] if r["data"] == "linked tables"]
assert [r["round"] for r in rounds] == [1, 2]
for r in rounds:
    assert r["records"]["within"] and r["records"]["pairs"] >= 140 and r["records"]["reach"] > 0.9
    assert r["additivity"]["sums"] == r["additivity"]["equal"] >= 140
PYTHON
