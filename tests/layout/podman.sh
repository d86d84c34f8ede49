# SPDX-License-Identifier: Apache-2.0
# Where podman can run containers: podman_run OPTION... COMMAND and podman_build OPTION..., else ends with 77. To be sourced.
command -v podman >/dev/null || {
    echo "SKIP: podman is not installed"
    exit 77
}
podman_options=() podman_limits=()
podman_base=${SBL_CONTAINER_BASE:-docker.io/library/debian:12}

podman_run() { podman "${podman_options[@]}" run --rm "${podman_limits[@]}" "$@"; }
podman_build() { podman "${podman_options[@]}" build --quiet --isolation chroot --build-arg "BASE=$podman_base" "$@"; }

# A machine may hold containers only with less: no cgroups of their own, no more open files than it has itself.
podman_can_run() { # IMAGE COMMAND...
    podman_run --network none "$@" >/dev/null 2>&1 && return 0
    podman_options=(--runtime runc --cgroup-manager cgroupfs)
    podman_limits=(--ulimit nofile=1000:1000 --ulimit nproc=1000:1000)
    podman_run --network none "$@" >/dev/null 2>&1
}

# Debian 12, from a registry or made here.   podman_have_base SCRATCH
podman_have_base() {
    podman image exists "$podman_base" || podman pull --quiet "$podman_base" >/dev/null 2>&1 || {
        command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ] || return 1
        debootstrap --variant=minbase bookworm "$1/debian" http://deb.debian.org/debian >/dev/null 2>&1 || return 1
        podman_base=localhost/debian-12
        tar -C "$1/debian" -c . | podman import --quiet - "$podman_base" >/dev/null
    }
}
