# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Files, rows, seeds, certificate: pairs, forest and marginals, both relations.
make_gate
gate=(gate.csv --schema gate.json --epsilon 20 --threads 1 --replicates 3 --seed 7)
for method in pairs forest marginals; do
    accepted synth "${gate[@]}" --method $method -o $method/
    grep -q '^REPLICATES: 3 tables for confidence intervals' accepted.err || fail "nothing says what they are for"
    [ "$(ls $method | tr '\n' ' ')" = "01.csv 02.csv 03.csv " ] || fail "$method: the files are $(ls $method)"
    for file in "$method"/*.csv; do
        [ "$(wc -l < "$file")" = 401 ] && [ "$(head -n 1 "$file")" = a,b,c,word,odd,level ] || fail "$file is not such a table"
    done
    [ "$(cat $method/*.csv | sort -u | wc -l)" -gt 401 ] && ! cmp -s $method/01.csv $method/02.csv || fail "$method: the same table twice"
    # The certificate lists them, and a table that was changed is not one of them.
    for file in "$method"/*.csv; do
        accepted verify $method.certificate.json --ledger gate.csv.ledger --output "$file"
    done
    sed '2d' $method/02.csv > changed.csv
    refused 3 '*' verify $method.certificate.json --ledger gate.csv.ledger --output changed.csv
done

# Drawn again from the releases: nothing is charged, the same seed gives the same bytes, another one others.
cp gate.csv.ledger before
accepted sample pairs.release --replicates 3 --seed 7 -o again --threads 1
diff -r pairs again || fail "the same releases and seed give other tables"
accepted sample pairs.release --replicates 3 --seed 7 -o threads --threads 2
diff -r pairs threads || fail "two threads give other tables"
accepted sample pairs.release --replicates 3 --seed 8 -o others --threads 1
! cmp -s pairs/01.csv others/01.csv || fail "the seed does not matter"
accepted sample pairs.release --replicates 2 --seed 7 -n 50 -o short --threads 1
[ "$(wc -l < short/02.csv)" = 51 ] || fail "the number of rows"
cmp gate.csv.ledger before || fail "drawing was charged"

# One file: the same tables with their numbers.
accepted sample pairs.release --replicates 3 --seed 7 -o one.csv --threads 1
for i in 1 2 3; do tail -n +2 pairs/0$i.csv | sed "s/^/$i,/"; done | diff - <(tail -n +2 one.csv) || fail "one file is not the three"
[ "$(head -n 1 one.csv)" = replicate,a,b,c,word,odd,level ] || fail "the header of one file"
accepted sample pairs.release --replicates 3 --seed 7 -o one.csv.gz --threads 1
gzip -dc one.csv.gz | cmp - one.csv || fail "the compressed file differs"
rm gate.csv.ledger
accepted synth "${gate[@]}" -o stacked.csv
accepted verify stacked.csv.certificate.json --ledger gate.csv.ledger --output stacked.csv
[ "$(cut -d, -f1 stacked.csv | sort | uniq -c | awk '$2 ~ /^[123]$/ { print $1 }' | sort -u)" = 400 ] || fail "rows of one file"

# Where n is private the noisy number of rows is drawn, another one for each table.
rm gate.csv.ledger
accepted synth "${gate[@]}" --neighbours add-remove -o private
[ "$(wc -l private/*.csv | awk '$2 != "total" && $1 > 200 && $1 < 800' | wc -l)" = 3 ] || fail "add-remove: $(wc -l private/*)"
