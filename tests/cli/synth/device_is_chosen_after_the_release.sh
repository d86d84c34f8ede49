# --device: what cannot be had is one line before any charge, auto goes on with the CPU to the same bits, and tables have no such option.
. "$CLI_TESTS/lib.sh"
make_people
make_images
accepted ledger init data.ledger --epsilon 10
cp data.ledger untouched
paid=(--images images --labels labels --classes 3 --method merf --steps 3 --epsilon 1 --ledger data.ledger --model y)
refused 2 'device must be auto, cpu, cuda or cuda:N' fit "${paid[@]}" --device gpu
refused 3 "the plug-in libsemblance-cuda.so is not found in $PWD" fit "${paid[@]}" --device cuda --device-path "$PWD"
refused 2 'device is not an option for tables' fit people.csv --schema people.json --method merf --epsilon 1 --model t --device cpu
cmp untouched data.ledger || fail "a refusal was charged"
accepted fit "${paid[@]}" --device auto --device-path "$PWD"
grep -q "training is on the CPU: the plug-in libsemblance-cuda.so is not found in $PWD" accepted.err || fail "auto does not say why: $(cat accepted.err)"
accepted train y.release --model auto --device auto --device-path "$PWD" --steps 3
accepted train y.release --model cpu --steps 3
cmp auto cpu || fail "the model of auto is another"
