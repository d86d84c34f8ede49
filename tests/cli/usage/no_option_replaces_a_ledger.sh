# Every option of every command that takes a file, as the help lists them, is given a ledger, with
# --force where there is one: whatever else happens, the ledger stays as it was.
. "$CLI_TESTS/lib.sh"
make_people
accepted ledger init data.ledger --epsilon 50
cp data.ledger saved
accepted fit people.csv --schema people.json --epsilon 1 -o m "${small[@]}" --quiet
accepted synth people.csv --schema people.json --epsilon 1 -o real.csv "${small[@]}" --quiet
tried=0
# attempt OPTION COMMAND...: the option takes the ledger's name and stands last, where it counts.
attempt() {
    local other=(-o out)
    [ "$1" != --output ] || other=()
    "$SEMBLANCE" "${@:2}" "${other[@]}" "$1" data.ledger > said.out 2> said.err
    cmp -s data.ledger saved || fail "${*:2} $1 data.ledger replaced it"
    [ "$1" != --output ] || grep -q ledger said.err || fail "${*:2} $1 data.ledger: $(<said.err)"
    tried=$((tried + 1))
}
# The same for a command without --output.
try_alone() {
    "$SEMBLANCE" "${@:2}" "$1" data.ledger > said.out 2> said.err
    cmp -s data.ledger saved || fail "${*:2} $1 data.ledger replaced it"
    tried=$((tried + 1))
}
# files_of COMMAND...: its options that take a file, from its help.
files_of() { "$SEMBLANCE" "$@" --help | sed -nE 's/^  (-.,|   ) (--[a-z-]+) FILE.*/\2/p' | sort -u; }
run=(--schema people.json --epsilon 1 --force "${small[@]}" --quiet)
for option in $(files_of synth); do
    [ "$option" = --ledger ] || attempt "$option" synth people.csv "${run[@]}"
done
for option in $(files_of fit); do
    [ "$option" = --ledger ] || attempt "$option" fit people.csv "${run[@]}"
done
for option in $(files_of train); do
    attempt "$option" train m.release --force --hidden 8 --latent 2 --steps 5 --batch 20 --quiet
done
for option in $(files_of sample); do attempt "$option" sample m -n 5 --force --quiet; done
for option in $(files_of evaluate); do
    try_alone "$option" evaluate --real people.csv --synthetic real.csv --schema people.json --models none --force
done
for option in $(files_of audit); do
    try_alone "$option" audit --method marginals --delta 0 --neighbours add-remove --runs 100 --force
done
for option in $(files_of verify); do try_alone "$option" verify m.certificate.json; done
[ "$tried" -gt 20 ] || fail "only $tried options were tried: has the help changed?"
# No command that takes a file was forgotten.
listed=$("$SEMBLANCE" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p' | xargs)
for command in $listed; do
    case $command in
    synth | fit | resume | train | sample | evaluate | audit | verify) ;;
    *) [ -z "$(files_of "$command" 2> /dev/null | grep -vE '^--(schema|images|labels|encoder)$')" ] || fail "$command takes files: try it here" ;;
    esac
done
refused 5 '*never overwritten*' ledger init data.ledger --epsilon 1
cmp data.ledger saved || fail "replaced"
exit 0
