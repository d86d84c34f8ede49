# SPDX-License-Identifier: Apache-2.0
# Which device trained stands in the certificate, once something was trained, in its statement, in the model and on the report.
. "$CLI_TESTS/lib.sh"
make_people
make_images
make_card card
images=(--images images --labels labels --classes 3 --method merf --features 20 --steps 3 --epsilon 1)
accepted synth "${images[@]}" --device cuda:1 --device-path card -o on_card --model card.model --report card.html
[ "$(json_member trained_on < on_card.certificate.json)" = 'cuda:1 Fake' ] || fail "$(cat on_card.certificate.json)"
accepted verify on_card.certificate.json --model card.model
grep -q '^TRAINED ON: cuda:1 Fake, after the releases\.$' accepted.out || fail "$(cat accepted.out)"
grep -aq '"device":"cuda:1 Fake"' card.model || fail "the model does not say it"
grep -q 'trained on</dt><dd>cuda:1 Fake' card.html || fail "the report does not say it"
# It cannot be changed alone.
sed 's/"trained_on": "cuda:1 Fake"/"trained_on": "cpu"/' on_card.certificate.json > changed.json
refused 3 "*changed.json: field 'guarantee.statement'*" verify changed.json
# The certificate in a model is that of the releases: another device may train the next one.
! grep -aq trained_on card.model || fail "the model holds the certificate of one training"
accepted synth "${images[@]}" --device cpu -o on_cpu --report cpu.html
[ "$(json_member trained_on < on_cpu.certificate.json)" = cpu ] || fail "$(cat on_cpu.certificate.json)"
grep -q 'trained on</dt><dd>the CPU' cpu.html || fail "the report does not say it"
# A network of a table is the CPU's; where nothing is trained nothing is claimed.
accepted synth people.csv --schema people.json --method merf --steps 3 --epsilon 1 -o merf.csv
[ "$(json_member trained_on < merf.csv.certificate.json)" = cpu ] || fail "$(cat merf.csv.certificate.json)"
accepted synth people.csv --schema people.json --epsilon 1 -o pairs.csv
! grep -q trained_on pairs.csv.certificate.json || fail "pairs trains nothing"
! grep -q 'TRAINED ON' pairs.csv.certificate.json || fail "pairs trains nothing"
accepted fit "${images[@]}" --device-path "$PWD" --model whole.model
[ "$(json_member trained_on < whole.model.certificate.json)" = cpu ] || fail "fit says nothing"
