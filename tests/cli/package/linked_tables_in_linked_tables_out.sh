# SPDX-License-Identifier: Apache-2.0
# A bank of five linked tables, one of them in a chain, and a public one: what comes out has the same tables, keys that
# hold, cells as declared and rules that are kept; one ledger, one certificate that names the files.
. "$CLI_TESTS/lib.sh"
make_bank 1500
cp -r bank before
accepted synth --package bank/bank.json --epsilon 2 -o out/ --model bank.safetensors --seed 3
grep -q 'WRITTEN: out/ ([0-9]* persons)' accepted.err || fail "$(<accepted.err)"
grep -q 'for one person' accepted.err || fail "who is protected: $(<accepted.err)"
for table in accounts clients cards orders loans; do
    cmp <(head -n 1 out/$table.csv) <(head -n 1 bank/$table.csv) || fail "$table: header"
    [ "$(wc -l < out/$table.csv)" -gt 100 ] || fail "$table: $(wc -l < out/$table.csv) lines"
done
keys_hold out
cmp out/districts.csv bank/districts.csv || fail "the public table is not the same"

# Of what is drawn, a table is as its schema says.
of() { cells out/"$1".csv "$2" | grep -vE "$3" > bad; [ ! -s bad ] || fail "$1.$2 has $(head -n 1 bad)"; }
day='20(1[5-9]|2[0-5])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
of accounts account '^[0-9]+$'
of accounts statements '^(monthly|weekly|on request)$'
of accounts opened "^$day\$"
of clients role '^(owner|user)$'
of clients born '^(19[1-9][0-9]|200[0-9]|2010)$'
of cards card '^K[0-9]{6}$'
of cards issued "^$day\$"
of orders amount '^[0-9]+\.[0-9]{2}$'
of loans months '^(12|24|36|48|60)$'
paste <(cells out/loans.csv amount) <(cells out/loans.csv repaid) | awk '$2 > $1 { exit 1 }' || fail "repaid > amount"
# No more of a table hang on one row than may count: 2 clients, 1 loan.
[ "$(cells out/clients.csv account | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')" -le 2 ] || fail "clients"
[ -z "$(cells out/loans.csv account | sort | uniq -d)" ] || fail "an account with two loans"
# Cards of a client are in the order of their days.
awk -F, 'NR > 1 { if ($2 == client && $4 < day) exit 1; client = $2; day = $4 }' out/cards.csv || fail "order of cards"

# One account book, beside the package; one certificate.
[ -e bank/bank.json.ledger ] || fail "no ledger beside the package"
"$SEMBLANCE" ledger show bank/bank.json.ledger --json | grep -q '"releases": "2"' || fail "not two releases in the ledger"
accepted verify out.certificate.json --ledger bank/bank.json.ledger --release out.release,out.release.2 \
    --schema bank/bank.json --model bank.safetensors \
    --output out/accounts.csv,out/clients.csv,out/cards.csv,out/orders.csv,out/loans.csv,out/datapackage.json
[ "$(grep -c 'is an output that is listed' accepted.out)" = 6 ] || fail "$(<accepted.out)"
rm bank/*.ledger
diff -r before bank || fail "the input is not as it was"

# What was written is a package again, and says the same of its columns.
accepted schema check out/datapackage.json
mv accepted.out says
accepted schema check bank/bank.json
cmp says accepted.out || fail "out/datapackage.json says something else than bank/bank.json"

# The model draws the same from the same seed, and as many persons as are asked for.
accepted sample bank.safetensors -o again --seed 3
for table in accounts clients cards orders loans; do cmp out/$table.csv again/$table.csv || fail "$table: sample differs"; done
[ ! -e again/districts.csv ] || fail "a model holds no look-up table"
accepted sample bank.safetensors -o some --persons 100
[ "$(cells some/accounts.csv account | wc -l)" = 100 ] || fail "$(cells some/accounts.csv account | wc -l) persons"
keys_hold some
accepted synth --package bank/bank.json --epsilon 2 -o few --persons 100
[ "$(cells few/accounts.csv account | wc -l)" = 100 ] || fail "synth: $(cells few/accounts.csv account | wc -l) persons"
keys_hold few
