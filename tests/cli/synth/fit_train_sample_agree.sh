. "$CLI_TESTS/lib.sh"
make_people
accepted fit people.csv --schema people.json --epsilon 1 -o m.safetensors "${small[@]}" --quiet
[ ! -s accepted.err ] || fail "--quiet talks"
accepted train m.safetensors.release -o again.safetensors --certificate m.safetensors.certificate.json \
    --hidden 8 --latent 2 --steps 5 --batch 20 --threads 1
cmp m.safetensors again.safetensors || fail "train gives another model than fit"
accepted sample m.safetensors -n 30 --seed 3
cp accepted.out first.csv
accepted sample m.safetensors -n 30 --seed 3 -o second.csv.gz
gzip -dc second.csv.gz | cmp - first.csv || fail "the same seed gives other rows"
accepted sample m.safetensors -n 40 --seed 3
head -n 31 accepted.out | cmp - first.csv || fail "more rows change the first ones"
accepted sample m.safetensors -n 25 --where 'income=>50K'
[ "$(grep -c '>50K' accepted.out)" = 25 ] || fail "--where draws other classes"
refused 2 '*income*' sample m.safetensors --where income=rich
refused 2 '*income*' sample m.safetensors --where town=Cork
refused 5 '*second.csv.gz exists already*' sample m.safetensors -o second.csv.gz
head -c 300 m.safetensors > cut.safetensors
refused 3 'cut.safetensors*' sample cut.safetensors
refused 3 '*people.csv*' train people.csv -o x.safetensors
