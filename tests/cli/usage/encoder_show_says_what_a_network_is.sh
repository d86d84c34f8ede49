# SPDX-License-Identifier: Apache-2.0
# Layers, shapes, counts, hash and origin of the built-in network and of a file; what is no network is refused.
. "$CLI_TESTS/lib.sh"
accepted encoder show
grep -q '^sha256      [0-9a-f]\{64\}$' accepted.out || fail "no hash"
grep -q '^trained on  CIFAR-10' accepted.out || fail "no origin"
grep -q '^     6  conv5 .* 8 x 8 x 128 *8192$' accepted.out || fail "no last activation"
grep -q 'together *114688$' accepted.out || fail "no total"
cp accepted.out built_in
accepted encoder show vgg-s
cmp -s accepted.out built_in || fail "the built-in network has a name that is not known"
tiny=$CLI_TESTS/../support/tiny.safetensors
accepted encoder show "$tiny" --side 64
grep -q '^     2  b .* 32 x 32 x 6 *6144$' accepted.out || fail "the side does not count"
grep -q "^sha256      $(sha256sum < "$tiny" | cut -d' ' -f1)$" accepted.out || fail "another hash"
accepted encoder show "$tiny" --json
grep -q '"trained_on": "nothing: random weights"' accepted.out || fail "no origin in JSON"
printf 'no network' > bad
refused 3 '*bad*' encoder show bad
refused 5 '*nothere*' encoder show nothere
refused 2 '*side*' encoder show --side 8
