# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# b: q = 2.5, b = 5/3, u = .25, so T = 11/6 and nu = 3 (22/25)^2 (tests/combine has the rest).
cat > results.csv <<'CSV'
replicate,term,estimate,std.error,p.value
1,"a, ""x""",1,0,.5
1,b,1,0.316227766016838,.5
2,"a, ""x""",1,0,.5
2,b,2,0.447213595499958,

3,"a, ""x""",1,0,.5
3,b,3,0.547722557505166,.5
4,"a, ""x""",1,0,.5
4,b,4,0.632455532033676
CSV
accepted combine results.csv --json
python3 - <<'PYTHON' || fail "JSON"
import json
a, b = json.load(open("accepted.out"))
assert a == {"name": 'a, "x"', "estimate": 1, "low": 1, "high": 1, "standard_error": 0, "degrees_of_freedom": 3,
             "privacy_share": 0, "replicates": 4}, a
assert b["estimate"] == 2.5 and abs(b["standard_error"] - (11 / 6) ** .5) < 1e-12, b
assert abs(b["degrees_of_freedom"] - 3 * .88 ** 2) < 1e-9 and b["low"] < -2 and b["high"] > 7, b
PYTHON
accepted combine results.csv --csv
python3 - <<'PYTHON' || fail "CSV"
import csv
a, b = csv.DictReader(open("accepted.out"))
assert a["name"] == 'a, "x"' and float(b["estimate"]) == 2.5, (a, b)
PYTHON
accepted combine results.csv
grep -q '^b  *2.5 ' accepted.out || fail "text: $(<accepted.out)"
accepted combine results.csv --level .5 --row-ratio 2 --json
python3 -c 'import json; b = json.load(open("accepted.out"))[1]; assert b["high"] < 4' || fail "level"
# The same as variances, without names, with a byte order mark and CRLF.
printf '\xef\xbb\xbfvariance,estimate\r\n0.1,1\r\n0.2,2\r\n0.3,3\r\n0.4,4\r\n' > plain.csv
accepted combine plain.csv --csv
tail -n 1 accepted.out | grep -q '^"estimate",2.5,' || fail "variances: $(<accepted.out)"
