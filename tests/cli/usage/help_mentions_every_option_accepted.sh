# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# mentions COMMAND OPTION...: help --all has each of these options and no other, and the parser knows it.
mentions() {
    local words=$1
    shift
    # shellcheck disable=SC2086
    accepted help $words --all
    sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p' accepted.out | sort > listed
    printf '%s\n' --help "$@" | sort | diff - listed >&2 || fail "$words: options in the help"
    knows "$words" "$@"
}
# knows COMMAND OPTION...: the parser does; options of some methods are only in the help of the method.
knows() {
    local words=$1
    shift
    for option in "$@"; do
        # shellcheck disable=SC2086
        "$SEMBLANCE" $words "$option" "$option" > /dev/null 2> said
        ! grep -q 'unknown option' said || fail "$words: $option: $(<said)"
    done
}
mentions account --epsilon --delta --sigma --mu --releases --pure --parts --rows-per-person \
    --neighbours --json
mentions estimate --count --share --mean --quantile --correlation --by --difference --where --table --level --draws --csv --json --output \
    --seed --threads --overwrite --progress --quiet
mentions combine --level --row-ratio --csv --json
mentions "ledger init" --epsilon --delta --mu --neighbours --unit --rows-per-person --pure --quiet
mentions "ledger limit" --epsilon --delta --mu --pure --neighbours --unit --rows-per-person --quiet
mentions "ledger succeed" --reason --epsilon --delta --mu --pure --rows-per-person --quiet
mentions register --csv --json --output --overwrite
mentions "certificate annex" --output --overwrite
mentions "ledger show" --json
mentions "ledger verify" --quiet
mentions "ledger repair" --mu --epsilon --quiet
mentions "ledger total" --rows-per-person --delta --json
mentions "encoder show" --side --json
mentions verify --ledger --release --schema --model --output --key --signature --json --quiet
mentions sign --key --output --overwrite --quiet
mentions version --build
mentions help --all
dialect=(--delimiter --quote --decimal --thousands --encoding --header --comment --duckdb --columns --table --query --one-row-per-person --adbc-driver)
mentions evaluate "${dialect[@]}" --real --synthetic --schema --package --allow-outside --train --models --sets --seed --json --report \
    --certificate --public-only --release --intervals --pictures --threads --overwrite --images --real-labels --synthetic-labels --train-labels \
    --classes --grey --size --resize --encoder --train-table --progress
mentions project "${dialect[@]}" --output --matrix --threads --overwrite --progress
private=(--images --labels --classes --grey --size --resize --balanced)
every=(--method --epsilon --delta --neighbours --seed --pure --expect-rows --health "${dialect[@]}")
of_methods=(--features --bins --geometry --space --dimensions --split --rounds --keep-records --sensitivity --lengths --order --product-order
    --product-size --products --subsets --gamma --product-share --counts-share --product-length --length --mahalanobis --encoder --embedding --layers --early-stopping)
training=(--generator --hidden --latent --signs --steps --batch --learning-rate --class-weights --distance --objective)
running=(--threads --overwrite --quiet --progress)
files=(--ledger --certificate --release --title --by --who --policy)
drawn=(--rows --persons --replicates --format --preview)
questions=(--count --sum --mean --regress --weight --questions)
mentions plan "${questions[@]}" --by --schema --package --allow-outside --rows --persons --json --save --sites --persons-at-one-site --after --from --round --title --no-estimate --overwrite "${private[@]}" "${every[@]}"
mentions ask "${questions[@]}" "${dialect[@]}" --schema --output --check --from --maker --health --epsilon --delta --neighbours --expect-rows \
    "${files[@]}" "${running[@]}" --verbose
mentions sum --plan --output --part --attempt --mask --encoder "${dialect[@]}" "${private[@]}" "${running[@]}"
mentions merge --plan --output --encoder --overwrite --quiet
mentions release --plan --output --encoder --ledger --certificate --title --by --who --policy --health --overwrite --quiet --verbose
mentions "schema accept" --take --output --overwrite
mentions "schema inspect" --output --overwrite "${dialect[@]}"
mentions "schema check" --package --allow-outside "${dialect[@]}"
mentions "schema discover" "${dialect[@]}" --output --epsilon --delta --neighbours --expect-rows "${files[@]}" "${running[@]}"
mentions "schema resume" "${dialect[@]}" --output --epsilon --delta --neighbours --expect-rows "${files[@]}" "${running[@]}"
mentions fit --schema --package --allow-outside --discover-share --model --checkpoint "${private[@]}" "${every[@]}" "${files[@]}" "${running[@]}" --verbose --job --save-job
mentions synth --schema --package --allow-outside --discover-share --output --checkpoint --model --report --evaluate --evaluate-labels --intervals --pictures "${drawn[@]}" "${private[@]}" "${every[@]}" \
    "${files[@]}" "${running[@]}" --verbose --job --save-job
mentions train --model --certificate --seed --checkpoint "${running[@]}"
knows plan "${of_methods[@]}" "${training[@]}"
knows fit "${of_methods[@]}" "${training[@]}"
knows synth "${of_methods[@]}" "${training[@]}"
knows train --encoder "${training[@]}"
mentions sample --duckdb --output --where --seed "${drawn[@]}" "${running[@]}"
for name in resume combine estimate account encoder ledger register certificate verify sign version help; do
    "$SEMBLANCE" --help | grep -q "^  $name  *[a-z]" || fail "$name is not in the overview"
done
