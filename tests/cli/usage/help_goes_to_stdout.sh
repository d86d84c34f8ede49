# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
for words in --help -h help "help account" "help ledger" "help ledger init" "account --help" \
    "ledger --help" "ledger init -h" "ledger show --help" "verify --help" "version --help" \
    "help help" "help synth --all" "help ledger --all" "account --epsilon --help" "verify a b --nonsense --help"; do
    # shellcheck disable=SC2086 # words are separate
    accepted $words
    [ ! -s accepted.err ] || fail "$words: $(<accepted.err)"
    grep -q '^Usage: semblance ' accepted.out || fail "$words: no usage line"
    ! grep -q '^Exit codes:' accepted.out || fail "$words: exit codes, which are in the man page"
done
"$SEMBLANCE" help ledger init > a && "$SEMBLANCE" ledger init --help | cmp - a || fail "two helps"
# "--" ends the options: then --help is a file.
refused 5 '*--help*' verify -- --help
