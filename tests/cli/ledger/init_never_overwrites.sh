# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 1
cp data.ledger before
refused 5 '*data.ledger*' ledger init data.ledger --epsilon 9
cmp before data.ledger || fail "the ledger changed"
echo mine > other
refused 5 '*other*' ledger init other --epsilon 1
[ "$(<other)" = mine ] || fail "a file that is no ledger was overwritten"
ln -s nowhere link
refused 5 '*link*' ledger init link --epsilon 1
[ ! -e nowhere ] || fail "wrote through a symbolic link"
mkdir folder
refused 5 '*folder*' ledger init folder --epsilon 1
refused 5 '*missing/data.ledger*' ledger init missing/data.ledger --epsilon 1
[ "$(ls)" = "$(printf '%s\n' accepted.err accepted.out before data.ledger folder link other refused.err refused.out)" ] ||
    fail "something was left behind: $(ls)"
