. "$CLI_TESTS/lib.sh"
plain=$("$SEMBLANCE" account --epsilon 0.5 --json)
german=$(LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$SEMBLANCE" account --epsilon 0.5 --json)
[ "$plain" = "$german" ] || fail "$german"
