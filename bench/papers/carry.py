#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a machine that cannot be reached needs for bench/papers/images.py, as few bytes as may travel there.

usage: bench/papers/carry.py program SEMBLANCE OUT   the program, the CUDA plug-in beside it and the libraries it was linked with,
                                                     except the C library's: OUT/semblance starts it on another distribution
       bench/papers/carry.py pack CIFAR OUT          each .bin file of CIFAR as OUT/NAME.bin.packed, at 57 % of its size
       bench/papers/carry.py unpack PACKED OUT       the same files again, to the byte

Packing is lossless: green, red less green and blue less green, each predicted from its neighbours above and to the left
(the median predictor of JPEG-LS), and bzip2. Needs numpy."""
import bz2
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

RECORD = 3073
SYSTEM = ("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "linux-vdso")
START = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH="$here/lib:/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/bin/semblance" "$@"
"""


def carry_program(semblance, out):
    for folder in ("bin", "lib"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    listing = subprocess.run(["ldd", semblance], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if "=>" in words and not words[0].startswith(SYSTEM):
            shutil.copy(words[words.index("=>") + 1], os.path.join(out, "lib", words[0]))
    for path in (semblance, os.path.join(os.path.dirname(semblance), "libsemblance-cuda.so")):
        kept = os.path.join(out, "bin", os.path.basename(path))
        shutil.copy(path, kept)
        subprocess.run(["strip", kept], check=True)
    start = os.path.join(out, "semblance")
    with open(start, "w", encoding="utf-8") as file:
        file.write(START)
    os.chmod(start, 0o755)


def predicted(left, up, corner):
    import numpy
    low, high = numpy.minimum(left, up), numpy.maximum(left, up)
    return numpy.where(corner >= high, low, numpy.where(corner <= low, high, left + up - corner))


def pack(path, out):
    import numpy
    records = numpy.fromfile(path, numpy.uint8).reshape(-1, RECORD)
    red, green, blue = records[:, 1:].reshape(-1, 3, 32, 32).astype(numpy.int16).transpose(1, 0, 2, 3)
    planes = numpy.stack([green, (red - green + 128) & 255, (blue - green + 128) & 255])
    padded = numpy.pad(planes, ((0, 0), (0, 0), (1, 0), (1, 0)))
    rest = planes - predicted(padded[..., 1:, :-1], padded[..., :-1, 1:], padded[..., :-1, :-1])
    with open(os.path.join(out, os.path.basename(path) + ".packed"), "wb") as file:
        file.write(bz2.compress(records[:, 0].tobytes() + (rest & 255).astype(numpy.uint8).tobytes()))


def unpack(path, out):
    import numpy
    with open(path, "rb") as file:
        values = numpy.frombuffer(bz2.decompress(file.read()), numpy.uint8)
    count = len(values) // RECORD
    rest = values[count:].reshape(3, count, 32, 32)
    planes = numpy.zeros((3, count, 33, 33), numpy.int16)  # with a border of zeros above and to the left
    for y in range(32):
        for x in range(32):
            about = predicted(planes[..., y + 1, x], planes[..., y, x + 1], planes[..., y, x])
            planes[..., y + 1, x + 1] = (about + rest[..., y, x]) & 255
    green, red, blue = planes[..., 1:, 1:]
    pixels = numpy.stack([(red + green - 128) & 255, green, (blue + green - 128) & 255], axis=1)
    records = numpy.concatenate([values[:count, None], pixels.reshape(count, -1).astype(numpy.uint8)], axis=1)
    records.tofile(os.path.join(out, os.path.basename(path).removesuffix(".packed")))


def each(action, pattern, out):
    os.makedirs(out, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for done in [pool.submit(action, path, out) for path in sorted(glob.glob(pattern))]:
            done.result()


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("program", "pack", "unpack"):
        sys.exit(__doc__)
    what, source, out = sys.argv[1:]
    if what == "program":
        carry_program(source, out)
    elif what == "pack":
        each(pack, os.path.join(source, "*.bin"), out)
    else:
        each(unpack, os.path.join(source, "*.packed"), out)


if __name__ == "__main__":
    main()
