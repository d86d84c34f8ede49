#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetch NVRTC, CUDA's compiler of kernels, from the Python package index, check it, and put it into a folder:
#   tools/nvrtc.sh [FOLDER]      default: build/nvrtc
# With it the kernels of libsemblance-cuda.so are compiled in a test (test_kernels) on machines without a graphics card.
# Ends with 77 where the index cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."

package=nvidia_cuda_nvrtc_cu12-12.9.86-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl
sum=210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4
[ "$(uname -m)" = x86_64 ] || {
    echo "nvrtc: it is fetched for x86-64 only" >&2
    exit 77
}
folder=${1:-build/nvrtc}
mark=$folder/.$package
[ ! -e "$folder/libnvrtc.so.12" ] || [ ! -e "$mark" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --dest "$work" nvidia-cuda-nvrtc-cu12==12.9.86 >/dev/null 2>&1 || {
    echo "nvrtc: the package index cannot be reached" >&2
    exit 77
}
[ "$(openssl dgst -sha256 -r "$work/$package" | cut -d' ' -f1)" = "$sum" ] || {
    echo "nvrtc: what came from the package index is not what it should be" >&2
    exit 1
}
mkdir -p "$folder"
python3 -m zipfile -e "$work/$package" "$work/unpacked"
install -m 644 "$work"/unpacked/nvidia/cuda_nvrtc/lib/libnvrtc*.so.12* "$folder"
touch "$mark"
echo "nvrtc: $folder/libnvrtc.so.12"
