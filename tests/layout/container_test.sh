#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The image is built from packaging/Containerfile, has no user with rights, makes a table and serves the page.
#   container_test.sh SOURCE
set -euo pipefail
source=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "container: $*" >&2
    exit 1
}
. "$source/tests/layout/podman.sh"
podman_have_base "$scratch" || {
    echo "SKIP: neither a registry nor debootstrap gives Debian 12"
    exit 77
}
podman_can_run "$podman_base" /bin/true || {
    echo "SKIP: podman cannot run containers here"
    exit 77
}
image=localhost/semblance-test
podman_build -t "$image" -f "$source/packaging/Containerfile" "$source" >/dev/null
[ "$(podman image inspect --format '{{.Config.User}}' "$image")" = 65534:65534 ] || fail "the image's user is not 65534"
data=$scratch/data
mkdir -m 777 "$data"
python3 "$source/tests/python/readme_lines.py" --write "$source/README.md" "$data"
podman_run --network none --cap-drop all --read-only -v "$data:/data" "$image" synth patients.csv --schema clinic.json --epsilon 1 -o out.csv
podman_run --network none --cap-drop all --read-only -v "$data:/data" "$image" verify out.csv.certificate.json --output out.csv
[ "$(stat -c %u "$data/out.csv")" -eq 65534 ] || fail "the table belongs to user $(stat -c %u "$data/out.csv")"
port=$((20000 + $$ % 20000))
podman_run --network host --cap-drop all --read-only -v "$data:/data" --name "semblance-test-$$" "$image" serve /data --no-open --port $port >"$scratch/said" 2>&1 &
for _ in $(seq 100); do
    ! grep -q http:// "$scratch/said" || break
    sleep 0.1
done
address=$(grep -o 'http://[^ ]*' "$scratch/said") || fail "no page: $(<"$scratch/said")"
python3 -c 'import sys, urllib.request; assert b"<html" in urllib.request.urlopen(sys.argv[1]).read()' "$address" || fail "the page is not served"
podman "${podman_options[@]}" kill "semblance-test-$$" >/dev/null
wait || true
podman image rm --force "$image" >/dev/null
echo "built, user 65534, synth, verify and serve run without rights and with a read-only root"
