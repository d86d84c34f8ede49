# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
for value in 0 -1 nan -inf x 0x1; do
    refused 2 '*--epsilon must be a number above 0 or *inf*' ledger init f --epsilon "$value"
    refused 2 '*--mu must be a finite number above 0*' ledger init f --epsilon 1 --mu "$value"
done
for value in 0 1 2 nan inf -1e-5; do
    refused 2 '*--delta must be a number above 0 and below 1*' ledger init f --epsilon 1 \
        --delta "$value"
done
refused 2 '*1e-3*' ledger init f --delta 0.01
refused 2 '*--pure means delta 0: leave out --delta*' ledger init f --epsilon 1 --pure --delta 1e-5
refused 2 '*--pure means delta 0: leave out --mu*' ledger init f --epsilon 1 --pure --mu 1
refused 2 '*--neighbours must be*' ledger init f --epsilon 1 --neighbours none
refused 2 'FILE is missing*' ledger init --epsilon 1
[ ! -e f ] || fail "a refused ledger exists"
