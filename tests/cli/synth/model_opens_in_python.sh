# SPDX-License-Identifier: Apache-2.0
# The format of safetensors as its authors describe it: the length of a JSON header, the header, the bytes of
# the tensors, each at its offsets and none left over. Debian 12 has no package of theirs to ask.
. "$CLI_TESTS/lib.sh"
make_people
accepted fit people.csv --schema people.json --epsilon 1 --model m.safetensors "${small[@]}" --quiet
python3 - <<'PYTHON' || fail "the model is no safetensors file"
import array, json, math
data = open("m.safetensors", "rb").read()
length = int.from_bytes(data[:8], "little")
header = json.loads(data[8:8 + length])
metadata = header.pop("__metadata__")
assert all(isinstance(value, str) for value in metadata.values())
assert header and data[8:9] == b"{" and length % 8 == 0
end = 0
for tensor in sorted(header.values(), key=lambda tensor: tensor["data_offsets"]):
    assert tensor.keys() == {"dtype", "shape", "data_offsets"} and tensor["dtype"] == "F32", tensor
    start, stop = tensor["data_offsets"]
    assert start == end and stop - start == 4 * math.prod(tensor["shape"]), tensor
    values = array.array("f", data[8 + length + start:8 + length + stop])
    assert all(math.isfinite(value) for value in values)
    end = stop
assert 8 + length + end == len(data)
PYTHON
