# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
for method in merf marginals pairs; do
    own=()
    [ $method != merf ] || own=("${small[@]:2}")
    accepted synth people.csv --schema people.json --epsilon 1 -o "$method.csv" --method $method "${own[@]}"
    [ ! -s accepted.out ] || fail "talk on standard output"
    grep -q '^THIS RUN: eps=1; ' accepted.err || fail "no guarantee in words"
    [ "$(head -n 1 $method.csv)" = age,town,income ] || fail "another header"
    [ "$(wc -l < $method.csv)" = 201 ] || fail "not 200 rows"
    # Every cell is in its domain.
    tail -n +2 $method.csv | grep -vqE '^([0-9]|[1-9][0-9]),(Ayr|"Bath, old"|Cork|),(<=50K|>50K)$' && fail "a cell left its domain"
    accepted verify $method.csv.certificate.json --ledger people.csv.ledger --release $method.csv.release --output $method.csv
    [ "$(stat -c %a people.csv.ledger)" = 600 ] || fail "others may read the ledger"
done
# Neither a path nor a host in what is published (a short host name may stand in any text by chance).
for file in merf.csv.release merf.csv.certificate.json; do
    grep -aqF -e "$PWD" $file && fail "$file says where it was made"
done
host=$(hostname)
[ ${#host} -lt 6 ] || ! grep -qF -e "$host" merf.csv.certificate.json || fail "the certificate names the host"
