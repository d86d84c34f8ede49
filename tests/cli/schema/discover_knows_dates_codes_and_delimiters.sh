# SPDX-License-Identifier: Apache-2.0
# Dates as inspect knows them, codes with leading zeros, a file with another delimiter; one line for what became nothing.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
awk 'BEGIN { print "id;note;german;british;american;moment;post;n"
    for (i = 0; i < 6000; i++) { d = 1 + i % 28; m = 1 + i % 12; y = 2000 + i % 20
        printf "p%d;%s;%02d.%02d.%d;%d/%d/%d;%d/%d/%02d;%02d.%02d.%d %02d:%02d;%05d;%d\n", i, "x" i * 7, d, m, y, d, m, y, m, d, y % 100,
            d, m, y, i % 24, i % 60, 1000 + 9000 * (i % 4), i % 50 } }' > t.csv
refused 3 "*t.csv has a header of one column, with ';' in its name: if that separates cells, give it as the delimiter (--delimiter*" \
    schema discover t.csv --epsilon 9 --delta 1e-10 -o s.json
refused 3 "*t.csv has a header of one column*" synth t.csv --epsilon 9 -o out.csv
[ ! -e t.csv.ledger ] || fail "something was charged"
accepted schema discover t.csv --epsilon 9 --delta 1e-10 --delimiter ';' --decimal . -o s.json
grep -qx "columns that became nothing: 'id', 'note' (no text is frequent enough to be named: every value becomes 'other')" accepted.err ||
    fail "nothing: $(<accepted.err)"
accepted schema check s.json t.csv
grep -q '^german: date from .*, written %d.%m.%Y ' accepted.out || fail "german: $(<accepted.out)"
grep -q '^british: date from .*, written %d/%m/%Y ' accepted.out || fail "british: $(<accepted.out)"
grep -q '^american: date from .*, written %m/%d/%y ' accepted.out || fail "american: $(<accepted.out)"
grep -q '^moment: datetime from .*, written %d.%m.%Y %H:%M ' accepted.out || fail "moment: $(<accepted.out)"
grep -q '^post: string with 4 categories' accepted.out || fail "post: $(<accepted.out)"
grep -q '^n: integer from ' accepted.out || fail "n: $(<accepted.out)"
grep -q '"01000"' s.json || fail "leading zeros: $(<s.json)"
accepted synth t.csv --schema s.json --epsilon 9 --method marginals -o out.csv --quiet
tail -n +2 out.csv | awk -F';' '$3 !~ /^[0-3][0-9][.][01][0-9][.]20[0-9][0-9]$/ || $7 !~ /^(01000|10000|19000|28000)$/ { bad = 1 } END { exit bad }' ||
    fail "drawn: $(head -3 out.csv)"
# One column whose name has a semicolon in it: told, it is one.
awk 'BEGIN { print "\"a;b\""; for (i = 0; i < 3000; i++) print i % 40 }' > one.csv
accepted schema discover one.csv --epsilon 10 --delimiter , -o one.json --quiet
# Every day below 13: what cannot be told is said.
awk 'BEGIN { print "d"; for (i = 0; i < 3000; i++) printf "%d/%d/2020\n", 1 + i % 12, 1 + i % 11 }' > either.csv
accepted schema discover either.csv --epsilon 10 -o either.json
grep -q "^column 'd': whether days or months come first could not be told; it is taken for %[dm]/%[dm]/%Y$" accepted.err ||
    fail "either: $(<accepted.err)"
