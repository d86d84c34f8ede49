# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM end a run with 130, one line, and nothing half written.
. "$CLI_TESTS/lib.sh"
make_people

# stop SIGNAL PATTERN ARGUMENT...: send the signal once a file like the pattern is there; the line
# that is said goes to stopped.err.
stop() {
    local signal=$1 pattern=$2 code=0 tries=0
    shift 2
    "$SEMBLANCE" "$@" 2> stopped.err &
    local process=$!
    until compgen -G "$pattern" > /dev/null; do
        [ $((tries += 1)) -le 2400 ] || { kill -KILL $process; fail "no $pattern: $*"; }
        sleep 0.05
    done
    # Twice, as timeout(1) does, which tells the process and then its group: that is one wish.
    kill -"$signal" $process
    for _ in 1 2 3 4 5; do
        sleep 0.002
        kill -"$signal" $process 2> /dev/null
    done
    wait $process || code=$?
    [ $code = 130 ] || fail "exit code $code after SIG$signal: $* [$(<stopped.err)]"
    # Before it began it may have said how long it would take.
    sed -i '/^semblance: this run takes about /d' stopped.err
    [ "$(wc -l < stopped.err)" = 1 ] || fail "not one line: [$(<stopped.err)]"
}
# Without health: one of three columns would be named by chance in one run of 1,000, and that is a second line.
long=(--method merf --features 32 --hidden 8 --latent 2 --batch 20 --threads 1 --steps 100000000 --health off)

for signal in INT TERM; do
    stop $signal $signal.csv.certificate.json synth people.csv --schema people.json --epsilon 1 -o $signal.csv "${long[@]}"
    grep -q "going on from there costs nothing: 'semblance train $signal.csv.release --model MODEL'" stopped.err ||
        fail "what to do is not said: [$(<stopped.err)]"
    [ ! -e $signal.csv ] || fail "a table of an interrupted run"
    accepted train $signal.csv.release --model $signal.model "${small[@]:4}" # no --method, no --features
done

# Images that are being written: the folder under its other name goes, too.
{ printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 2560; } > images
accepted fit --images images --method merf --epsilon 1 --model model --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4
stop TERM '.pictures.*.tmp' sample model -n 5000000 --format png -o pictures
stop INT 'idx/.images-idx3-ubyte.gz.*.tmp' sample model -n 60000000 -o idx
[ -z "$(find . -name '.?*')" ] && [ ! -e pictures ] && [ ! -e idx ] || fail "something was left: $(ls -A)"
for words in '' synth sample; do
    accepted manual $words
    grep -A1 -x '\.B 130' accepted.out | grep -q '^interrupted' || fail "the exit code is not in the page of '$words'"
done
