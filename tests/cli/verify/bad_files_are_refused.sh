# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
mkdir folder
refused 5 '*missing.json*' verify missing.json
refused 5 '*folder/missing/x.json*' verify folder/missing/x.json
refused 3 '*folder*' verify folder
for text in '' '{' '{}' '[]' 'null' '1' 'hello' '{"a": 1, "a": 2}' '{"semblance": {}}'; do
    printf '%s' "$text" > bad.json
    refused 3 '*bad.json*' verify bad.json
done
head -c 1000 /dev/zero > zero.json
refused 3 '*zero.json*' verify zero.json
head -c 1000 /dev/urandom > noise.json
refused 3 '*noise.json*' verify noise.json
# Nested a hundred thousand deep.
{ printf '{"a":' && printf '[%.0s' {1..100000}; } > deep.json
refused 3 '*deep.json*' verify deep.json
"$MAKE_RELEASE" 1 a.release a.json || fail "no release"
head -c 200 a.json > cut.json
refused 3 '*cut.json*' verify cut.json
refused 3 '*a.release*' verify a.release
