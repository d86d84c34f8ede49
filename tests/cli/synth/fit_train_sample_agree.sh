# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
# Enough that the noise does not hide the quarter of the towns that is missing.
accepted fit people.csv --schema people.json --epsilon 20 --model m.safetensors "${small[@]}" --quiet
[ ! -s accepted.err ] || fail "--quiet talks"
accepted train m.safetensors.release --model again.safetensors --certificate m.safetensors.certificate.json \
    --hidden 8 --latent 2 --steps 5 --batch 20 --threads 1
cmp m.safetensors again.safetensors || fail "train gives another model than fit"
# Other latents of the same release: another model, which says so in its file.
accepted train m.safetensors.release --model signs.safetensors --signs 1 \
    --hidden 8 --latent 2 --steps 5 --batch 20 --threads 1
grep -q 'signs.*:1' signs.safetensors || fail "the model does not say how many signs it takes"
grep -q 'signs' m.safetensors && fail "a model without signs speaks of them"
accepted sample signs.safetensors -n 30 --seed 3
cp accepted.out signs.csv
accepted sample m.safetensors -n 30 --seed 3
cp accepted.out first.csv
cmp -s signs.csv first.csv && fail "signs change nothing"
accepted sample m.safetensors -n 30 --seed 3 -o second.csv.gz
gzip -dc second.csv.gz | cmp - first.csv || fail "the same seed gives other rows"
accepted sample m.safetensors -n 40 --seed 3
head -n 31 accepted.out | cmp - first.csv || fail "more rows change the first ones"
accepted sample m.safetensors -n 25 --where 'income=>50K'
[ "$(grep -c '>50K' accepted.out)" = 25 ] || fail "--where draws other classes"
refused 2 '*income*' sample m.safetensors --where income=rich
# Any columns, by rejection: the same rows for any number of threads, up to a public limit.
accepted sample m.safetensors -n 40 --where town= --where 'income=>50K' --seed 3
[ "$(grep -c '^[0-9]*,,>50K$' accepted.out)" = 40 ] || fail "--where lets other rows through"
[ "$(wc -l < accepted.out)" = 41 ] || fail "--where draws another number of rows"
cp accepted.out both.csv
accepted sample m.safetensors -n 40 --where 'income=>50K' --where town= --seed 3 --threads 1
cmp accepted.out both.csv || fail "threads or the order of conditions change the rows"
refused 2 "*the requested value is not a category of 'town', which has: Ayr, Bath, old, Cork (--where)" sample m.safetensors --where town=Rome
refused 2 "*'town' is asked for twice*" sample m.safetensors --where town=Cork --where town=
refused 2 "*outside the bounds of 'age'*" sample m.safetensors --where age=100
refused 2 '* drawn rows satisfied all conditions, and at most 1000 are drawn for each*' sample m.safetensors -n 100000 \
    --where age=0 --where town=Cork --where 'income=>50K'
refused 5 '*second.csv.gz exists already*' sample m.safetensors -o second.csv.gz
head -c 300 m.safetensors > cut.safetensors
refused 3 'cut.safetensors*' sample cut.safetensors
refused 3 '*people.csv*' train people.csv --model x.safetensors
