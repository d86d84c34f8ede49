# SPDX-License-Identifier: Apache-2.0
# Every option of every command that takes a value, as the help lists them, is given the name of a file that the same
# command reads, and that of a ledger, with --overwrite where there is one: whatever else happens, these stay as they were. An
# option that writes without the check of all commands (cli/file_check.c) fails here, and so does a command not tried.
. "$CLI_TESTS/lib.sh"
make_people
tiny=("${small[@]}" --quiet)
accepted ledger init data.ledger --epsilon 50
accepted fit people.csv --schema people.json --epsilon 1 --model m "${tiny[@]}"
accepted synth people.csv --schema people.json --epsilon 1 -o real.csv "${tiny[@]}"
accepted fit people.csv --schema people.json --epsilon 1 --model projected --method ron-gauss --space projected --quiet
accepted ask people.csv --schema people.json --epsilon 1 --count town -o asked --quiet
accepted fit people.csv --schema people.json --epsilon 1 --model q --method marginals --quiet
{ printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 2560; } > images
{ printf '\0\0\10\1\0\0\0\50'; for _ in 1 2 3 4; do printf '\0\1\2\3\4\5\6\7\10\11'; done; } > labels
echo '{"method": "merf"}' > job.json
cp people.csv held.csv
openssl genpkey -algorithm ed25519 -out private.pem 2> /dev/null || fail "no key"
accepted plan --schema people.json --epsilon 1 -n 200 --save plan
accepted sum people.csv --plan plan -o part
inputs=(asked.release plan plan.key part projected private.pem people.csv people.json m m.release m.certificate.json q.release real.csv images labels job.json held.csv data.ledger)
sha256sum "${inputs[@]}" > sums
ln -s people.csv soft.csv
mkdir sub links
tried=0

# attempt OPTION FILE WORD...: the option stands last, with its value.
attempt() {
    local other=() output=--output
    case $3 in fit | train) output=--model ;; esac
    [ "$outputs" = no ] || [ "$1" = $output ] || other=($output out)
    "$SEMBLANCE" "${@:3}" "${other[@]}" "$1" "$2" > said.out 2> said.err
    sha256sum --quiet -c sums > changed.txt 2>&1 || fail "${*:3} ${other[*]} $1 $2: $(<changed.txt)"
    tried=$((tried + 1))
}

# valued WORD...: the options of a command that take a value, and those of them that take a FILE, from its help.
valued() { "$SEMBLANCE" help "$@" --all | sed -nE 's/^  (-.,|   ) (--[a-z-]+) [A-Z].*/\2/p' | sort -u; }
files_of() { "$SEMBLANCE" help "$@" --all | sed -nE 's/^  (-.,|   ) (--[a-z-]+) FILE.*/\2/p' | sort -u; }

# try 'COMMAND' 'INPUT...' WORD...: a command line that works, with the files it reads. Each of its options takes the first
# input; those that take a FILE each of them, the ledger, and the first under other names.
done_commands=''
try() {
    local command=$1 reads=$2 option file
    shift 2
    # shellcheck disable=SC2086 # words
    set -- $command "$@"
    done_commands+="|$command|"
    # shellcheck disable=SC2086
    for option in $(valued $command); do
        [[ " $* " == *" $option "* ]] || attempt "$option" "${reads%% *}" "$@"
    done
    # shellcheck disable=SC2086
    for option in $(files_of $command); do
        [[ " $* " == *" $option "* ]] && continue
        for file in ${reads#* } data.ledger "./sub/../${reads%% *}" "$PWD/${reads%% *}"; do
            [ "$option $file" = '--ledger data.ledger' ] || attempt "$option" "$file" "$@"
        done
    done
}

run=(--schema people.json --epsilon 1 --overwrite "${tiny[@]}")
outputs=yes
try synth 'people.csv people.json job.json held.csv soft.csv' people.csv "${run[@]:0:5}" --job job.json --report page.html --evaluate held.csv "${tiny[@]:2}"
try synth 'images labels' --images images --labels labels --epsilon 1 --overwrite --method merf --features 20 --hidden 8,4,3 --latent 2 --steps 2 --batch 8 --quiet
try fit 'people.csv people.json' people.csv "${run[@]}"
try ask 'people.csv people.json' people.csv --schema people.json --epsilon 1 --count town --overwrite --quiet
try ask 'asked.release' --from asked.release --overwrite --quiet
try resume 'people.csv people.json' people.csv "${run[@]}"
try train 'm.release m.certificate.json' m.release --certificate m.certificate.json --overwrite --hidden 8 --latent 2 --steps 5 --batch 20 --quiet
try sample 'm' m -n 5 --overwrite --quiet
try estimate 'q.release' q.release --count --draws 2 --overwrite --quiet
try project 'projected people.csv soft.csv' projected people.csv --overwrite
try 'schema inspect' 'people.csv soft.csv' people.csv --overwrite
try 'schema accept' 'people.json' people.json --take none --overwrite
try 'schema discover' 'people.csv' people.csv --epsilon 1 --overwrite --quiet
try 'schema resume' 'people.csv' people.csv --epsilon 1 --overwrite --quiet
try sign 'm.certificate.json private.pem' m.certificate.json --key private.pem --overwrite --quiet
try sum 'people.csv plan plan.key' people.csv --plan plan --overwrite --quiet
try merge 'part plan plan.key' part --plan plan --overwrite --quiet
try release 'part plan plan.key' part --plan plan --overwrite --quiet
outputs=no
try 'schema check' 'people.json people.csv' people.json people.csv
try plan 'people.json' --schema people.json --epsilon 1 -n 100
try plan 'people.json' --schema people.json --epsilon 1 -n 100 --overwrite --save plan.2
try evaluate 'people.csv real.csv people.json held.csv' --real people.csv --synthetic real.csv \
    --schema people.json --train held.csv --models none --overwrite
try audit 'people.csv people.json' people.csv --schema people.json --method marginals --delta 0 --neighbours add-remove --runs 100 --overwrite --quiet
try verify 'm.certificate.json m.release' m.certificate.json
try register 'people.csv m.certificate.json' . --overwrite
try 'certificate annex' 'm.certificate.json' m.certificate.json --overwrite
[ "$tried" -gt 300 ] || fail "only $tried attempts: has the help changed?"

# No command that takes a file was forgotten.
for command in $("$SEMBLANCE" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'); do
    children=$("$SEMBLANCE" "$command" --help | sed -nE "/^Commands:/,/^$/s/^  ($command [a-z]+)  .*/\1/p")
    while read -r words; do
        # shellcheck disable=SC2086
        [[ $done_commands == *"|$words|"* ]] || [ -z "$(files_of $words)" ] || fail "$words takes files: try it here"
    done <<< "${children:-$command}"
done

# What is refused, and in which words.
refused 2 '--output and INPUT are the same file, people.csv*' schema inspect people.csv -o people.csv --overwrite
refused 2 '--output and INPUT are the same file, soft.csv*' schema inspect people.csv -o soft.csv --overwrite
refused 2 '*same file*' schema inspect soft.csv -o people.csv --overwrite
refused 2 '--save-job and INPUT are the same file*' synth people.csv -o out "${run[@]}" --save-job people.csv
refused 2 '*--save-job and --job are the same file*' synth people.csv -o out "${run[@]}" --job job.json --save-job job.json
refused 2 '*the release and --evaluate are the same file*' synth people.csv -o m "${run[@]}" --report page.html --evaluate m.release
refused 2 '*would be written to a folder that is read, --images*' synth --images sub -o sub/out --epsilon 1 --overwrite
refused 2 '*--preview and --images are the same file*' synth --images labels,images -o out --epsilon 1 --overwrite --preview ./images
refused 2 '--report and --certificate are the same file*' evaluate --real people.csv --synthetic real.csv --schema people.json \
    --overwrite --certificate m.certificate.json --report m.certificate.json
refused 5 '*never overwritten*' ledger init data.ledger --epsilon 1
ln people.csv links/hard.csv
refused 2 '--output and INPUT are the same file*' schema inspect people.csv -o links/hard.csv --overwrite
sha256sum --quiet -c sums || fail "changed"
exit 0
