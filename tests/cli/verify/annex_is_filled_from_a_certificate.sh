# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
printf '{"fields":[{"name":"x","type":"boolean"}]}' > s.json
{ echo x; for _ in $(seq 200); do echo true; echo false; done; } > a.csv
accepted synth a.csv --schema s.json --method marginals --epsilon 1 --title 'a|b <script>' --by 'A. Maker' -o out.csv -q
accepted certificate annex out.csv.certificate.json
grep -qF '| **Data set** | a\|b \<script\> (table) |' accepted.out || fail "$(<accepted.out)"
grep -q 'epsilon 1 at delta 1e-05 over all releases' accepted.out || fail "$(<accepted.out)"
grep -q "$(sha256sum < out.csv.certificate.json | cut -c1-64)" accepted.out || fail "another hash"
accepted certificate annex out.csv.certificate.json -o annex.html
grep -q '&lt;script&gt;' annex.html && ! grep -q '<script' annex.html || fail "markup in the page"
refused 5 '*annex.html exists already*' certificate annex out.csv.certificate.json -o annex.html
accepted certificate annex out.csv.certificate.json -o annex.md
cmp annex.md <("$SEMBLANCE" certificate annex out.csv.certificate.json) || fail "two annexes"
# One that guarantees nothing says so; one that does not hold makes none.
"$SEMBLANCE_TESTKEY" certificate annex out.csv.certificate.json > /dev/null || fail "test build"
sed 's/"method": "[a-z]*"/"method": "other"/' out.csv.certificate.json > edited.json
refused 3 'edited.json: field *' certificate annex edited.json -o edited.html
[ ! -e edited.html ] || fail "an annex of a broken certificate"
refused 5 '*none.json*' certificate annex none.json
