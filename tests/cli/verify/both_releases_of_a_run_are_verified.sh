. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
make_people
twice=(--schema people.json --epsilon 1 --method ron-gauss --geometry normalise --quiet)
accepted ledger init data.ledger --epsilon 3 --quiet
"$MAKE_RELEASE" 1 a.release a.json data.ledger || fail "no release"
accepted synth people.csv "${twice[@]}" -o one.csv
accepted synth people.csv "${twice[@]}" -o beside.csv --ledger data.ledger
check() { # CERTIFICATE LEDGER LINES: it lists the releases that were reserved at these lines
    accepted verify "$1" --ledger "$2"
    [ "$(sed -n 's/^RELEASED: .* at line \([0-9]*\),.*/\1/p' accepted.out | xargs)" = "$3" ] ||
        fail "$1: $(<accepted.out)"
}
check one.csv.certificate.json.first one.csv.release.ledger 1
check one.csv.certificate.json one.csv.release.ledger "1 3"
check beside.csv.certificate.json.first data.ledger 3
check beside.csv.certificate.json data.ledger "3 5"
# The files are those that the certificate names.
for file in one.csv.release.first one.csv.release; do
    grep -q "$(sha256sum < $file | cut -d ' ' -f 1)" one.csv.certificate.json || fail "$file is not named"
done
# Somebody who computes the digest anew is found, too.
python3 - <<'END' || fail "could not write the variants"
import hashlib, json
for name in "one", "beside":
    for change in "cheaper", "swapped", "first_gone", "second_gone":
        c = json.load(open(name + ".csv.certificate.json"))
        m = c["mechanisms"]
        if change == "cheaper": m[0]["blocks"][0]["multiplier"] = "1"
        if change == "swapped": m.reverse()
        if change == "first_gone": del m[0]
        if change == "second_gone": del m[1]
        del c["digest"]
        text = json.dumps(c, sort_keys=True, separators=(",", ":"))
        c["digest"] = hashlib.sha256(text.encode()).hexdigest()
        json.dump(c, open(f"{name}.{change}.json", "w"))
END
refused 3 "*'totals'*" verify one.cheaper.json
refused 3 "*'mechanisms?0?.joint'*" verify beside.cheaper.json
for change in first_gone second_gone; do
    refused 3 "*'scope'*" verify one.$change.json
    refused 3 "*'guarantee.statement'*" verify beside.$change.json
done
for name in one beside; do refused 3 "*'seq'*" verify $name.swapped.json; done
# A model takes in the certificate of its release, not that of the first one.
accepted train one.csv.release -o m.safetensors --certificate one.csv.certificate.json --quiet
refused 3 '*another release*' train one.csv.release -o n.safetensors --certificate one.csv.certificate.json.first
