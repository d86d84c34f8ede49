# SPDX-License-Identifier: Apache-2.0
# SIGKILL in the middle of training: 'resume' with the same words goes on from the checkpoint without a charge, to the
# table that training from the release without a stop gives; the checkpoint is gone then.
. "$CLI_TESTS/lib.sh"
make_people
words=(people.csv --schema people.json --epsilon 1 -o k.csv --method merf --features 32)
training=(--hidden 8 --latent 2 --batch 20 --threads 1 --steps 20000) # a second from the first checkpoint on
"$SEMBLANCE" synth "${words[@]}" "${training[@]}" 2> killed.err &
process=$!
# Without a sleep, which may take longer than it should beside other work.
until [ -e k.csv.release.training ]; do [ "$SECONDS" -le 120 ] || fail "no checkpoint"; done
{ kill -KILL $process; wait $process; } 2> /dev/null && fail "it was done before it could be killed"
[ ! -e k.csv ] || fail "a table of a killed run"
cp people.csv.ledger before.ledger
accepted resume "${words[@]}" "${training[@]}"
grep -Eq 'training continues after step [1-9][0-9]*00 of 20000, from k.csv.release.training' accepted.err || fail "[$(<accepted.err)]"
cmp -s before.ledger people.csv.ledger || fail "something was charged"
[ ! -e k.csv.release.training ] || fail "the checkpoint is still there"
accepted train k.csv.release --model whole.model "${training[@]}"
accepted sample whole.model -o whole.csv
cmp -s k.csv whole.csv || fail "the table differs from that of a training without a stop"
