# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# What the build wrote is what the program prints, and there is a page for every command and subcommand.
[ -d "${MAN_PAGES:-}" ] || skip "man pages were not built"
for page in "$MAN_PAGES"/semblance*.1; do
    command=$(basename "$page" .1)
    command=${command#semblance}
    # shellcheck disable=SC2086
    "$SEMBLANCE" manual ${command//-/ } | cmp - "$page" || fail "$page is not current"
done
for name in $("$SEMBLANCE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ -s "$MAN_PAGES/semblance-$name.1" ] || fail "no page: semblance-$name"
    for child in $("$SEMBLANCE" "$name" --help | sed -n "s/^  $name \([a-z]*\) .*/\1/p"); do
        grep -q "man1/semblance-$name\.1" "$MAN_PAGES/semblance-$name-$child.1" || fail "no page: $name $child"
    done
done
