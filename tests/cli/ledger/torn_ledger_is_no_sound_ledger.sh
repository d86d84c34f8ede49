# SPDX-License-Identifier: Apache-2.0
# A crash can tear the last line: then nothing more is spent until a repair says what it cost. Anything
# else that is wrong with a ledger is damage.
. "$CLI_TESTS/lib.sh"
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv "${small[@]}" --quiet
book=people.csv.ledger
cp $book whole
size=$(stat -c %s whole)
synth() { refused "$1" "$2" synth people.csv --schema people.json --epsilon 1 -o b.csv "${small[@]}"; }
head -c $((size - 10)) whole > $book
refused 3 '*torn*' ledger verify $book
accepted ledger show $book
grep -q '^torn ' accepted.out && grep -q '^left     mu 0' accepted.out || fail "$(<accepted.out)"
synth 4 '*torn*'
# A torn COMMIT is known to have cost nothing.
accepted ledger repair $book
accepted ledger verify $book
# What cannot be read must be stated where there is no limit.
cp whole $book
printf 'seq=3 op=RESERVE rid=12' >> $book
synth 4 '*torn*'
refused 4 '*state*' ledger repair $book
refused 2 '*not both*' ledger repair $book --mu 1 --epsilon 1
accepted ledger repair $book --mu 0.5
accepted ledger show $book
grep -q '(torn line) *repaired *mu  *0.5' accepted.out || fail "$(<accepted.out)"
# A line that can be read is not stated away.
head -n 2 whole > $book
truncate -s -1 $book
cp $book torn
for cost in '--mu 1e-6' '--epsilon 50'; do
    # shellcheck disable=SC2086 # two words
    refused 2 '*the stated cost is less than the torn line charged*' ledger repair $book $cost
    cmp $book torn || fail "a refusal changed the ledger"
done
accepted ledger repair $book --mu 50
accepted ledger verify $book
# With a limit the rest is given up.
cp whole $book
accepted ledger limit $book --epsilon 5
printf 'seq=4 op=RES\0\0\0\0\0\0\0' >> $book
accepted ledger repair $book
synth 4 '*gave up the rest of its budget*'
refused 2 '*nothing to repair*' ledger repair $book
# A whole last line with one bad byte is damage, and so are zeros inside it.
for byte in '\1' '\0' '\377'; do
    cp whole $book
    printf "$byte" | dd of=$book bs=1 seek=$((size - 100)) conv=notrunc status=none
    refused 3 '*is not a line of a ledger*' ledger verify $book
    synth 3 '*is not a line of a ledger*'
done
ls b.csv* 2> /dev/null && fail "a refusal left files"
exit 0
