# SPDX-License-Identifier: Apache-2.0
# plan says which device would train, or in a line why another does not; what a run would refuse it refuses.
. "$CLI_TESTS/lib.sh"
make_people
make_images
make_card card
images=(--images images --labels labels --classes 3 --method merf --features 20 --epsilon 1)
# said LINE ARGUMENT...: the line of the plan about the device.
said() {
    local line=$1
    shift
    accepted plan "$@"
    [ "$(grep '^device ' accepted.out)" = "$line" ] || fail "'$(grep '^device ' accepted.out)' in place of '$line': $*"
}
said 'device     cpu trains' "${images[@]}" --device-path "$PWD"
said 'device     cpu trains' "${images[@]}" --device cpu --device-path card
said "device     cpu trains: the plug-in libsemblance-cuda.so is not found in $PWD" "${images[@]}" --device auto --device-path "$PWD"
said 'device     cuda:0 Fake trains' "${images[@]}" --device-path card
grep -q ' to fit on cuda:0 Fake and draw' accepted.out || fail "whose time is it? $(cat accepted.out)"
said 'device     cuda:1 Fake trains' "${images[@]}" --device cuda:1 --device-path card
FAKE_CUDA=old said 'device     cpu trains: the CUDA driver is too old: it supports CUDA 11.4, and 12.0 is needed' "${images[@]}" --device-path card
! grep -q ' to fit on ' accepted.out || fail "the time is the CPU's: $(cat accepted.out)"
FAKE_CUDA=small said 'device     cpu trains: out of memory for training on cuda:0 Fake' "${images[@]}" --device-path card
# A card has the features of every method: Hermite functions, and what a network sees.
hermite=(--images images --labels labels --classes 3 --epsilon 1 --device-path card)
said 'device     cuda:0 Fake trains' "${hermite[@]}" --method hp
said 'device     cuda:0 Fake trains' "${hermite[@]}" --method mepf --embedding perceptual+hermite
said 'device     cuda:0 Fake trains' "${hermite[@]}" --method mepf --embedding perceptual
FAKE_CUDA=small said 'device     cpu trains: out of memory for training on cuda:0 Fake' "${hermite[@]}" --method hp
accepted plan "${hermite[@]}" --method hp --device cuda
refused 3 "the plug-in libsemblance-cuda.so is not found in $PWD (--device cpu, or auto)" plan "${images[@]}" --device cuda --device-path "$PWD"
refused 2 'device must be auto, cpu, cuda or cuda:N' plan "${images[@]}" --device gpu
FAKE_CUDA=lost refused 5 'cuda:0 Fake failed: a kernel: lost' plan "${images[@]}" --device-path card
accepted plan "${images[@]}" --device-path card --json
[ "$(json_member device < accepted.out)" = 'cuda:0 Fake' ] || fail "$(cat accepted.out)"
accepted plan "${images[@]}" --device auto --device-path "$PWD" --json
[ "$(json_member device < accepted.out)" = cpu ] || fail "$(cat accepted.out)"
grep -q '"why": "the plug-in libsemblance-cuda.so is not found in ' accepted.out || fail "$(cat accepted.out)"
# Tables: networks are trained by the CPU, and where nothing is trained nothing is said.
said 'device     cpu trains' --schema people.json -n 200 --epsilon 1 --method merf
said 'device     cpu trains' --schema people.json -n 200 --epsilon 1 --method hp
said '' --schema people.json -n 200 --epsilon 1
refused 2 'device is not an option for tables' plan --schema people.json -n 200 --epsilon 1 --method merf --device cpu
