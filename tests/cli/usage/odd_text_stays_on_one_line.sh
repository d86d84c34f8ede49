# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
newline=$'a\nb\rc\033[31md'
refused 2 "unknown option --a?b?c?\[31md*" account "--$newline"
refused 2 "*not 'a?b?c?\[31md'*" account --epsilon "$newline"
refused 2 "'a?b?c?\[31md' is not a command*" "$newline"
# However long, the line ends with the hint.
long=$(printf 'x%.0s' {1..5000})
refused 2 "*see 'semblance account --help'" account "--$long"
refused 2 "*see 'semblance account --help'" account "--epsilon=$long"
refused 2 "*see 'semblance account --help'" account "$long"
refused 2 "*see 'semblance --help'" "$long"
refused 2 "*see 'semblance ledger --help'" ledger "$long"
