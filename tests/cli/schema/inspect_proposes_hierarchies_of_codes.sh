# SPDX-License-Identifier: Apache-2.0
# ICD codes, postcodes and products with prefixes in common get a hierarchy, with its levels and their counts; names, running numbers,
# random ids and short lists get none. What is taken is a hierarchy, and a fit uses it.
. "$CLI_TESTS/lib.sh"
awk 'function r(n) { return int(rand() * n) } function pick(list, n) { return substr(list, 1 + r(n), 1) }
    BEGIN { srand(8)
        for (c = 0; c < 15; c++) for (k = 0; k < 6; k++) { head = sprintf("%s%02d", substr("ABCDEFGHIJKLMNO", c + 1, 1), r(100))
            icd[n++] = head; for (s = r(3); s < 4; s++) icd[n++] = head "." s }
        for (i = 0; i < 200; i++) { plz[i] = sprintf("%02d%03d", i % 3 ? 1 + i % 9 : 80 + i % 5, r(1000)); run[i] = sprintf("R%03d", i + 1)
            id[i] = ""; for (k = 0; k < 6; k++) id[i] = id[i] pick("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 32)
            town[i] = pick("ABCDEFGHKLMNPRSTW", 17) pick("aeiou", 5) pick("nrlst", 5) pick("aeiou", 5) pick("nrlst", 5) "burg" }
        print "icd,plz,room,device,town,ward"
        for (i = 0; i < 12000; i++) printf "%s,%s,%s,%s,%s,%s%d\n", icd[r(n)], plz[r(200)], run[r(200)], id[r(200)], town[r(200)], "W", r(20) }' > codes.csv
accepted schema inspect codes.csv -o codes.json
grep -qxE 'proposal [0-9]+, hierarchy: icd: its [0-9]+ codes form groups by how they begin: 15 groups by the first character and [0-9]+ by the first 3' accepted.err ||
    fail "ICD codes: $(<accepted.err)"
grep -qxE 'proposal [0-9]+, hierarchy: plz: its [0-9]+ codes form groups by how they begin: .*by the first .*' accepted.err || fail "postcodes: $(<accepted.err)"
[ "$(grep -c ', hierarchy: ' accepted.err)" = 2 ] || fail "names, running numbers, random ids or short lists have one: $(<accepted.err)"
accepted schema accept codes.json --take hierarchy
accepted schema check codes.json
grep -qE '^icd: .*, in a hierarchy of 2 levels' accepted.out || fail "not taken: $(<accepted.out)"
accepted synth codes.csv --schema codes.json --epsilon 1 --quiet -o out.csv
# A column with few categories gets none, however its codes look.
awk -F, 'NR == 1 || /^[AB]/ { print $1 }' codes.csv > few.csv
accepted schema inspect few.csv
! grep -q hierarchy accepted.err || fail "few categories: $(<accepted.err)"
