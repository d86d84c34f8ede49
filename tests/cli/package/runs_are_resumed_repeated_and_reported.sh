# SPDX-License-Identifier: Apache-2.0
# A run of linked tables that was stopped after its first release goes on; a job file holds one; a report is written.
. "$CLI_TESTS/lib.sh"
make_bank 400
words=(--package bank/bank.json --epsilon 1 -o out --quiet)
accepted synth "${words[@]}" --save-job job.json --report page.html
grep -q '"package": "bank/bank.json"' job.json || fail "no package: $(<job.json)"
grep -q 'one person' page.html || fail "the report does not say who is protected"
! grep -q 'NOT PRIVATE' page.html || fail "the report of a run is public"
# As if it had been stopped: the ledger as it was then, no second release, no tables.
head -n 3 bank/bank.json.ledger > first
cp first bank/bank.json.ledger
rm -r out out.release.2
accepted resume "${words[@]}"
keys_hold out
accepted verify out.certificate.json --ledger bank/bank.json.ledger --release out.release,out.release.2 --output out/accounts.csv
[ "$(grep -c op=RESERVE bank/bank.json.ledger)" = 2 ] || fail "the first release was paid for again"
# A finished run is drawn again at no cost.
cp -r out once
accepted resume "${words[@]}" --overwrite
diff -r once out || fail "drawn again it is something else"
[ "$(grep -c op=RESERVE bank/bank.json.ledger)" = 2 ] || fail "a finished run was charged"
# The job again.
rm -rf out out.*
accepted synth --job job.json --report other.html
keys_hold out
accepted train out.release --model again.safetensors --quiet
accepted sample again.safetensors -o again
keys_hold again
