# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 2 --quiet
cp data.ledger early.ledger
"$MAKE_RELEASE" 1 a.release a.json data.ledger || fail "no release"
accepted verify a.json --ledger data.ledger --quiet
# Cut back, the ledger is whole in itself; the certificate knows better.
accepted ledger verify early.ledger
refused 3 '*a.json*rolled back*' verify a.json --ledger early.ledger
accepted ledger init other.ledger --epsilon 2 --quiet
refused 3 '*a.json*ledger*' verify a.json --ledger other.ledger
refused 5 '*missing.ledger*' verify a.json --ledger missing.ledger
sed 's/op=RESERVE/op=RESERVF/' data.ledger > edited.ledger
refused 3 '*edited.ledger*' verify a.json --ledger edited.ledger
