# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# 40 images of 8 x 8 and their labels 1 2 0 1 2 0 ...: numbers, no names.
make_images
tiny=(--method merf --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)
# drawn MODEL CLASS NUMBER: --where CLASS draws images of the class of this number.
drawn() {
    rm -rf out
    accepted sample "$1" -n 5 --where "$2" -o out --quiet
    [ "$(gzip -dc out/labels-idx1-ubyte.gz | tail -c 5 | od -An -tx1 | tr -d ' \n')" = "0${3}0${3}0${3}0${3}0${3}" ] ||
        fail "--where $2 draws another class than $3"
}
accepted fit --images images --labels labels --classes 3 "${tiny[@]}" --model numbers
for i in 0 1 2; do
    drawn numbers label=$i $i
    drawn numbers $i $i
done
refused 2 '*drawn by its number, 0 to 2* (--where)' sample numbers -n 5 --where label=3 -o no

# Names that are numbers: 1, 2 and 3 are the classes 0, 1 and 2, and no class is called 0.
accepted sample numbers -n 60 --format png -o pictures --quiet
mv pictures/2 pictures/3 && mv pictures/1 pictures/2 && mv pictures/0 pictures/1
accepted fit --images pictures "${tiny[@]}" --model names
for i in 0 1 2; do
    drawn names label=$((i + 1)) $i
    drawn names $((i + 1)) $i
done
refused 2 '*drawn by its name* (--where)' sample names -n 5 --where label=0 -o no
refused 2 '*drawn by its name* (--where)' sample names -n 5 --where 0 -o no
refused 2 '*written to a folder*' sample names -n 5
[ ! -e no ] || fail "a refusal left files"
