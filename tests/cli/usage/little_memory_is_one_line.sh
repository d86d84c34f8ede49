# SPDX-License-Identifier: Apache-2.0
# Where memory is limited, commands that need no LAPACK work, and the others end with one line before anything is charged:
# OpenBLAS tries for ever to have its buffers.
. "$CLI_TESTS/lib.sh"
make_people
export OMP_NUM_THREADS=2
limited() { (ulimit -v 200000 && exec timeout 60 "$SEMBLANCE" "$@"); }
for command in --version 'version --build' 'help synth' 'plan --schema people.json --epsilon 1 -n 200' 'account --epsilon 1' \
    'schema check people.json people.csv' 'synth people.csv --schema people.json --method marginals --epsilon 1 -o out.csv --quiet'; do
    # shellcheck disable=SC2086
    limited $command > said 2>&1 || fail "$? of '$command': $(<said)"
done
[ "$(wc -l < out.csv)" = 201 ] || fail "not the table"
limited version --build > said
grep -q '^blas .*none' said || fail "a BLAS was loaded: $(<said)"
cp people.csv.ledger before
wrapped() { limited "$@"; }
refused_by wrapped 1 'OpenBLAS needs 512 MB of address space for 2 threads,*' \
    synth people.csv --schema people.json --method ron-gauss --epsilon 1 -o none.csv --quiet
cmp before people.csv.ledger || fail "a refusal was charged"
[ ! -e none.csv ] && [ ! -e none.csv.release ] || fail "something was written"
# With room for it, and in evaluation: what is missing is said, and the rest is compared.
(ulimit -v 2000000 && exec "$SEMBLANCE" synth people.csv --schema people.json --method ron-gauss --epsilon 1 -o some.csv --quiet) ||
    fail "no table with enough memory"
limited evaluate --real people.csv --synthetic out.csv --schema people.json --models logistic,bayes > said 2>&1 ||
    fail "no evaluation: $(<said)"
grep -q 'logistic regression: there is not enough memory' said || fail "$(<said)"
