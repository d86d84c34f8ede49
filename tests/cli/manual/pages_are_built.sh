. "$CLI_TESTS/lib.sh"
# What the build wrote is what the program prints.
[ -d "${MAN_PAGES:-}" ] || skip "man pages were not built"
for page in "$MAN_PAGES"/semblance*.1; do
    command=$(basename "$page" .1)
    command=${command#semblance}
    # shellcheck disable=SC2086
    "$SEMBLANCE" manual ${command#-} | cmp - "$page" || fail "$page is not current"
done
