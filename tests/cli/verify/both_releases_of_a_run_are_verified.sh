# SPDX-License-Identifier: Apache-2.0
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
check one.csv.certificate.json people.csv.ledger "1 3"
check beside.csv.certificate.json data.ledger "3 5"
# The files are those that the certificate names.
for file in one.csv.release one.csv.release.2; do
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
refused 3 "*'guarantee.epsilon_of_this_run'*" verify beside.cheaper.json
for change in first_gone second_gone; do
    for name in one beside; do
        refused 3 "*'guarantee.epsilon_of_this_run'*" verify $name.$change.json
    done
done
for name in one beside; do refused 3 "*'seq'*" verify $name.swapped.json; done
# The certificate is about these very files.
accepted verify one.csv.certificate.json --release one.csv.release,one.csv.release.2 --output one.csv
refused 3 '*another release*' verify one.csv.certificate.json --release beside.csv.release
refused 5 '*missing.csv*' verify one.csv.certificate.json --output missing.csv
refused 3 '*not the model*' verify one.csv.certificate.json --model one.csv
printf 'x' >> one.csv
refused 3 '*one.csv is not the output*' verify one.csv.certificate.json --output one.csv
cp one.csv.release edited.release
printf '\1' | dd of=edited.release bs=1 seek=$(($(stat -c %s edited.release) - 40)) conv=notrunc status=none
refused 3 '*edited.release*' verify one.csv.certificate.json --release edited.release
# A model takes in the certificate of its release, to the byte.
accepted train one.csv.release --model m.safetensors --certificate one.csv.certificate.json --quiet
refused 3 '*another release*' train one.csv.release --model n.safetensors --certificate beside.csv.certificate.json
python3 - <<'END' || fail 'could not edit the release'
import hashlib
b = bytearray(open('one.csv.release', 'rb').read()[:-32])
b[-1] ^= 1
open('edited.release', 'wb').write(bytes(b) + hashlib.sha256(b).digest())
END
refused 3 '*bytes were changed*' train edited.release --model n.safetensors --certificate one.csv.certificate.json
exit 0
