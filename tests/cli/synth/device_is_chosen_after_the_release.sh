# SPDX-License-Identifier: Apache-2.0
# --device: what cannot be had is one line before any charge, auto goes on with the CPU to the same bits, and tables have no such option.
. "$CLI_TESTS/lib.sh"
make_people
make_images
accepted ledger init data.ledger --epsilon 10
cp data.ledger untouched
paid=(--images images --labels labels --classes 3 --method merf --steps 3 --epsilon 1 --ledger data.ledger --model y)
refused 2 'device must be auto, cpu, cuda or cuda:N' fit "${paid[@]}" --device gpu
refused 3 "the plug-in libsemblance-cuda.so is not found in $PWD (--device cpu, or auto)" fit "${paid[@]}" --device cuda --device-path "$PWD"
refused 2 'device is not an option for tables' fit people.csv --schema people.json --method merf --epsilon 1 --model t --device cpu
make_card card
FAKE_CUDA=lost refused 5 'cuda:0 Fake failed: a kernel: lost' fit "${paid[@]}" --device cuda --device-path card
cmp untouched data.ledger || fail "a refusal was charged"
accepted fit "${paid[@]}" --device auto --device-path "$PWD"
grep -q "training is on the CPU: the plug-in libsemblance-cuda.so is not found in $PWD" accepted.err || fail "auto does not say why: $(cat accepted.err)"
accepted train y.release --model auto --device auto --device-path "$PWD" --steps 3
accepted train y.release --model cpu --steps 3 --device cpu
cmp auto cpu || fail "the model of auto is another"
# Nobody asked, and there is no card: not a word, and the same bits.
accepted train y.release --model plain --steps 3 --device-path "$PWD"
! grep -q 'training is on' accepted.err || fail "a device was spoken of: $(cat accepted.err)"
cmp plain cpu || fail "the model of the default is another"
# A plug-in without a driver is as good as none; one with a driver that does not serve is worth a line.
mkdir plugin
ln -s "$CUDA_PLUGIN" plugin/libsemblance-cuda.so
if ! ldconfig -p | grep -q libcuda; then
    accepted train y.release --model silent --steps 3 --device-path plugin
    ! grep -q 'training is on' accepted.err || fail "a device was spoken of: $(cat accepted.err)"
    accepted train y.release --model said --steps 3 --device-path plugin --device auto
    grep -q 'training is on the CPU: no CUDA driver: libcuda.so.1 is not found' accepted.err || fail "auto does not say why"
    refused 3 'no CUDA driver: libcuda.so.1 is not found (--device cpu, or auto)' train y.release --model x --device-path plugin --device cuda
fi
FAKE_CUDA=old accepted train y.release --model old --steps 3 --device-path card
grep -q 'training is on the CPU: the CUDA driver is too old: it supports CUDA 11.4, and 12.0 is needed' accepted.err ||
    fail "a card that does not serve is not spoken of: $(cat accepted.err)"
cmp old cpu || fail "the model of the default is another"
# So is one that has too little memory for a step; one that does not work ends the run.
FAKE_CUDA=lost refused 5 'cuda:0 Fake failed: a kernel: lost' train y.release --model lost --steps 3 --device-path card
FAKE_CUDA=full accepted train y.release --model full --steps 3 --device-path card
grep -q 'training is on the CPU: cuda:0 Fake failed: memory: out of memory' accepted.err || fail "a full card is taken: $(cat accepted.err)"
cmp full cpu || fail "the model of the default is another"
accepted train y.release --model carded --steps 3 --device-path card
grep -q 'training is on cuda:0 Fake' accepted.err || fail "the default does not take the card: $(cat accepted.err)"
# A card trains hp of images, too, by the same words; hp of tables has no such option.
hermite=(fit --images images --labels labels --classes 3 --method hp --steps 3 --epsilon 1 --model h --device-path card)
cp data.ledger before
FAKE_CUDA=lost refused 5 'cuda:0 Fake failed: a kernel: lost' "${hermite[@]}" --ledger data.ledger --device cuda
refused 2 'device is not an option for tables' fit people.csv --schema people.json --method hp --epsilon 1 --model t --device cuda
cmp before data.ledger || fail "a refusal was charged"
accepted "${hermite[@]}" --ledger data.ledger --device cuda
grep -q 'training is on cuda:0 Fake' accepted.err || fail "hp does not take the card: $(cat accepted.err)"
# The plug-in where libraries are, seen from the program, however it was called.
mkdir bin
cp "$SEMBLANCE" bin/semblance
ln -s card lib
(export PATH="$PWD/bin:$PATH" LD_LIBRARY_PATH="$PWD/card${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
 semblance train y.release --model found --steps 3 2> found.err) || fail "$(cat found.err)"
grep -q 'training is on cuda:0 Fake' found.err || fail "the plug-in is not found from the program: $(cat found.err)"
