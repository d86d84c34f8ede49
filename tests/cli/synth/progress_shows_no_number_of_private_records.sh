# SPDX-License-Identifier: Apache-2.0
# Under add-remove the number of records is private: the bar is the same on both sides of a batch.
. "$CLI_TESTS/lib.sh"
make_people
private=(--epsilon 1 --neighbours add-remove --progress always --threads 1 -n 3)

# shown NAME COMMAND...: what the bar shows of reading goes to NAME; what follows tells the time.
shown() {
    local name=$1 said
    shift
    mkdir "$name"
    (cd "$name" && accepted "$@" "${private[@]}" -o out && [ -s accepted.err ]) || exit 1
    said=$(<"$name/accepted.err")
    printf '%s' "${said%%@(sampling|training)*}" > "$name.shown"
    [ "$(grep -o reading "$name.shown" | wc -l)" = 1 ] || fail "$name: reading is not shown once"
}
shopt -s extglob

# A batch of a table has 8192 rows. Without health: one of three columns would be named by chance in one run of 1,000.
awk 'NR == 1 { print; next } { row[NR - 2] = $0 }
    END { for (i = 0; i < 8193; i++) print row[i % 200] }' people.csv > 8193.csv
for rows in 0 1 8192; do head -n $((rows + 1)) 8193.csv > $rows.csv; done
for rows in 0 1 8192 8193; do
    shown rows$rows synth ../$rows.csv --schema ../people.json --method marginals --health off
    cmp rows0.shown rows$rows.shown || fail "the bar tells $rows rows"
done

# A batch of images has 4 MiB: 85 of 128 x 128 in colour.
tiny=(--method merf --features 64 --hidden 2,1,1 --latent 1 --steps 1 --batch 2)
for images in 0 1 85 86; do
    { printf '\0\0\10\4\0\0\0'; printf "\\$(printf %o $images)"; printf '\0\0\0\200\0\0\0\200\0\0\0\3'
        head -c $((images * 49152)) /dev/zero; } > $images.idx
    shown images$images synth --images ../$images.idx "${tiny[@]}"
    cmp rows0.shown images$images.shown || fail "the bar tells $images images"
done
