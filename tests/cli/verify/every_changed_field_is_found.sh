# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
"$MAKE_RELEASE" 1 a.release a.json || fail "no release"
accepted verify a.json --quiet
# Write one copy per field, with that field changed or removed.
python3 - <<'END' || fail "could not write the variants"
import copy, json

original = json.load(open("a.json"))

def leaves(node, path=()):
    if isinstance(node, (dict, list)):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield path + (key,), node[key]
            yield from leaves(node[key], path + (key,))

def changed(value):
    if isinstance(value, bool): return not value
    if isinstance(value, (int, float)): return value + 1
    if isinstance(value, str): return (value[:-1] + ("1" if value[-1:] != "1" else "2"))
    return None

def write(name, path, action):
    variant = copy.deepcopy(original)
    node = variant
    for key in path[:-1]: node = node[key]
    action(node, path[-1])
    json.dump(variant, open(name, "w"))

count = 0
with open("variants.txt", "w") as listing:
    for path, value in leaves(original):
        where = ".".join(map(str, path))
        if changed(value) is not None:
            write(f"v{count}.json", path, lambda n, k: n.__setitem__(k, changed(value)))
            listing.write(f"v{count}.json changed {where}\n")
            count += 1
        if isinstance(path[-1], str):
            write(f"v{count}.json", path, lambda n, k: n.pop(k))
            listing.write(f"v{count}.json removed {where}\n")
            count += 1
END
[ -s variants.txt ] || fail "no variants"
while read -r file what field; do
    code=0
    "$SEMBLANCE" verify "$file" > out 2> err || code=$?
    [ $code = 3 ] || fail "$field $what: exit code $code"
    [ "$(wc -l < err)" = 1 ] || fail "$field $what: not one line"
    [ ! -s out ] || fail "$field $what: standard output is not empty"
    grep -q "$file" err || fail "$field $what: the file is not named: $(<err)"
done < variants.txt
