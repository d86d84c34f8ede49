# SPDX-License-Identifier: Apache-2.0
# What training would refuse is refused while the ledger is still untouched and no file is written.
. "$CLI_TESTS/lib.sh"
make_people
make_images
accepted ledger init data.ledger --epsilon 10
cp data.ledger untouched
for command in synth fit; do
    paid=(--epsilon 1 --ledger data.ledger "$([ $command = synth ] && echo --output || echo --model)" y)
    table=(people.csv --schema people.json "${paid[@]}")
    images=(--images images --labels labels --classes 3 --method merf "${paid[@]}")
    for wrong in '--batch 1' '--batch 1000001' '--steps 200000000' '--learning-rate 2' \
        '--latent 100000000' '--hidden 65536,65536,65536'; do
        read -r -a option <<< "$wrong"
        refused 2 '*' $command "${table[@]}" "${option[@]}"
        refused 2 '*' $command "${images[@]}" "${option[@]}"
    done
    refused 2 'signs must be at most latent' $command "${table[@]}" --method hp --latent 4 --signs 5
    refused 2 'signs is not an option for images' $command "${images[@]}" --signs 5
    refused 2 'batch must be from 2 to 100000 images' $command "${images[@]}" --batch 100001
    refused 2 'for images, hidden must be one size, or *' $command "${images[@]}" --hidden 5,5
    # What only tables have.
    for wrong in '--bins 5' '--geometry clip' '--space original' '--split paper' '--dimensions 2' \
        '--pure'; do
        read -r -a option <<< "$wrong"
        refused 2 "${option[0]#--} is not an option of the method merf, but of *" $command "${images[@]}" "${option[@]}"
    done
    refused 2 'expect-rows is not an option for images' $command "${images[@]}" --expect-rows 9
    for wrong in '--classes 3' '--balanced'; do
        read -r -a option <<< "$wrong"
        refused 2 "the option ${option[0]#--} needs labels, but images has none" \
            $command --images images "${paid[@]}" "${option[@]}"
    done
done
refused 2 'bins is not an option of the method mepf, but of marginals' plan --images images --epsilon 1 --bins 5
cmp untouched data.ledger || fail "a refusal was charged"
ls -d y* 2> /dev/null && fail "a refusal left files"
exit 0
