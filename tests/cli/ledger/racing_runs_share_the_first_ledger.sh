# SPDX-License-Identifier: Apache-2.0
# Several runs make the first release of a table at the same time: all succeed, and one ledger has all charges.
. "$CLI_TESTS/lib.sh"
make_people
for turn in 1 2 3 4; do
    rm -f people.csv.ledger out*
    processes=()
    for run in 1 2 3 4 5 6; do
        "$SEMBLANCE" synth people.csv --schema people.json --epsilon 0.1 --method marginals --threads 1 --quiet -o "out$run.csv" > "said$run" 2>&1 &
        processes+=($!)
    done
    for process in "${processes[@]}"; do wait "$process" || fail "a run failed: $(cat said*)"; done
    [ "$(grep -c op=COMMIT people.csv.ledger)" = 6 ] || fail "$(<people.csv.ledger)"
    for run in 1 2 3 4 5 6; do accepted verify "out$run.csv.certificate.json" --ledger people.csv.ledger --output "out$run.csv"; done
done
exit 0
