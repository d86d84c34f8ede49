# 'help options' and the man page list, under each method, the options that not every method uses; and every one of
# them is known to synth.
. "$CLI_TESTS/lib.sh"
accepted help options
for words in 'auto (tables and images), the default:' 'pairs (tables):' 'mepf (images):'; do
    grep -qxF "$words" accepted.out || fail "what $words is for"
done
[ "$(awk 'length > 79' accepted.out | wc -l)" = 0 ] || fail "a line is too long"
under() { sed -n "/^$1 (/,/^\$/p" accepted.out | sed -nE 's/^  (--[a-z-]+).*/\1/p' | sort | tr '\n' ' '; }
[ "$(under merf)" = "--batch --checkpoint --features --generator --hidden --latent --learning-rate --signs --steps " ] || fail "merf: $(under merf)"
[ "$(under mepf)" = "--batch --checkpoint --early-stopping --embedding --encoder --features --generator --hidden --latent --layers --learning-rate --lengths --objective --order --sensitivity --steps " ] ||
    fail "mepf: $(under mepf)"
[ "$(under hp)" = "--batch --checkpoint --gamma --generator --hidden --latent --learning-rate --lengths --order --product-order --product-share --product-size --products --sensitivity --signs --steps --subsets " ] ||
    fail "hp: $(under hp)"
[ "$(under marginals)" = "--bins --pure " ] || fail "marginals: $(under marginals)"
[ "$(under ron-gauss)" = "--dimensions --expect-rows --geometry --pure --space --split " ] || fail "ron-gauss: $(under ron-gauss)"
"$SEMBLANCE" synth --help > synth.help
"$SEMBLANCE" manual | sed 's/\\-/-/g' > page
for option in $(sed -nE 's/^  (--[a-z-]+).*/\1/p' accepted.out); do
    grep -q -e "^      $option" synth.help || fail "synth does not have $option"
    grep -q -e "$option" page || fail "semblance(1) does not name $option"
done
# Defaults are those of the table.
grep -q 'training steps \[default: 4000; images 5000\]' accepted.out || fail "the default of --steps"
refused 2 "*'opions' is not a command*" help opions
