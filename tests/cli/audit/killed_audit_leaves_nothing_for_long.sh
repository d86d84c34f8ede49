# What a killed run leaves in its scratch folder the next run clears away; that of a running one stays.
. "$CLI_TESTS/lib.sh"
mkdir scratch
export TMPDIR=$PWD/scratch
words=(audit --method marginals --delta 0 --neighbours add-remove --progress never)
"$SEMBLANCE" "${words[@]}" --runs 1000000 > /dev/null 2>&1 &
first=$!
tries=0
until compgen -G 'scratch/semblance-*' > /dev/null; do
    [ $((tries += 1)) -le 1200 ] || { kill -KILL $first; fail "no scratch folder"; }
    sleep 0.05
done
left=$(echo scratch/*)
"$SEMBLANCE" "${words[@]}" --runs 100 > /dev/null 2>&1
[ "$(echo scratch/*)" = "$left" ] || fail "not as before: $(ls scratch)"
{ kill -KILL $first; wait $first; } 2> /dev/null # the shell may tell of it after either
[ -d "$left" ] || fail "nothing was left: what is tried here?"
"$SEMBLANCE" "${words[@]}" --runs 100 > /dev/null 2>&1
[ -z "$(ls scratch)" ] || fail "left: $(ls scratch)"
exit 0
