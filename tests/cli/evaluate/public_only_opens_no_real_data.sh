# SPDX-License-Identifier: Apache-2.0
# A public report is made from the certificate and synthetic images: no real file is opened, none may be named.
. "$CLI_TESTS/lib.sh"
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o syn.csv "${small[@]}" --quiet
public=(evaluate --public-only --certificate syn.csv.certificate.json --report)
# watched ARGUMENT...: accepted, without a word.
watched() {
    accepted "$@"
    [ ! -s accepted.out ] && [ ! -s accepted.err ] || fail "talks: $*"
}
watched "${public[@]}" public.html
! grep -q 'NOT PRIVATE\|Out of domain\|Histogram' public.html || fail "the public report holds real numbers"
[ "$(stat -c %a public.html)" = 644 ] || fail "others may not read the public report"
# The real table and its schema are gone, and nothing changes.
mkdir gone && mv people.csv people.json syn.csv gone
watched "${public[@]}" again.html
cmp public.html again.html || fail "the report depends on real data"
watched "${public[@]}" third.html --synthetic syn.csv --schema people.json
cmp public.html third.html || fail "the report depends on a table"
for option in --real --train --models --sets; do
    refused 2 "*--public-only reads no real data: leave out $option*" "${public[@]}" no.html $option 5
done
refused 2 '*leave out --json*' "${public[@]}" no.html --json
refused 2 '*certificate*' evaluate --public-only --report no.html
refused 2 '*report*' evaluate --public-only --certificate syn.csv.certificate.json
refused 2 '*--synthetic is missing*' "${public[@]}" no.html --images
refused 2 '*leave out --real-labels*' "${public[@]}" no.html --images --synthetic x --real-labels y
refused 2 '*--real is missing*' evaluate --certificate syn.csv.certificate.json --report no.html
[ ! -e no.html ] || fail "a refusal left a report"
