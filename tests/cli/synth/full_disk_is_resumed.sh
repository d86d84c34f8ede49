# SPDX-License-Identifier: Apache-2.0
# No room for the table, as on a full disk: one line says that `resume` continues, which it then does without a charge.
. "$CLI_TESTS/lib.sh"
make_people
run=(people.csv --schema people.json --epsilon 1 --method marginals --health off -n 60000 -o out.csv)

# full KILOBYTES ARGUMENT...: no file may grow beyond; the program ends as on a full disk.
full() {
    local code=0 size=$1
    shift
    (trap '' XFSZ; ulimit -f "$size"; exec "$SEMBLANCE" "$@" > full.out 2> full.err) || code=$?
    [ $code = 5 ] || fail "exit code $code: $* [$(<full.err)]"
    [ "$(grep -vc WARNING full.err)" = 1 ] || fail "not one line: [$(<full.err)]"
    grep -q "what was released is kept (.*), and is not paid for again: the same command with 'resume' continues$" full.err || fail "[$(<full.err)]"
    ! grep -q train full.err || fail "train would not complete the run: [$(<full.err)]"
}

full 200 synth "${run[@]}"
[ ! -e out.csv ] || fail "half a table"
cp people.csv.ledger charged
full 200 resume "${run[@]}"
accepted resume "${run[@]}"
cmp -s charged people.csv.ledger || fail "it was paid for again"
[ "$(wc -l < out.csv)" = 60001 ] || fail "not all rows: $(wc -l < out.csv)"
accepted verify out.csv.certificate.json --output out.csv
