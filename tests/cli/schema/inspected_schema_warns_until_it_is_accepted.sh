# SPDX-License-Identifier: Apache-2.0
# An inspected schema says so, to the caller and in the certificate, until its owner accepts it; proposals are taken or struck.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { print "visit,patient_id,hours,dose"; for (i = 0; i < 600; i++)
    printf "V-%04d,P%03d,%d,%d\n", i, i % 50, i % 3 ? 0 : 1 + i * 7 % 97, (i * 7) % 90 }' > stays.csv
accepted schema inspect stays.csv -o stays.json
grep -q '^proposal [0-9], unit: patient_id: .* a person with 12 rows has epsilon 17 where a row has epsilon 1 (delta 1e-6)$' accepted.err ||
    fail "no unit: $(<accepted.err)"
grep -q '^proposal [0-9], id: visit: ' accepted.err || fail "no id: $(<accepted.err)"
grep -q '^proposal [0-9], spikes: hours: ' accepted.err || fail "no spikes: $(<accepted.err)"
cp stays.json inspected.json
accepted schema check stays.json
grep -q '^NOT PRIVATE: what is proposed' accepted.out || fail "proposals without a warning: $(<accepted.out)"

warning='WARNING: the schema was read from the records'
run=(stays.csv --method marginals --epsilon 1)
accepted synth "${run[@]}" --schema stays.json -o a.csv
[ "$(grep -c "$warning.*'semblance schema accept SCHEMA'" accepted.err)" = 1 ] || fail "synth does not warn: $(<accepted.err)"
grep -q '"origin": "inspected: read from the table' a.csv.certificate.json || fail "the certificate does not record it"
accepted verify a.csv.certificate.json
accepted fit "${run[@]}" --schema stays.json --model a.model
grep -q "$warning" accepted.err || fail "fit does not warn: $(<accepted.err)"

refused 2 'stays.json has 3 proposals: choose which to take (--take 1,3, all or none)*' schema accept stays.json
refused 2 "no proposal '4'*" schema accept stays.json --take 1,4
refused 2 "no proposal 'rule'*" schema accept stays.json --take rule
refused 5 '*exists already*' schema accept stays.json --take all -o inspected.json
cmp -s stays.json inspected.json || fail "a refusal changed the schema"
accepted schema accept stays.json --take unit,id
grep -q '2 of 3 proposals taken, 1 dropped' accepted.err || fail "$(<accepted.err)"
refused 2 "no proposal 'unit': the schema has no pending proposals" schema accept stays.json --take unit
accepted schema check stays.json
grep -q '^patient_id: says whose row it is; at most 50 rows' accepted.out || fail "the unit was not taken: $(<accepted.out)"
grep -q '^visit: not read -> fresh ids, V-####' accepted.out || fail "the id was not taken: $(<accepted.out)"
! grep -q 'proposal\|apart' accepted.out || fail "something was not dropped: $(<accepted.out)"
cp stays.csv persons.csv # whose ledger is one of persons
accepted synth persons.csv "${run[@]:1}" --schema stays.json -o b.csv
! grep -q "$warning" accepted.err || fail "an accepted schema is warned of: $(<accepted.err)"
grep -q '"origin": "accepted as public by its owner' b.csv.certificate.json || fail "the certificate does not say so"
head -2 b.csv | tail -1 | grep -q '^V-[0-9]*,P[0-9]*,' || fail "no ids: $(head -2 b.csv)"

accepted synth persons.csv --schema stays.json --epsilon 1 -o whole.csv
grep -A 1 'as one record of bounded size,$' accepted.err | grep -q '^  at most 50 of them; .* not grow with that number\.$' ||
    fail "the promise to persons is cut: $(<accepted.err)"

# An edit of origin says the same.
sed 's/inspected: read from the table by semblance schema inspect/known from the ward rules/' inspected.json > edited.json
accepted synth "${run[@]}" --schema edited.json -o c.csv
! grep -q "$warning" accepted.err || fail "an edited origin is warned of: $(<accepted.err)"
grep -q '"origin": "known from the ward rules"' c.csv.certificate.json || fail "the certificate does not say so"
accepted schema accept inspected.json --take all -o -
grep -q '"spikes"' accepted.out && grep -q 'proposals' inspected.json || fail "-o - is no copy"
