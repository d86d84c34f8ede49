# SPDX-License-Identifier: Apache-2.0
# Rows that break a rule are counted for each rule, NOT PRIVATE; a cell that does not fit its column is that column's fault.
. "$CLI_TESTS/lib.sh"
cat > stay.json <<'JSON'
{"fields": [
  {"name": "came", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": true}},
  {"name": "left", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2025-12-31", "required": true}},
  {"name": "days", "type": "integer", "constraints": {"minimum": 0, "maximum": 60, "required": true}},
  {"name": "ward", "type": "string", "constraints": {"enum": ["surgery", "maternity"], "required": true}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["female", "male"]}}],
 "semblance": {"constraints": ["came <= left", "days = left - came", "if ward = maternity then sex = female", "days <= 50"]}}
JSON
cat > stay.csv <<'CSV'
came,left,days,ward,sex
2024-01-05,2024-01-07,2,surgery,male
2024-01-05,2024-01-04,2,maternity,female
2024-01-05,2024-01-09,3,maternity,male
2024-01-05,soon,3,maternity,
2024-01-05,2024-01-05,-4,surgery,male
CSV
accepted schema check stay.json stay.csv
private=$(grep -n 'NOT PRIVATE' accepted.out | cut -d: -f1)
for line in 'constraint came <= left: 1 row breaks it' 'constraint days = left - came: 2 rows break it' \
    'constraint if ward = maternity then sex = female: 1 row breaks it' 'constraint days <= 50: all rows hold'; do
    at=$(grep -nxF "$line" accepted.out | cut -d: -f1)
    [ -n "$at" ] && [ "$at" -gt "$private" ] || fail "'$line' is not below NOT PRIVATE: $(<accepted.out)"
done
accepted schema check stay.json
! grep -q 'NOT PRIVATE\|break it' accepted.out || fail "rows are counted without a table: $(<accepted.out)"
