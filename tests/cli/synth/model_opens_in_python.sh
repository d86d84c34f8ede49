. "$CLI_TESTS/lib.sh"
python3 -c 'import safetensors.numpy' 2>/dev/null || skip "the Python package safetensors is not installed"
make_people
accepted fit people.csv --schema people.json --epsilon 1 -o m.safetensors "${small[@]}" --quiet
python3 - <<'PYTHON' || fail "safetensors does not read the model"
from safetensors.numpy import load_file
tensors = load_file("m.safetensors")
assert tensors and all(t.dtype == "float32" for t in tensors.values()), tensors
PYTHON
