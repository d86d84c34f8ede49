#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install each file of a release in an empty Debian 12 by one command, and make a table by one command.
#   packaging/try_empty.sh FOLDER [ROOT [PART...]]
# FOLDER: what make release made. ROOT: a Debian 12 by debootstrap; - makes one. PART: static, deb, wheel, aarch64, r or image; all unless told otherwise.
# Needs root, debootstrap and Debian's archive; the image also podman; aarch64 also mmdebstrap and QEMU for programs of that processor
# (binfmt_misc). AARCH64_ROOT: a Debian 12 for it with python3-venv; else one is made. Each part starts from a fresh copy of the empty system.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
folder=$(cd "$1" && pwd) base=${2:--}
shift $(($# > 2 ? 2 : $#))
[ $# -gt 0 ] || set -- static deb wheel aarch64 r image
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$base" = - ]; then
    base=$scratch/base
    debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >"$scratch/debootstrap.log"
fi
python3 "$source/tests/python/readme_lines.py" --write "$source/README.md" "$scratch"
synth="synth patients.csv --schema clinic.json --epsilon 1 -o out.csv"

# fresh NAME: a copy of the empty system, with the table in /root.
fresh() {
    echo
    echo "== $1: an empty Debian $(cat "$base/etc/debian_version")"
    rm -rf "$scratch/root"
    cp -ax "$base" "$scratch/root"
    cp /etc/resolv.conf "$scratch/root/etc/resolv.conf"
    cp "$scratch/patients.csv" "$scratch/clinic.json" "$scratch/root/root/"
}
# inside COMMAND: as typed in a shell of that system.
inside() {
    echo "\$ $1"
    # With /proc, as any system has it: without, the loader cannot find libraries next to a program. It goes with the namespace.
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$scratch/root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        sh -ec "cd /root; $1" >"$scratch/said" 2>&1 || {
        tail -n 20 "$scratch/said"
        exit 1
    }
    tail -n "${2:-3}" "$scratch/said" | cut -c 1-160
}
# made: the table is there and its certificate holds.
made() {
    [ "$(wc -l <"$scratch/root/root/out.csv")" -gt 1000 ] || exit 1
    echo "-- $1: $(($(wc -l <"$scratch/root/root/out.csv") - 1)) synthetic rows, with a certificate"
}

try_static() {
    fresh "static file"
    file=$(basename "$folder"/semblance-*-linux-x86_64)
    cp "$folder/$file" "$scratch/root/root/"
    inside "install $file /usr/local/bin/semblance"
    inside "semblance $synth"
    inside "semblance verify out.csv.certificate.json --output out.csv" 2
    made "static file"
}

try_deb() {
    fresh "Debian packages"
    cp "$folder"/*.deb "$scratch/root/root/"
    inside "apt-get update" 1
    inside "apt-get install -y --no-install-recommends ./libsemblance*.deb ./semblance_*.deb" 1
    inside "semblance $synth"
    made "Debian packages"
}

try_wheel() {
    fresh "wheel"
    cp "$folder"/*"_$(uname -m).whl" "$scratch/root/root/"
    inside "apt-get update && apt-get install -y --no-install-recommends python3-venv && python3 -m venv here" 1
    inside "here/bin/pip install --no-index semblance_dp-*.whl" 1
    inside "here/bin/semblance $synth"
    made "wheel"
    inside "here/bin/python -c 'import semblance; print(semblance.Synthesizer(epsilon=1, schema=\"clinic.json\").fit(\"patients.csv\").sample(3).head())'"
}

try_aarch64() {
    local base=${AARCH64_ROOT:-$scratch/aarch64} # what fresh() copies
    [ -d "$base" ] || mmdebstrap --mode=root --variant=minbase --architectures=arm64 --include=python3-venv bookworm "$base" \
        http://deb.debian.org/debian >"$scratch/mmdebstrap.log" 2>&1
    fresh "wheel for AArch64, under QEMU"
    cp "$folder"/*_aarch64.whl "$scratch/root/root/"
    inside "uname -m" 1
    inside "python3 -m venv here && here/bin/pip install --no-index semblance_dp-*.whl" 1
    inside "here/bin/semblance $synth"
    made "wheel for AArch64"
    inside "here/bin/python -c 'import semblance; print(semblance.Synthesizer(epsilon=1, schema=\"clinic.json\").fit(\"patients.csv\").sample(3).head())'"
}

try_r() {
    fresh "R package"
    cp "$folder"/semblance-r-*.tar.gz "$folder"/*.deb "$scratch/root/root/"
    inside "apt-get update && apt-get install -y --no-install-recommends r-base-dev pkg-config ./libsemblance*.deb" 1
    inside "R CMD INSTALL semblance-r-*.tar.gz" 1
    inside "Rscript -e 'library(semblance); x <- read.csv(\"patients.csv\"); y <- synthesize(x, epsilon = 1, schema = \"clinic.json\"); print(sample(y, 3))'" 7
}

try_image() {
    . "$source/tests/layout/podman.sh"
    echo
    echo "== container image"
    if ! podman_have_base "$scratch" || ! podman_can_run "$podman_base" /bin/true; then
        echo "try_empty: podman cannot run containers here" >&2
        exit 1
    fi
    echo "\$ podman build -t semblance -f packaging/Containerfile ."
    podman_build -t localhost/semblance -f "$source/packaging/Containerfile" "$source" >"$scratch/said" 2>&1 || {
        tail -n 20 "$scratch/said"
        exit 1
    }
    mkdir -m 777 "$scratch/data"
    cp "$scratch/patients.csv" "$scratch/clinic.json" "$scratch/data/"
    echo "\$ podman run --rm --network none -v DATA:/data semblance $synth"
    # shellcheck disable=SC2086 # words
    podman_run --network none -v "$scratch/data:/data" localhost/semblance $synth 2>&1 | tail -n 3 | cut -c 1-160
    echo "-- container image: $(($(wc -l <"$scratch/data/out.csv") - 1)) synthetic rows, with a certificate"
}

for part in "$@"; do
    case $part in
    static | deb | wheel | aarch64 | r | image) "try_$part" ;;
    *)
        echo "try_empty: there is no part '$part'" >&2
        exit 2
        ;;
    esac
done
