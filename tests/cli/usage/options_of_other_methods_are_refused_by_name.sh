# SPDX-License-Identifier: Apache-2.0
# An option that the method does not use is refused while nothing has been read, charged or written.
. "$CLI_TESTS/lib.sh"
make_people
accepted ledger init data.ledger --epsilon 10
cp data.ledger untouched
# foreign METHOD OPTION...: each with a value of its own.
foreign() {
    local method=$1 option words
    shift
    for words in "$@"; do
        read -r -a option <<< "$words"
        local pattern="${option[0]#--} is not an option of the method $method, but of *"
        [ "$words" = --pure ] && pattern="pure asks for delta 0, which the method $method cannot give: choose from ron-gauss, marginals"
        # The table is not opened: it does not exist.
        refused 2 "$pattern" synth no.csv --schema people.json --epsilon 1 --ledger data.ledger -o y --method $method "${option[@]}"
        refused 2 "$pattern" fit no.csv --schema people.json --epsilon 1 --ledger data.ledger --model y --method $method "${option[@]}"
    done
}
training=('--hidden 8' '--latent 2' '--signs 1' '--steps 5' '--batch 20' '--learning-rate 0.1' '--class-weights equal' '--distance plain')
of_ron=('--geometry clip' '--space original' '--dimensions 2' '--split paper' '--expect-rows 9')
foreign pairs '--bins 7' '--pure' '--features 32' '--geometry clip' "${training[@]}"
foreign merf '--rounds 1' '--keep-records 9' '--embedding best' '--early-stopping no' '--bins 7' '--pure' "${of_ron[@]:0:4}"
of_hp=('--sensitivity norm' '--lengths 1' '--order 3' '--product-order 3' '--product-size 3' '--products 3' '--subsets a+b'
    '--gamma 3' '--product-share 0.5' '--counts-share 0.5' '--product-length 0.1')
foreign merf "${of_hp[@]}"
foreign hp '--rounds 1' '--bins 7' '--pure' '--features 32' '--length 0.1' "${of_ron[@]}"
foreign marginals '--features 32' "${training[@]}" "${of_ron[@]}"
foreign ron-gauss '--bins 7' '--features 32' "${training[@]}"
plan=(plan --schema people.json --epsilon 1 -n 100)
refused 2 'bins is not an option of the method pairs, but of marginals' "${plan[@]}" --bins 7
refused 2 'bins is not an option of the method merf, but of marginals' "${plan[@]}" --bins 7 --method merf
accepted "${plan[@]}" --pure
grep -q 'auto takes marginals: delta is to be 0' accepted.out || fail "auto is not pure"
refused 2 'rounds is not an option of the method marginals, but of pairs, forest' "${plan[@]}" --pure --rounds 1
accepted "${plan[@]}" --bins 7 --method marginals --pure
refused 2 'pure means delta 0: leave delta out' "${plan[@]}" --method marginals --pure --delta 1e-6
refused 2 'option --method must be auto or pairs or forest or histories or mepf or merf or hp or ron-gauss or marginals, not*' "${plan[@]}" --method gan
refused 2 "method 'marginals' is not a method for images; choose from: auto, mepf, merf, hp" plan --images no --epsilon 1 --method marginals
# train learns the method from the release.
accepted synth people.csv --schema people.json --epsilon 1 --method marginals -o m.csv
refused 2 'steps is not an option of the method marginals, but of mepf, merf, hp' train m.csv.release --model m --steps 5
accepted train m.csv.release --model m --seed 5
refused 2 'unknown option --bin (did you mean --bins?)*' synth people.csv --bin 5
refused 2 'unknown option --learning_rate (did you mean --learning-rate?)*' train x --learning_rate 1
refused 2 'unknown option --bins*' train m.csv.release --model m2 --bins 5
cmp untouched data.ledger || fail "a refusal was charged"
[ ! -e y ] && [ ! -e y.release ] || fail "a refusal left files"
