# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Constraints that look at the row before, and rules on a person's own columns: every synthetic person keeps them all.
CONSTRAINTS='["admitted <= discharged", "discharged - admitted <= 40", "admitted >= previous discharged", "stage >= previous stage",
  "if previous ward = birth then ward != birth", "first_seen >= born", "if ward = birth then sex = f"]' make_visits
# broken FILE: how often a rule is broken, or a column of a person changes, or its days fall; written without the program.
broken() {
    awk -F, 'NR == 1 { next }
        $1 != who && ($1 in seen) { apart++ }
        $1 == who { changed += $2 != sex || $3 != born || $4 != first; order += $5 < came; overlap += $5 < left
            stage += $8 < at; births += ward == "birth" && $7 == "birth" }
        { own += $4 < $3; mixed += $7 == "birth" && $2 != "f"; turned += $6 < $5; seen[$1] = 1
          who = $1; sex = $2; born = $3; first = $4; came = $5; left = $6; ward = $7; at = $8 }
        END { print apart + changed + order + overlap + stage + births + own + mixed + turned }' "$1"
}
# At epsilon 2 noise leaves no births in one run of fifteen, and below none could be drawn.
accepted synth visits.csv --schema visits.json --epsilon 20 -o made.csv --model m.safetensors --persons 1500
[ "$(broken made.csv)" = 0 ] || fail "rules are broken $(broken made.csv) times"
[ "$(tail -n +2 made.csv | cut -d, -f1 | sort -u | wc -l)" = 1500 ] || fail "not 1500 persons"
[ "$(wc -l < made.csv)" -gt 3000 ] || fail "persons lost their rows"
for wanted in '-n 777' '--persons 90 --where ward=birth' "-n 300 --where admitted>=2024-06-01"; do
    # shellcheck disable=SC2086
    accepted sample m.safetensors $wanted --seed 8
    [ "$(broken accepted.out)" = 0 ] || fail "$wanted: rules are broken"
    [[ $wanted != -n* ]] || [ "$(wc -l < accepted.out)" = $((${wanted:3:3} + 1)) ] || fail "$wanted: another number of rows"
done

# Rows that break one are counted: persons apart, by order and not as they stand.
accepted schema check visits.json made.csv
[ "$(grep -c '^constraint .*: all rows hold$' accepted.out)" = 7 ] || fail "the synthetic table breaks a rule: $(<accepted.out)"
{
    head -1 made.csv
    echo 1,f,1990,1991,2024-03-01,2024-03-09,eyes,2   # second
    echo 2,m,1990,1991,2024-01-01,2024-01-05,eyes,5   # of another
    echo 1,f,1990,1991,2024-01-01,2024-02-01,birth,4  # first: the stage falls after it
    echo 1,f,1990,1991,2024-03-08,2024-03-10,birth,3  # third: overlaps
    echo ,f,1990,1991,2024-03-08,2024-03-10,birth,1   # nobody, twice
    echo ,f,1990,1991,2024-03-01,2024-03-02,birth,1
    echo 1,f,1990,1991,2024-03-12,2024-03-15,birth,?  # fourth: no stage is no fault
} > few.csv
accepted schema check visits.json few.csv
for line in 'admitted >= previous discharged: 1 row breaks it' 'stage >= previous stage: 1 row breaks it' \
    'if previous ward = birth then ward != birth: 1 row breaks it' 'first_seen >= born: all rows hold'; do
    grep -qxF "constraint $line" accepted.out || fail "'$line' is not said: $(<accepted.out)"
done
accepted evaluate --real visits.csv --synthetic made.csv --schema visits.json --models none --json
python3 - accepted.out <<'PYTHON' || fail "evaluate counts other rows"
import json, sys
found = {entry["rule"]: entry for entry in json.load(open(sys.argv[1]))["constraints"]}
assert all(entry["synthetic"] == 1 for entry in found.values()), found
assert found["admitted >= previous discharged"]["real"] == 1, found
assert abs(found["if previous ward = birth then ward != birth"]["real"] - 880 / 900) < 1e-9, found
PYTHON

# Who draws no persons cannot keep them; nothing is charged for that.
cp visits.csv.ledger untouched
for flat in '--histories off' '--method marginals' '--pure'; do
    # shellcheck disable=SC2086
    refused 2 "the schema has constraints with 'previous', which the method * does not satisfy: use the method histories, or remove the constraints" \
        synth visits.csv --schema visits.json --epsilon 1 -o no.csv $flat
done
cmp untouched visits.csv.ledger || fail "a refusal was charged"
sed 's/"unit": "who", "order": "admitted", "max_rows_per_unit": 20, //; s/, "semblance": {"per": "unit"}//' visits.json > nobody.json
refused 3 "*'admitted >= previous discharged' uses 'previous', but no column identifies the person: name it as semblance.unit" \
    schema check nobody.json
refused 2 "*uses 'previous', which only constraints can use (--where)" \
    sample m.safetensors --where 'stage > previous stage'
