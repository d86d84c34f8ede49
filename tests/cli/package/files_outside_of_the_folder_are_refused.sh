# SPDX-License-Identifier: Apache-2.0
# What a package names is in its folder: tables, look-up tables and schemas by absolute paths, "..", or links that lead out are
# refused with the way out, and --allow-outside is said in the certificate.
. "$CLI_TESTS/lib.sh"
make_bank 200
cp -r bank elsewhere
here=$PWD
words=(--epsilon 1 -o out --quiet)
# change TABLE PATH: bank/other.json, in which the file of the table is that one.
change() { sed "s|\"path\": \"$1.csv\"|\"path\": \"$2\"|" bank/bank.json > bank/other.json; }
for table in orders districts; do # a private and a public one
    ln -s "$here/elsewhere/$table.csv" "bank/link_$table.csv"
    mkdir -p bank/inside
    cp "bank/$table.csv" bank/inside/
    for path in "../elsewhere/$table.csv" "$here/elsewhere/$table.csv" "$here/bank/$table.csv" "inside/../$table.csv" "inside/../../elsewhere/$table.csv" "link_$table.csv"; do
        change $table "$path"
        cmp -s bank/bank.json bank/other.json && fail "nothing was changed"
        refused 3 "bank/other.json: '$path' is outside the folder of the package*allow it (--allow-outside)" synth --package bank/other.json "${words[@]}"
        refused 3 "bank/other.json: '$path' is outside the folder of the package*allow it (--allow-outside)" schema check --package bank/other.json
    done
    change $table "inside/$table.csv"
    accepted schema check --package bank/other.json
done
# A file of several in one text would be read from anywhere.
change orders "orders.csv,elsewhere/orders.csv"
refused 3 "bank/other.json: table 'orders' has several files*" synth --package bank/other.json "${words[@]}"
# A schema in a file of its own.
python3 - << 'END' || fail "no schema"
import json
package = json.load(open("bank/bank.json"))
for resource in package["resources"]:
    if resource["name"] == "orders":
        json.dump(resource["schema"], open("elsewhere/schema.json", "w"))
        resource["schema"] = "../elsewhere/schema.json"
json.dump(package, open("bank/other.json", "w"))
END
refused 3 "bank/other.json: '../elsewhere/schema.json' is outside the folder of the package*allow it (--allow-outside)" synth --package bank/other.json "${words[@]}"
refused 3 "bank/other.json: '../elsewhere/schema.json' is outside the folder*" plan --package bank/other.json --epsilon 1 --persons 200
compgen -G 'out*' && fail "a refusal left files"
compgen -G 'bank/*.ledger' && fail "a refusal made a ledger"
# Allowed, and said.
change orders ../elsewhere/orders.csv
accepted synth --package bank/other.json "${words[@]}" --allow-outside
keys_hold out
grep -q 'files outside of its folder, which the owner allowed' out.certificate.json || fail "the certificate does not say it"
accepted verify out.certificate.json --ledger bank/other.json.ledger
accepted schema check --package bank/other.json --allow-outside
[ "$(readlink elsewhere/orders.csv.ledger)" = "$here/bank/other.json.ledger" ] || fail "$(ls -l elsewhere)"
# A job file does not allow it, and does not keep it.
echo '{"package": "bank/other.json", "allow-outside": true}' > job.json
refused 2 'job.json: --allow-outside cannot be in a job file*' synth --job job.json "${words[@]}" --overwrite
accepted synth --package bank/other.json "${words[@]}" --allow-outside --save-job kept.json --overwrite
grep -q outside kept.json && fail "$(<kept.json)"
exit 0
