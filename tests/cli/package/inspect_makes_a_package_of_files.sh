# SPDX-License-Identifier: Apache-2.0
# Several files become a package: keys by their values, the table of persons, numbers of rows, a list that may be public, rules within a
# table and, between tables, at least in words. Each with its reason. What is accepted can be checked and synthesised.
. "$CLI_TESTS/lib.sh"
mkdir shop
awk 'function r(n) { return int(rand() * n) } function day(d) { return strftime("%d.%m.%Y", 1577836800 + d * 86400, 1) }
    BEGIN { srand(3); split("north;south;east;west", area, ";")
        print "code;capital" > "shop/areas.csv"; for (a = 1; a <= 4; a++) print area[a] ";C" a > "shop/areas.csv"
        print "no;area;joined;born" > "shop/people.csv"; print "cust;ordered;sent;box;price;age" > "shop/orders.csv"
        print "box;part;weight" > "shop/parts.csv"
        for (i = 1; i <= 700; i++) { joined = r(300); born = 1940 + r(60)
            printf "K%05d;%s;%s;%d\n", i * 7, area[1 + r(4)], day(joined), born > "shop/people.csv"
            for (n = r(5); n > 0; n--) { b++; at = joined + r(700); sent = at + r(9); split(day(at), date, ".")
                printf "K%05d;%s;%s;B-%d;%d,%02d;%d\n", i * 7, day(at), day(sent), b, r(90), r(100), date[3] - born - r(2) > "shop/orders.csv"
                for (p = 1 + r(3); p > 0; p--) printf "B-%d;%s;%d\n", b, r(2) ? "nut" : "bolt", 1 + r(40) > "shop/parts.csv" } } }'
accepted schema inspect shop/parts.csv shop/areas.csv shop/orders.csv shop/people.csv -o shop/datapackage.json
[ ! -s accepted.out ] || fail "something went to standard output"
said() { grep -qE "$1" accepted.err || fail "'$1' is not said: $(<accepted.err)"; }
said '^NOT PRIVATE'
said "^people: the table of persons, .* others hold its 'no'$"
said '^orders\.cust refers to people\.no: every row holds one of its keys; a person has up to 4 rows$'
said '^parts\.box refers to orders\.box: every row holds one of its keys; a person has up to [0-9]+ rows$'
said '^proposal [0-9]+, public: areas: a list of 4 rows, and people\.area names one of them in every row'
said '^orders\.ordered: rises in [45][0-9] % of the steps from one row of a person to the next, so'
said '^proposal [0-9]+, constraint: orders: ordered <= sent: holds in every row$'
said 'orders: ordered >= people\.joined: holds in every row'
said 'orders: age >= year\(ordered\) - people\.born - 1 and age <= year\(ordered\) - people\.born: holds in every row'
! grep -q 'unit' accepted.err || fail "persons are asked about, though keys say it: $(<accepted.err)"

# As it is, it is a package without the list; accepted, with it.
accepted schema check --package shop/datapackage.json
[ "$(grep -c '^table ' accepted.out)" = 3 ] && grep -q '^table people: the root' accepted.out || fail "$(<accepted.out)"
! grep -q 'unparseable\|out of range\|unknown category' accepted.out || fail "cells that do not fit: $(<accepted.out)"
accepted schema check shop/datapackage.json
grep -q '^proposal 1, ' accepted.out || fail "proposals are not listed: $(<accepted.out)"
refused 2 '*has * proposals*--take*' schema accept shop/datapackage.json
refused 2 "no proposal 'spike'*" schema accept shop/datapackage.json --take spike
accepted schema accept shop/datapackage.json --take all
grep -q '^accepted: .* proposals taken, 0 dropped$' accepted.err || fail "$(<accepted.err)"
accepted schema check --package shop/datapackage.json
! grep -q 'NOT PRIVATE: what is proposed\|rows break' accepted.out || fail "$(<accepted.out)"
grep -q 'constraint ordered <= sent: all rows hold' accepted.out || fail "the rule is not there: $(<accepted.out)"
accepted synth --package shop/datapackage.json --epsilon 1 -o out
! grep -qi 'inspected' accepted.err || fail "an accepted package is still a draft: $(<accepted.err)"
cmp out/areas.csv shop/areas.csv || fail "the public list is not copied"
awk -F';' 'FNR == 1 { n++; next } n == 1 { person[$1] = 1 } n == 2 { order[$4] = 1; if (!($1 in person)) exit 1 } n == 3 && !($1 in order) { exit 1 }' \
    out/people.csv out/orders.csv out/parts.csv || fail "keys do not match"
# The order of the files changes nothing but that of the resources.
accepted schema inspect shop/people.csv shop/orders.csv shop/parts.csv shop/areas.csv -o shop/again.json
said "^people: the table of persons, .* others hold its 'no'$"
