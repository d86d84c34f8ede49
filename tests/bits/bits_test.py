#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Releases, models and tables keep their bits under the test key.

    bits_test.py BUILD FROZEN COMPILER            compare with the frozen hashes
    bits_test.py BUILD FROZEN COMPILER --freeze   write them again, after a change that is meant to move them

Each job runs the program with the test key and public seeds on a generated table, on linked tables or on images. A job's hashes
cover what the records and the method decide: the values and plan of every release, the tensors of the model, the bytes of the
output. Ids and times differ between runs and are left out.

Sums of counts are integers: first releases of them are frozen per architecture ("x86_64"), since only the calibration of their noise uses
floating point. Everything else is frozen per processor, compiler and C library ("x86_64-avx512 GNU-12 glibc-2.36"). Where there is no such entry, the
counts alone are compared, and a line says so. On another architecture the test is skipped.
"""
import gzip
import hashlib
import json
import os
import platform
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, FROZEN, COMPILER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3]
PROGRAM = BUILD / "semblance-testkey"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# OpenBLAS picks kernels by the model of the processor; this one runs on all that have AVX2.
ENVIRONMENT = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1")
ROWS, IMAGES = 1500, 400
SKIPPED = 77  # to ctest
MODEL = ["--model", "model.safetensors"]
SMALL_NETWORK = ["--steps", "30", "--batch", "100"]

# Name: the method's options. Sums of the first kind are counts.
COUNTED = {
    "auto": [],
    "pairs": ["--method", "pairs"],
    "pairs-add-remove": ["--method", "pairs", "--neighbours", "add-remove"],
    "forest": ["--method", "forest"],
    "marginals": ["--method", "marginals"],
    "marginals-pure": ["--method", "marginals", "--pure"],
}
SUMMED = {
    "merf": ["--method", "merf", "--features", "200", *SMALL_NETWORK],
    "hp": ["--method", "hp", *SMALL_NETWORK],
    "ron-gauss": ["--method", "ron-gauss"],
    "ron-gauss-pure": ["--method", "ron-gauss", "--pure"],
}
PERSON_METHODS = {
    "histories": [],
    "histories-add-remove": ["--neighbours", "add-remove"],
    "rows-of-persons": ["--histories", "off"],
}
IMAGE_METHODS = {
    "images-merf": ["--method", "merf", "--features", "200", *SMALL_NETWORK],
    "images-mepf": ["--method", "mepf", "--features", "200", "--steps", "4", "--batch", "40", "--early-stopping", "no"],
}


def machine():
    """Everything that floating-point bits depend on: the kernels that base/compute/variants.c chooses, the compiler, libm."""
    flags = set()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                flags = set(line.split())
                break
    except OSError:
        pass
    kernels = "avx512" if {"avx512f", "avx512dq", "avx512vl"} <= flags else "avx2" if {"avx2", "fma"} <= flags else "portable"
    return f"{platform.machine()}-{kernels} {COMPILER} {'-'.join(platform.libc_ver())}"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def release_hash(path):
    """Of plan and values; the header also names the ledger and the release by random ids."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    header = json.loads(data[16:16 + length])
    for name in ("ledger", "rid", "seq"):
        header.pop(name)
    return sha256(json.dumps(header, sort_keys=True).encode() + data[16 + length:-32])


def model_hash(path):
    """Of the tensors; the metadata holds the certificate, with its ids and times."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return sha256(json.dumps(header, sort_keys=True).encode() + data[8 + length:])


def hashes(folder, output):
    """The hash of everything that a run left, by what it is."""
    found = {}
    for path in sorted(folder.iterdir()):
        if ".release" in path.name:
            found["release" + path.name.partition(".release")[2]] = release_hash(path)
        elif path.name == "model.safetensors":
            found["model"] = model_hash(path)
    written = sorted(output.iterdir()) if output.is_dir() else [output]
    for path in written:
        if path.suffix == ".csv" or "ubyte" in path.name:
            found[path.name] = sha256(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    return found


def run(folder, source, options, output="out.csv", epsilon=1):
    """One job in a folder of its own, with a data set and so a ledger of its own."""
    folder.mkdir()
    for name, content in source.items():
        (folder / "data" / name).parent.mkdir(exist_ok=True)
        (folder / "data" / name).write_bytes(content)
    subprocess.run([PROGRAM, "synth", *options, "--epsilon", str(epsilon), "-o", output, "--quiet", "--seed", "5"], check=True, cwd=folder, env=ENVIRONMENT)
    return hashes(folder, folder / output)


def tool(name, *arguments):
    return subprocess.run([BUILD / "examples" / name, *map(str, arguments)], check=True, capture_output=True).stdout


def table_jobs(top):
    source = {"clinic.csv": tool("make_clinic", ROWS)}
    for name, options in {**COUNTED, **SUMMED}.items():
        yield name, run(top / name, source, ["data/clinic.csv", "--schema", EXAMPLES / "clinic.json", *MODEL, *options])
    yield "discovered", run(top / "discovered", source, ["data/clinic.csv"], epsilon=8)  # a smaller budget buys no schema


VISITS = {
    "fields": [
        {"name": "who", "type": "string"},
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}, "semblance": {"per": "unit"}},
        {"name": "day", "type": "integer", "constraints": {"required": True, "minimum": 0, "maximum": 365}},
        {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b", "c", "d"]}},
        {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 100}},
    ],
    "semblance": {"unit": "who", "order": "day", "max_rows_per_unit": 5},
}


def visits():
    """Persons with one to six rows, by a small generator of whole numbers."""
    state, lines = 7, ["who,sex,day,ward,cost"]

    def below(count):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % count

    for person in range(400):
        sex, day = "fm"[below(2)], below(200)
        for _ in range(1 + below(6)):
            day += below(30)
            lines.append(f"p{person},{sex},{day},{'abcd'[below(4)]},{below(10000) / 100}")
    return "\n".join(lines) + "\n"


def person_jobs(top):
    source = {"visits.csv": visits().encode(), "visits.json": json.dumps(VISITS).encode()}
    for name, options in PERSON_METHODS.items():
        yield name, run(top / name, source, ["data/visits.csv", "--schema", "data/visits.json", *MODEL, *options])


def linked_jobs(top):
    tool("make_bank", top, 300)
    source = {path.name: path.read_bytes() for path in top.glob("*.csv")}
    source["bank.json"] = (EXAMPLES / "bank.json").read_bytes()
    yield "linked", run(top / "linked", source, ["--package", "data/bank.json"], "tables")


def image_jobs(top):
    pair = top / "images.idx", top / "labels.idx"
    tool("make_images", IMAGES, 1, *pair)
    source = {path.name: path.read_bytes() for path in pair}
    for name, options in IMAGE_METHODS.items():
        places = ["--images", "data/images.idx", "--labels", "data/labels.idx"]
        yield name, run(top / name, source, [*places, *MODEL, *options], "images")


JOBS = (table_jobs, person_jobs, linked_jobs, image_jobs)


def measured():
    with tempfile.TemporaryDirectory() as folder:
        return {name: found for jobs in JOBS for name, found in jobs(Path(folder))}


def is_counted(job, part):
    """Its bits are integers, which the kind of processor does not change: first releases of counts; later ones follow from a model."""
    return part == "release" and job not in SUMMED and job not in IMAGE_METHODS


def divided(found):
    """By whether a hash holds on every processor of the architecture."""
    counted, this_one = {}, {}
    for job, parts in found.items():
        for part, value in parts.items():
            (counted if is_counted(job, part) else this_one)[f"{job} {part}"] = value
    return counted, this_one


def compare(frozen, found, where):
    differing = sorted(name for name in frozen.keys() | found.keys() if frozen.get(name) != found.get(name))
    for name in differing:
        print(f"{name} ({where}): {'is not frozen' if name not in frozen else 'has other bits' if name in found else 'is gone'}")
    return len(differing)


def main():
    frozen = json.loads(FROZEN.read_text()) if FROZEN.exists() else {}
    if "--freeze" not in sys.argv and platform.machine() not in frozen:
        print(f"no bits are frozen for {platform.machine()}")
        return SKIPPED
    counted, this_one = divided(measured())
    if "--freeze" in sys.argv:
        frozen[platform.machine()], frozen[machine()] = counted, this_one
        FROZEN.write_text(json.dumps(frozen, indent=1, sort_keys=True) + "\n")
        return 0
    failed = compare(frozen[platform.machine()], counted, platform.machine())
    if machine() in frozen:
        failed += compare(frozen[machine()], this_one, machine())
        compared = len(counted) + len(this_one)
    else:
        compared = len(counted)
        print(f"no bits are frozen for {machine()}: releases of counts alone were compared")
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
