. "$CLI_TESTS/lib.sh"
make_people
for method in merf marginals; do
    accepted synth people.csv --schema people.json --epsilon 1 -o "$method.csv" --method $method "${small[@]}"
    [ ! -s accepted.out ] || fail "talk on standard output"
    grep -q '^GUARANTEE: (eps=1, delta=1e-05)-differential privacy' accepted.err || fail "no guarantee in words"
    [ "$(head -n 1 $method.csv)" = age,town,income ] || fail "another header"
    [ "$(wc -l < $method.csv)" = 201 ] || fail "not 200 rows"
    # Every cell is in its domain.
    tail -n +2 $method.csv | grep -vqE '^([0-9]|[1-9][0-9]),(Ayr|"Bath, old"|Cork|),(<=50K|>50K)$' && fail "a cell left its domain"
    accepted verify $method.csv.certificate.json --ledger $method.csv.release.ledger
    [ "$(stat -c %a $method.csv.release.ledger)" = 600 ] || fail "others may read the ledger"
done
# Neither a path nor a host in what is published (a short host name may stand in any text by chance).
for file in merf.csv.release merf.csv.certificate.json; do
    grep -aqF -e "$PWD" $file && fail "$file says where it was made"
done
host=$(hostname)
[ ${#host} -lt 6 ] || ! grep -qF -e "$host" merf.csv.certificate.json || fail "the certificate names the host"
