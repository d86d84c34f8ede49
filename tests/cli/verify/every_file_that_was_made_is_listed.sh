# SPDX-License-Identifier: Apache-2.0
# What docs/FORMATS.md says of files[]: one entry for each file that was made; a folder of PNG files, a stream and public look-up tables
# have none.
. "$CLI_TESTS/lib.sh"
# outputs CERTIFICATE COUNT
outputs() {
    [ "$(grep -o '"kind": *"output"' "$1" | wc -l)" = "$2" ] || fail "$1 does not list $2 outputs"
}
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o out.csv --method marginals --quiet
outputs out.csv.certificate.json 1
accepted verify out.csv.certificate.json --output out.csv
accepted synth people.csv --schema people.json --epsilon 1 -o - --release r --certificate c.json --method marginals --quiet
outputs c.json 0
make_images
accepted synth --images images --labels labels --epsilon 5 -o idx/ --format idx "${small[@]:0:2}" --steps 2 --batch 10 --quiet
outputs idx.certificate.json 2
accepted verify idx.certificate.json --output "idx/images-idx3-ubyte.gz,idx/labels-idx1-ubyte.gz"
accepted synth --images images --labels labels --epsilon 5 -o png/ --format png "${small[@]:0:2}" --steps 2 --batch 10 --quiet
outputs png.certificate.json 0
make_bank 40
accepted synth --package bank/bank.json --epsilon 5 -o linked/ --quiet --health off
made=$(cd linked && ls | grep -v districts | wc -l)
outputs linked.certificate.json "$made"
for file in linked/*; do
    case $file in */districts.csv) continue ;; esac
    accepted verify linked.certificate.json --output "$file"
done
exit 0
