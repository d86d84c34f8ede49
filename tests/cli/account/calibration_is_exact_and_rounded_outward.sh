# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# epsilon and delta into mu and sigma for 1 to 100 releases, to 1e-10. Where the digits of the
# expected values are cut off, mu must not be above them and sigma not below.
for file in calibration.csv calibration_12_digits.csv; do
    while IFS=, read -r epsilon delta releases mu sigma; do
        printf '%s %s %s %s %s %s ' $file "$epsilon" "$delta" "$releases" "$mu" "$sigma"
        "$SEMBLANCE" account --epsilon "$epsilon" --delta "$delta" --releases "$releases" --json
    done < <(numbers $file)
done > rows.txt
awk '
    function member(name) { return match($0, "\"" name "\": [^,}]*") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : -1 }
    function far(a, b) { return (a > b ? a - b : b - a) > 1e-10 * b }
    far(member("mu"), $5) || far(member("sigma"), $6) { print "not exact: " $0; bad = 1 }
    member("epsilon") != $2 || member("delta") != $3 || member("releases") != $4 { print "not as asked: " $0; bad = 1 }
    $1 == "calibration.csv" && (member("mu") > $5 || member("sigma") < $6) { print "not outward: " $0; bad = 1 }
    END { exit bad || NR != wanted }' wanted=$((${EVERY:-1} == 1 ? 188 : 23)) rows.txt >&2 || fail "of $(wc -l < rows.txt) rows"
