. "$CLI_TESTS/lib.sh"
# mentions COMMAND OPTION...: each stands in the help and is known to the parser, and the help has
# no other.
mentions() {
    local words=$1
    shift
    # shellcheck disable=SC2086
    accepted $words --help
    sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p' accepted.out | sort > listed
    printf '%s\n' --help "$@" | sort | diff - listed >&2 || fail "$words: options in the help"
    for option in "$@"; do
        # shellcheck disable=SC2086
        "$SEMBLANCE" $words "$option" "$option" > /dev/null 2> said
        ! grep -q 'unknown option' said || fail "$words: $option: $(<said)"
    done
}
mentions account --epsilon --delta --sigma --mu --releases --pure --parts --rows-per-person \
    --neighbours --json
mentions "ledger init" --epsilon --delta --mu --neighbours --pure --quiet
mentions "ledger show" --json
mentions "ledger verify" --quiet
mentions verify --ledger --quiet
mentions version --build
mentions evaluate --real --synthetic --schema --train --models --sets --seed --json --report \
    --certificate --public-only --threads --force --images --real-labels --synthetic-labels --train-labels \
    --classes --grey --encoder
for name in account ledger verify version help; do
    "$SEMBLANCE" --help | grep -q "^  $name  *[a-z]" || fail "$name is not in the overview"
done
