# SPDX-License-Identifier: Apache-2.0
# Helpers for cases; sourced. A case ends at its first failure.

fail() {
    printf 'FAIL: %s\n' "$*" >&2
    exit 1
}

skip() {
    printf 'SKIP: %s\n' "$*"
    exit 77
}

# refused_by PROGRAM CODE PATTERN ARGUMENT...: the program says one line that matches on standard
# error, nothing on standard output, and ends with the code.
refused_by() {
    local program=$1 expected=$2 pattern=$3 code=0
    shift 3
    "$program" "$@" > refused.out 2> refused.err || code=$?
    local said
    said=$(<refused.err)
    [ "$code" = "$expected" ] || fail "exit code $code, not $expected: $* [$said]"
    [ "$(wc -l < refused.err)" = 1 ] || fail "not one line: $* [$said]"
    [ ! -s refused.out ] || fail "standard output is not empty: $*"
    # shellcheck disable=SC2053 # a pattern is wanted
    [[ $said == semblance:\ $pattern ]] || fail "'$said' is not like '$pattern': $*"
}

refused() { refused_by "$SEMBLANCE" "$@"; }

# accepted ARGUMENT...: exit code 0; output goes to accepted.out and accepted.err.
accepted() {
    local code=0
    "$SEMBLANCE" "$@" > accepted.out 2> accepted.err || code=$?
    [ "$code" = 0 ] || fail "exit code $code: $* [$(<accepted.err)]"
}

# same_verdict PATTERN EVALUATION...: the text of an evaluation ends with a verdict like this, and its JSON and its report have the same one.
same_verdict() {
    local pattern=$1 said
    shift
    accepted "$@" --report verdict.html --overwrite
    said=$(tail -n 1 accepted.out)
    # shellcheck disable=SC2053 # a pattern is wanted
    [[ $said == "Verdict: "$pattern ]] || fail "the last line is '$said', not like '$pattern'"
    accepted "$@" --json
    python3 - "${said#Verdict: }" <<'PYTHON' || fail "the verdict is not the same everywhere: $said"
import html, json, re, sys
page = open("verdict.html").read()
lead = re.search(r'<section id="glance">.*?<p class="lead">(.*?)</p>', page, re.S).group(1)
assert json.load(open("accepted.out"))["verdict"] == sys.argv[1], "JSON"
assert html.unescape(re.sub("<[^>]*>", "", lead)) == sys.argv[1], lead
assert "<strong>" in lead and 'href="#glance"' in page
PYTHON
}

# listed COMMAND: the options that help --all shows for it, and those of the methods that it takes.
listed() {
    {
        # shellcheck disable=SC2086
        "$SEMBLANCE" help $1 --all | sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p'
        for method in pairs forest mepf merf hp ron-gauss marginals; do
            "$SEMBLANCE" help $method | awk -v command="$1" '
                function print_last() { sub(/.*[(]/, "", text); if (text ~ "(^|[ ])" command "[,)]") print name }
                /^  --/ { print_last(); name = $1; text = "" }
                { text = text " " $0 }
                END { print_last() }'
        done
    } | sort -u
}

# numbers FILE: the rows of a table of numbers. Each is a run of the same code with other numbers, so that under sanitizers
# every eighth will do.
numbers() { grep -v '^#' "$CASES/$1" | awk -v every="${EVERY:-1}" 'NR % every == 0'; }

# json_member NAME < JSON: a number or a text without its quotes.
json_member() { sed -nE "s/.*\"$1\": \"?([^\",}]*).*/\1/p"; }

# Collect pairs with compare LABEL EXPECTED ACTUAL, then judge them all: compared TOLERANCE.
compare() { printf '%s %s %s\n' "${1// /_}" "$2" "$3" >> compared.txt; }

compared() {
    [ -s compared.txt ] || fail "nothing was compared"
    awk -v tolerance="$1" '
        function size(x) { return x < 0 ? -x : x }
        NF != 3 || $2 == 0 || !(size($3 - $2) <= tolerance * size($2)) { print "FAIL:", $0; bad = 1 }
        END { exit bad }' compared.txt >&2 || exit 1
}

# make_people: people.csv (200 rows) and people.json in this folder.
make_people() {
    cat > people.json <<'JSON'
{"fields": [
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath, old", "Cork"]}},
  {"name": "income", "type": "string", "constraints": {"enum": ["<=50K", ">50K"], "required": true}}],
 "missingValues": [""], "semblance": {"label": "income", "task": "classification"}}
JSON
    awk 'BEGIN { print "age,town,income"; split("Ayr;\"Bath, old\";Cork;", town, ";")
        for (i = 0; i < 200; i++) printf "%d,%s,%s\n", (i * 37) % 100, town[1 + i % 4], i % 3 ? "<=50K" : ">50K" }' > people.csv
}

# make_images: images (40 of 8 x 8) and labels (3 classes) in IDX in this folder.
make_images() {
    { printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 2560; } > images
    { printf '\0\0\10\1\0\0\0\50'; for i in $(seq 40); do printf "\\$((i % 3))"; done; } > labels
}

# make_card FOLDER: the plug-in of a graphics card and a machine's libraries of CUDA in this folder, a card that computes nothing.
# FAKE_CUDA says what is wrong with it (tests/device/fake_cuda.c).
make_card() {
    mkdir -p "$1"
    ln -s "$CUDA_PLUGIN" "$1/libsemblance-cuda.so"
    for library in libcuda.so.1 libnvrtc.so.13 libcublas.so.13; do ln -s "$CUDA_FAKE" "$1/$library"; done
}

# make_bank ACCOUNTS: the linked tables of examples/make_bank.c and their package, bank.json, in the folder bank.
make_bank() {
    mkdir -p bank
    "$MAKE_BANK" bank "$1" || fail "make_bank"
    cp "$BANK" bank/bank.json
}

# cells FILE COLUMN: of a table without quotes, from the first row on.
cells() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; if (!c) exit 1; next } { print $c }' "$1" ||
        fail "$1 has no column $2"
}

# keys_hold FOLDER: of a bank: every key is there once, and every foreign key names one that is there.
keys_hold() {
    local child column parent key
    while read -r parent key; do
        [ -e "$1/$parent.csv" ] || [ $parent = districts ] || fail "$parent.csv is not there"
        [ -e "$1/$parent.csv" ] || continue # a look-up table, which a model does not hold
        [ -z "$(cells "$1/$parent.csv" "$key" | sort | uniq -d)" ] || fail "$parent.$key is not unique"
    done <<< $'accounts account\nclients client\ncards card\norders order\nloans loan\ndistricts district'
    while read -r child column parent key; do
        [ -e "$1/$parent.csv" ] || continue
        comm -23 <(cells "$1/$child.csv" "$column" | sort -u) <(cells "$1/$parent.csv" "$key" | sort -u) > orphans
        [ ! -s orphans ] || fail "$child.$column: $(wc -l < orphans) orphans"
    done <<< $'accounts district districts district\nclients account accounts account\ncards client clients client
orders account accounts account\nloans account accounts account'
}

# Options that make a fit take no time.
small=(--method merf --features 32 --hidden 8 --latent 2 --steps 5 --batch 20 --threads 1)

# make_visits: visits.csv (300 persons with 1 to 5 visits that do not overlap, rows of persons mixed) and visits.json in
# this folder. CONSTRAINTS: the schema's, as a list in JSON.
make_visits() {
    cat > visits.json <<JSON
{"fields": [
  {"name": "who", "semblance": {"role": "id", "id": "P-####"}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}, "semblance": {"per": "unit"}},
  {"name": "born", "type": "integer", "constraints": {"minimum": 1940, "maximum": 2009, "required": true}, "semblance": {"per": "unit"}},
  {"name": "first_seen", "type": "integer", "constraints": {"minimum": 1940, "maximum": 2024, "required": true}, "semblance": {"per": "unit"}},
  {"name": "admitted", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": true}},
  {"name": "discharged", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2025-01-30", "required": true}},
  {"name": "ward", "type": "string", "constraints": {"enum": ["eyes", "skin", "birth"], "required": true}},
  {"name": "stage", "type": "integer", "constraints": {"minimum": 1, "maximum": 5, "required": true}}],
 "semblance": {"unit": "who", "order": "admitted", "max_rows_per_unit": 20, "constraints": ${CONSTRAINTS:-[]}}}
JSON
    awk 'function day(n,  m, first) { split("0 31 60 91 121 152 182 213 244 274 305 335 366", first, " ")
            if (n > 366) return sprintf("2025-01-%02d", n - 366)
            for (m = 12; first[m] >= n; m--); return sprintf("2024-%02d-%02d", m, n - first[m]) }
        BEGIN { print "who,sex,born,first_seen,admitted,discharged,ward,stage"
        for (p = 0; p < 300; p++) at[p] = 1 + (p * 7) % 60
        for (turn = 0; turn < 5; turn++) for (i = 0; i < 300; i++) {
            p = (i * 37) % 300
            if (turn > p % 5) continue
            stay = 1 + (p * 11 + turn * 5) % 20
            printf "%d,%s,%d,%d,%s,%s,%s,%d\n", 5000 + p, p % 2 ? "m" : "f", 1940 + p % 70, 1940 + p % 70 + (p * 3) % 15,
                day(at[p]), day(at[p] + stay), turn % 3 == 1 ? "skin" : p % 2 || p % 3 ? "eyes" : "birth", 1 + turn
            at[p] += stay + (p * 13 + turn) % 40 } }' > visits.csv
}

# make_gate: gate.csv (400 rows) and gate.json in this folder: whether a row is odd is the parity of how many of a, b and c are
# in their upper halves, which no pair of columns shows. LABEL: the schema's "semblance"; MORE: further fields; SKIP: every so
# manieth cell of b and of word is missing.
make_gate() {
    cat > gate.json <<JSON
{"fields": [
  {"name": "a", "type": "integer", "constraints": {"minimum": 0, "maximum": 15, "required": true}},
  {"name": "b", "type": "integer", "constraints": {"minimum": 0, "maximum": 15}},
  {"name": "c", "type": "integer", "constraints": {"minimum": 0, "maximum": 15, "required": true}},
  {"name": "word", "type": "string", "constraints": {"enum": ["one", "two", "three"]}},
  {"name": "odd", "type": "string", "constraints": {"enum": ["no", "yes"], "required": true}},
  {"name": "level", "type": "number", "constraints": {"minimum": 0, "maximum": 100, "required": true}}${MORE:-}],
 "missingValues": [""], "semblance": ${LABEL:-{\"label\": \"odd\", \"task\": \"classification\"\}}}
JSON
    awk -v skip="${SKIP:-0}" 'BEGIN { print "a,b,c,word,odd,level"; split("one two three", word, " "); seed = 7
        for (i = 0; i < 400; i++) {
            for (j = 1; j <= 4; j++) { seed = (seed * 16807) % 2147483647; draw[j] = int(seed / 2147483647 * 16) }
            odd = ((draw[1] > 7) + (draw[2] > 7) + (draw[3] > 7)) % 2
            gap = skip && i % skip == 0
            printf "%d,%s,%d,%s,%s,%.1f\n", draw[1], gap ? "" : draw[2], draw[3], gap ? "" : word[1 + draw[4] % 3],
                odd ? "yes" : "no", (odd ? 60 : 10) + 2 * draw[4] } }' > gate.csv
}

# gate_run NAME OPTION...: a table of gate.csv by METHOD (forest) at an epsilon at which 400 rows tell something, with its six
# releases and a certificate that holds. NAME.ledger: made if it is not there.
gate_run() {
    local name=$1
    shift
    [ -e "$name.ledger" ] || accepted ledger init "$name.ledger" --quiet
    accepted synth gate.csv --schema gate.json --method "${METHOD:-forest}" --epsilon 40 -n 1000 -o "$name.csv" --ledger "$name.ledger" --quiet "$@"
    for round in "" .2 .3 .4 .5 .6; do [ -e "$name.csv.release$round" ] || fail "$name: release$round is not there"; done
    [ ! -e "$name.csv.release.7" ] || fail "$name: seven releases"
    accepted verify "$name.csv.certificate.json" --output "$name.csv"
    grep -q 'the probe of trees' "$name.csv.certificate.json" || fail "$name: the certificate does not say what the probe found"
}

# gate_holds FILE PERCENT: so many rows of a table are as gate.csv's are.
gate_holds() {
    awk -F, -v least="$2" 'NR > 1 && $2 != "" { rows++; right += (($1 > 7) + ($2 > 7) + ($3 > 7)) % 2 == ($5 == "yes") }
        END { if (!rows || 100 * right < least * rows) { print right " of " rows; exit 1 } }' "$1" || fail "$1 does not know the gate"
}
