# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 > /dev/null 2>&1 || skip "no sources of locales"
export LOCPATH=$PWD
[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || fail "this is no locale with a decimal comma"
plain=$(LC_ALL=C "$SEMBLANCE" account --epsilon 0.5 --json)
german=$(LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$SEMBLANCE" account --epsilon 0.5 --json)
[ "$plain" = "$german" ] || fail "$german"
