# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 2.5 --delta 1e-7 --mu 0.5 --neighbours add-remove
accepted ledger show data.ledger
grep -q '^budget   epsilon 2.5, delta 1e-07, mu 0.5, add-remove neighbours$' accepted.out ||
    grep -q '^budget   epsilon 2.5, delta 1e-7, mu 0.5, add-remove neighbours$' accepted.out ||
    fail "$(<accepted.out)"
grep -q '^spent    epsilon 0 by 0 releases: mu 0, pure epsilon 0$' accepted.out ||
    fail "$(<accepted.out)"
accepted ledger init pure.ledger --epsilon 1 --pure
accepted ledger show pure.ledger
grep -q '^budget   epsilon 1, delta 0, replace-one neighbours$' accepted.out ||
    fail "$(<accepted.out)"
grep -q '^left     mu 0, or pure epsilon ' accepted.out || fail "$(<accepted.out)"
accepted ledger init endless.ledger --epsilon inf
accepted ledger show endless.ledger
grep -q '^budget   epsilon inf' accepted.out || fail "$(<accepted.out)"
