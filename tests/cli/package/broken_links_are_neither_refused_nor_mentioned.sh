# SPDX-License-Identifier: Apache-2.0
# Rows without a key, with a key that names nothing, rows that stand there twice, cells that are none, in any order: a run
# says and does what it does without them, and what comes out has keys that hold.
. "$CLI_TESTS/lib.sh"
make_bank 1000
accepted synth --package bank/bank.json --epsilon 1 -o good --health off # whose lines noise can change
words() { sed -E 's/in ledger [0-9a-f]+//; s/[0-9]+(\.[0-9]+)?//g; s/: (good|odd) /: out /' accepted.err | grep -v 'stand out from the noise'; } # but for numbers, and what noise took
words > said
rm bank/*.ledger # its sum would be told
{
    echo ',D01,weekly,2020-01-01'           # an account without a key
    echo '7,D01,weekly,2020-01-01'          # and one of a key that is another's
    echo 'x y,nowhere,daily,yesterday,more' # and one of which nothing fits
} >> bank/accounts.csv
printf '%s\n' '90001,,owner,male,1950' ',7,owner,male,1950' '90002,nobody,owner,male,1950' '3,8,user,female,1980' '3,9,user,female,1980' \
    >> bank/clients.csv
printf '%s\n' 'K1,nobody,gold,2020-01-01' 'K2,nobody,gold,2019-01-01' 'K3,,gold,2020-01-01' 'K4,3,gold,2020-01-01' 'K5' '' >> bank/cards.csv
{ head -n 1 bank/orders.csv; tail -n +2 bank/orders.csv | sort -r -t, -k 4; tail -n 5 bank/orders.csv; } > shuffled
mv shuffled bank/orders.csv
header=$(head -n 1 bank/loans.csv)
echo "$header" > bank/loans.csv # no loan at all
accepted synth --package bank/bank.json --epsilon 1 -o odd --health off
words | diff said - || fail "what was said differs"
keys_hold odd
[ "$(wc -l < odd/loans.csv)" -lt 400 ] || fail "loans out of nothing"
