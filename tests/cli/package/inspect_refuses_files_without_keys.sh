# SPDX-License-Identifier: Apache-2.0
# Files whose keys do not match are refused in one line that names them; nothing is written, and no cell is shown.
. "$CLI_TESTS/lib.sh"
mkdir data elsewhere
awk 'BEGIN { srand(5); print "id,sex" > "data/people.csv"; print "person,cost" > "data/visits.csv"; print "id,cost" > "data/strangers.csv"
    print "x,y" > "data/alone.csv"; print "id,town" > "data/clients.csv"; print "a,b,n" > "data/both.csv"
    for (i = 1; i <= 1500; i++) { print "P" i "," (i % 2 ? "f" : "m") > "data/people.csv"; print "Q" i "," i % 7 > "data/clients.csv"
        print "P" 1 + int(rand() * 1500) "," int(rand() * 99) > "data/visits.csv"; print "S" i % 700 "," int(rand() * 99) > "data/strangers.csv"
        print int(rand() * 50) "," int(rand() * 50) > "data/alone.csv"
        print "P" 1 + int(rand() * 1500) ",Q" 1 + int(rand() * 1500) "," i % 5 > "data/both.csv" } }'
cd data
cp people.csv more.csv
out=(-o package.json)
refused 3 "people.csv and more.csv have the same columns*comma*" schema inspect people.csv more.csv "${out[@]}"
refused 3 "strangers.csv and people.csv share the column 'id'*correct the keys*" schema inspect visits.csv people.csv strangers.csv "${out[@]}"
refused 3 "alone.csv: no column of it holds the keys of another file*leave it out" schema inspect people.csv visits.csv alone.csv "${out[@]}"
refused 3 "*.csv and *.csv both refer to no other file*leave out one*" schema inspect people.csv clients.csv both.csv "${out[@]}"
refused 3 "people.csv is not in the folder of ../elsewhere/package.json*next to its files" schema inspect people.csv visits.csv -o ../elsewhere/package.json
head -n 700 visits.csv > first.csv && { head -n 1 visits.csv; tail -n +701 visits.csv; } > second.csv
refused 3 "first.csv,second.csv: a table of a package is one file*" schema inspect people.csv first.csv,second.csv "${out[@]}"
rm first.csv second.csv
refused 5 '*nowhere.csv*' schema inspect people.csv nowhere.csv "${out[@]}"
refused 2 '*people.csv*' schema inspect people.csv visits.csv -o people.csv --overwrite
refused 2 "two linked tables have the name 'people'" schema inspect people.csv ./people.csv "${out[@]}"
# Keys that are written in two ways, and rows without a key: the line says why they do not match.
awk -F, 'BEGIN { print "id,cost" > "points.csv"; print "id,cost" > "zeros.csv"; print "id,cost" > "orphans.csv"; print "id,sex" > "plain.csv"
    srand(6); for (i = 1001; i <= 1400; i++) print i "," (i % 2 ? "f" : "m") > "plain.csv"
    for (r = 0; r < 900; r++) { i = 1001 + int(rand() * 400); print i ".0," r % 9 > "points.csv"; printf "%08d,%d\n", i, r % 9 > "zeros.csv"
        print (r % 20 ? i : 9000 + r) "," r % 9 > "orphans.csv" } }'
refused 3 "points.csv and plain.csv share the column 'id'*numbers such as 1001.0*write both in one way" schema inspect points.csv plain.csv "${out[@]}"
refused 3 "zeros.csv and plain.csv share the column 'id'*leading zeros*write both in one way" schema inspect zeros.csv plain.csv "${out[@]}"
refused 3 "orphans.csv and plain.csv share the column 'id', but only 95 % of the rows of orphans.csv hold one of the other's: at least 99 %*" \
    schema inspect orphans.csv plain.csv "${out[@]}"
rm points.csv zeros.csv orphans.csv plain.csv
[ "$(ls)" = "$(printf '%s\n' alone.csv both.csv clients.csv more.csv people.csv refused.err refused.out strangers.csv visits.csv)" ] ||
    fail "a file was written: $(ls)"
# Nearly all keys are enough, and the rest is said.
sed -i '2s/^[^,]*/P9999/' visits.csv
accepted schema inspect people.csv visits.csv "${out[@]}"
grep -qE '^visits\.person refers to people\.id: 99\.93 % of the rows hold one of its keys, and the others belong to no person' accepted.err || fail "$(<accepted.err)"
