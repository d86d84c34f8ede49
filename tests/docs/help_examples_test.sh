#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The help of every command is short: a purpose, usage, at most 13 options, one example and where the rest is. After the demo each example
# works as it is printed. 'help COMMAND --all' has more options, and no exit codes.
#   help_examples_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "help: $*" >&2
    exit 1
}
cd "$scratch"
ln -s "$source/examples" examples
export PATH=$build:$PATH
examples/demo.sh "$build" >shown 2>&1 || fail "the demo failed: $(cat shown)"

# before COMMAND: the files that its example takes and that neither the demo nor an example before it left.
before() {
    case $1 in
    resume) rm mine.csv ;; # a run that was stopped after its last release
    sum) semblance plan --schema examples/clinic.json --epsilon 1 -n 8000 --save clinic.plan ;;
    'schema resume') rm discovered.json ;;
    project)
        semblance ledger init projected.ledger
        semblance fit build/demo/patients.csv --schema examples/clinic.json --epsilon 1 --method ron-gauss --space projected \
            --ledger projected.ledger --model projected.safetensors
        ;;
    combine) printf 'replicate,name,estimate,std.error\n1,mean,3.1,0.2\n2,mean,2.9,0.2\n' > results.csv ;;
    register) rm build/demo/forged.json ;; # the demo's forged certificate is a problem, as it should be
    'ledger succeed') semblance ledger init 2026.csv.ledger --epsilon 2 ;;
    'ledger repair') truncate -s -2 build/demo/patients.csv.ledger ;; # the last line is torn
    sign) openssl genpkey -algorithm ed25519 -out private.pem ;;
    esac
}

# What is found of a bound by fresh noise breaks it once in some thousand runs (docs/AUDIT.md): the audit's noise is always the same here.
mkdir testkey
[ ! -x "$build/semblance-testkey" ] || ln -s "$build/semblance-testkey" testkey/semblance

# options: how many the help on standard input lists.
options() { grep -cE '^  (-.,|   ) --' || true; }

tried=0
# try COMMAND
try() {
    local line
    # shellcheck disable=SC2086 # words are separate
    semblance $1 --help >short
    # shellcheck disable=SC2086
    semblance help $1 --all >long
    [ "$(sed -n 2p short)" = "" ] && [[ $(sed -n 3p short) == "Usage: semblance $1"* ]] || fail "$1: no purpose in one line before the usage"
    [ "$(options <short)" -le 13 ] || fail "$1: $(options <short) options"
    [ "$(wc -l <short)" -le 70 ] || fail "$1: $(wc -l <short) lines"
    [ "$(tail -n 1 short)" = "'semblance help $1 --all' shows every option." ] || fail "$1: its last line is '$(tail -n 1 short)'"
    [ "$(options <long)" -ge "$(options <short)" ] || fail "$1: --all shows fewer options"
    ! grep -q '^Exit codes' short long || fail "$1: exit codes"
    grep -qx 'Example:' short || fail "$1: no example"
    line=$(sed -n '/^Example:$/{n;s/^  //p}' short)
    case $1 in
    serve) [ -d "${line##* }" ] || fail "$line: no such folder" ;; # it would run until it is stopped
    *)
        before "$1" >out 2>&1 || fail "$1: $(cat out)"
        [ "$1" != audit ] || PATH=$scratch/testkey:$PATH
        bash -c "$line" </dev/null >out 2>&1 || fail "'$line' failed: $(tail -n 3 out)"
        PATH=${PATH#"$scratch/testkey:"}
        ;;
    esac
    tried=$((tried + 1))
}

for command in $(semblance --help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+)  .*/\1/p'); do
    mapfile -t children < <(semblance "$command" --help | sed -nE "/^Commands:/,/^$/s/^  ($command [a-z]+)  .*/\1/p")
    for words in "${children[@]:-$command}"; do try "$words"; done
done
[ "$tried" -ge 30 ] || fail "only $tried commands: the test itself is broken"
[ "$(semblance help synth --all | options)" -ge 50 ] || fail "synth: --all does not show every option"
echo "$tried examples of help ran"
