# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
"$MAKE_RELEASE" 1 a.release a.json || fail "no release"
grep -Eq '^ *"version": 8,$' a.json || fail "where is the version? $(head -5 a.json)"
for version in 0 1 2 3 9 99 '"3"' 2.5 -1 null; do
    sed -E "0,/^( *)\"version\": 8,\$/s//\1\"version\": $version,/" a.json > other.json
    ! cmp -s a.json other.json || fail "nothing was changed"
    refused 3 "*other.json*version*" verify other.json
done
