# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
mkdir folder
for words in "show" "show --json" "verify"; do
    # shellcheck disable=SC2086
    refused 5 '*missing.ledger*' ledger $words missing.ledger
    # shellcheck disable=SC2086
    refused 3 '*folder*' ledger $words folder
done
