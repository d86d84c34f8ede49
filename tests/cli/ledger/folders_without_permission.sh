# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Root may read everything, so the program runs as nobody.
as_nobody=()
if [ "$(id -u)" = 0 ]; then
    command -v setpriv > /dev/null || skip "no setpriv"
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 .. . 2> /dev/null
    cp "$SEMBLANCE" semblance
    "${as_nobody[@]}" ./semblance --version > /dev/null 2>&1 || skip "cannot run as nobody here"
else
    cp "$SEMBLANCE" semblance
fi
cat > unprivileged <<END
#!/bin/bash
exec ${as_nobody[*]} ./semblance "\$@"
END
chmod +x unprivileged
mkdir closed readonly
"$SEMBLANCE" ledger init closed/data.ledger --epsilon 1 --quiet
"$SEMBLANCE" ledger init secret.ledger --epsilon 1 --quiet
chmod 000 secret.ledger closed
chmod 555 readonly
refused_by ./unprivileged 5 '*secret.ledger*Permission denied*' ledger show secret.ledger
refused_by ./unprivileged 5 '*closed/data.ledger*Permission denied*' ledger verify closed/data.ledger
refused_by ./unprivileged 5 '*readonly/data.ledger*Permission denied*' ledger init \
    readonly/data.ledger --epsilon 1
refused_by ./unprivileged 5 '*secret.ledger*Permission denied*' verify secret.ledger
[ -z "$(ls readonly)" ] || fail "something was left behind"
