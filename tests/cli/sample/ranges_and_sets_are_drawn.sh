# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Numbers of a column with a name that is no word, dates, categories that hold signs; some are missing.
cat > t.json <<'JSON'
{"fields": [
  {"name": "age-now", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
  {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": true}},
  {"name": "pay", "type": "string", "constraints": {"enum": ["<=50K", ">50K", "none"], "required": true}},
  {"name": "key", "semblance": {"role": "id"}}], "missingValues": [""]}
JSON
awk 'BEGIN { print "age-now,day,pay"
    for (i = 0; i < 2000; i++) {
        age = (i * 37) % 100
        printf "%s,2024-%02d-%02d,%s\n", i % 10 ? age : "", 1 + i % 12, 1 + i % 28, (age > 60 ? ">50K" : i % 3 ? "<=50K" : "none") } }' > t.csv

# holds N CONDITION OF-AWK...: N rows are drawn by the condition, all of which awk's condition is true of.
holds() {
    local count=$1 condition=$2 wanted=$3
    accepted sample "$model" -n "$count" --where "$condition" --seed 3
    [ "$(awk -F, "NR > 1 && ($wanted)" accepted.out | wc -l)" = "$count" ] || fail "--where '$condition' draws other rows"
    [ "$(wc -l < accepted.out)" = $((count + 1)) ] || fail "--where '$condition' draws another number of rows"
}

for method in pairs marginals; do
    model=$method.safetensors
    accepted fit t.csv --schema t.json --epsilon 5 --method $method --model $model --quiet
    holds 50 'age-now>80' '$1 != "" && $1 > 80'
    holds 50 'age-now >= 80' '$1 != "" && $1 >= 80'
    holds 50 'age-now<=10' '$1 != "" && $1 <= 10'
    holds 50 'age-now!=10' '$1 != "" && $1 != 10'
    holds 50 'age-now in (11, 22, 33)' '$1 == 11 || $1 == 22 || $1 == 33'
    holds 50 'age-now is missing' '$1 == ""'
    holds 50 'day>=2024-06-01' '$2 >= "2024-06-01"'
    holds 50 "day > '2024-06-01' and day < 2024-07-01" '$2 > "2024-06-01" && $2 < "2024-07-01"'
    holds 50 "pay in ('>50K', none)" '$3 == ">50K" || $3 == "none"'
    holds 50 'pay=>50K' '$3 == ">50K"'
    holds 50 'pay!=none' '$3 != "none"'
    holds 50 'pay = none or `age-now` < 5' '$3 == "none" || ($1 != "" && $1 < 5)'
    accepted sample $model -n 40 --where 'pay=>50K' --where 'age-now>80' --where 'day<2024-07-01' --seed 3
    [ "$(awk -F, '$1 != "" && $1 > 80 && $2 < "2024-07-01" && $3 == ">50K"' accepted.out | wc -l)" = 40 ] ||
        fail "several conditions do not all hold"
    cp accepted.out first.csv
    accepted sample $model -n 40 --where 'day<2024-07-01' --where 'pay=>50K' --where 'age-now>80' --seed 3 --threads 1
    cmp accepted.out first.csv || fail "threads or the order of conditions change the rows"
done

# The rows are those that a larger draw without conditions has: the shares of another column agree, and no row is there
# again and again because the model's own rows are few.
model=pairs.safetensors
accepted sample $model -n 40000 --seed 1
mv accepted.out all.csv
accepted sample $model -n 2000 --where 'age-now > 55 and "age-now" < 66' --seed 2
share() { awk -F, 'NR > 1 && $1 > 55 && $1 < 66 { n++; rich += $3 == ">50K" } END { printf "%.4f", rich / n }' "$1"; }
awk -v a="$(share all.csv)" -v b="$(share accepted.out)" 'BEGIN { d = a - b; exit !(d < 0.07 && d > -0.07) }' ||
    fail "$(share accepted.out) of the rows of a range are rich, and $(share all.csv) of all rows in it"
[ "$(tail -n +2 accepted.out | sort -u | wc -l)" -gt 900 ] || fail "few rows come again and again"

refused 2 "*0 of 10* drawn rows satisfied all conditions*" sample $model -n 5 --where 'age-now > 99'
refused 2 "*the condition *age-now* has '>' where a value is expected (--where)" sample $model --where 'age-now >> 3'
refused 2 "*orders categories, which have no order* (--where)" sample $model --where 'pay > none'
refused 2 "*compares a date with a number (--where)" sample $model --where 'day > 5'
refused 2 "*'nobody', which is not a column* (--where)" sample $model --where 'nobody > 5'
refused 2 "*'key' is left out or made up*" sample $model --where 'key > 5'
refused 2 "*'pay' is asked for twice*" sample $model --where pay=none --where 'pay=>50K'
