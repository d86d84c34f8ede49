# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Linked tables: each replicate is a package of its own, whose keys hold; the certificate lists its tables.
make_bank 150
accepted synth --package bank/bank.json --epsilon 40 --threads 1 --replicates 2 --seed 3 -o out
[ "$(ls out | tr '\n' ' ')" = "01 02 " ] || fail "the folders are $(ls out)"
for i in 01 02; do
    keys_hold out/$i
    persons=$(cells out/$i/accounts.csv account | wc -l) # their noisy number, whose deviation is about 3 here (at epsilon 5 it is 20)
    [ "$persons" -gt 100 ] && [ "$persons" -lt 200 ] || fail "$i: $persons persons"
    accepted verify out.certificate.json --ledger bank/bank.json.ledger --output out/$i/orders.csv
done
! cmp -s out/01/accounts.csv out/02/accounts.csv || fail "the same tables twice"
accepted sample out.release --replicates 2 --seed 3 -o again --threads 1
diff -r out again || fail "the same releases and seed give other tables"
accepted sample out.release --replicates 2 --persons 40 -o few --threads 1
keys_hold few/02
[ "$(cells few/02/accounts.csv account | wc -l)" = 40 ] || fail "the number of persons asked for"
