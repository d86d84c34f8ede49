# SPDX-License-Identifier: Apache-2.0
# By default a generator of one or two columns of numbers has signs among its latents, so that it can put clusters apart; one of any
# other table has none. The rule looks at the schema alone.
. "$CLI_TESTS/lib.sh"
number='"type": "number", "constraints": {"minimum": 0, "maximum": 1, "required": true}'
schema() { printf '{"fields": [%s, {"name": "k", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}}], "semblance": {"label": "k"}}' "$1"; }
x="{\"name\": \"x\", $number}" y="{\"name\": \"y\", $number}" z="{\"name\": \"z\", $number}"
city='{"name": "z", "type": "string", "constraints": {"enum": ["0.1", "0.2"], "required": true}}'
schema "$x" > 1.json
schema "$x, $y" > 2.json
schema "$x, $y, $z" > 3.json
schema "$x, $y, $city" > c.json
awk 'BEGIN { print "x,y,z,k"; for (i = 0; i < 60; i++) printf "0.%d,0.%d,0.%d,%s\n", i % 7, i % 5, 1 + i % 2, i % 3 ? "a" : "b" }' > c.csv
cut -d, -f 1,4 c.csv > 1.csv
cut -d, -f 1,2,4 c.csv > 2.csv
cp c.csv 3.csv
# signs TABLE WANTED OPTION...
signs() {
    local table=$1 wanted=$2
    shift 2
    rm -f -- *.ledger
    accepted fit "$table.csv" --schema "$table.json" --epsilon 1 --hidden 4 --steps 2 --batch 8 --model m --quiet --overwrite "$@"
    local got
    got=$(head -c 20000 m | tr -d '\\' | grep -ao '"signs":[0-9]*' | head -1)
    [ "$got" = "${wanted:+\"signs\":$wanted}" ] || fail "$table $*: '$got', not $wanted"
}
for method in merf hp; do
    signs 1 8 --method $method
    signs 2 8 --method $method
    signs 2 2 --method $method --latent 4
    signs 2 3 --method $method --signs 3
    signs 2 '' --method $method --signs 0
    signs 3 '' --method $method
    signs c '' --method $method
done
