#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The software bill of materials of a release, as CycloneDX 1.5 in JSON: what is linked, loaded and embedded.

    tools/sbom.py FILE COMMIT TIME [--static NINJA] [--dynamic NAME=FOLDER[@LIBRARIES]]... [--hash FILE]...

--static    the build.ninja that linked the program of one file: its static libraries
--dynamic   a folder with programs and libraries, such as an unpacked package or wheel: what each of them needs; what lies in the folder
            itself counts as part of it. LIBRARIES: the list of another processor's libraries that tools/sysroot.sh writes
--hash      a file of the release

Libraries are those of Debian on this machine (dpkg). What is opened at run time is in LOADED, and what is built into the program in EMBEDDED. The same
input gives the same bytes. TIME is in seconds since 1970.
"""
import argparse
import datetime
import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMESPACE = uuid.UUID("3f1c7a52-9d0b-5e7a-8f3e-6b1f0a4c9d21")
# Opened at run time where they are: name, file name, source that names it, licence, what for.
LOADED = [
    ("openblas", "libopenblas.so", "src/base/compute/lapack.c", "BSD-3-Clause", "--method ron-gauss"),
    ("liblinear", "liblinear.so", "cmake/SblDependencies.cmake", "BSD-3-Clause", "linear models of evaluate"),
    ("xgboost", "libxgboost.so", "src/owner/learners/boosted_trees.c", "Apache-2.0", "trees of evaluate"),
    ("readstat", "libreadstat.so", "cmake/SblDependencies.cmake", "MIT", "files of SPSS, Stata and SAS"),
    ("duckdb", "libduckdb.so", "src/base/duckdb/duckdb_library.c", "MIT", "Parquet and DuckDB files"),
    ("sqlite3", "libsqlite3.so", "src/records/formats/sqlite_format.c", "blessing", "SQLite files"),
    ("adbc-driver-postgresql", "libadbc_driver_postgresql.so", "src/records/formats/adbc_format.c", "Apache-2.0", "PostgreSQL servers"),
    ("cuda-driver", "libcuda.so", "plugins/cuda/cuda_api.c", None, "training on a graphics card; NVIDIA's terms"),
    ("cublas", "libcublas.so", "plugins/cuda/cuda_api.c", None, "training on a graphics card; NVIDIA's terms"),
    ("nvrtc", "libnvrtc.so", "plugins/cuda/cuda_api.c", None, "training on a graphics card; NVIDIA's terms"),
]
# Built into the program and the libraries, from files of the sources.
EMBEDDED = [
    ("encoder-vgg-s", "src/base/encoder/vgg-s.safetensors", "weights of the built-in encoder of images"),
    ("page-of-serve", "serve/page", "the page of semblance serve"),
]
SYSTEM = re.compile(r"^(ld-linux|libc\.so|libm\.so|libpthread|libdl|librt)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version():
    return re.search(r"^project\(semblance VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), flags=re.M).group(1)


def sha256(path):
    """Of a file, or of the names and bytes of a folder's files."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            total.update(f"{file.relative_to(path)}\0{sha256(file)}\n".encode())
    return total.hexdigest()


def pinned(name):
    """The version that tools/engines.sh fetches and tests use."""
    text = (ROOT / "tools/engines.sh").read_text()
    found = re.search({"duckdb": r"^version=(\S+)", "adbc-driver-postgresql": r"^driver_version=(\S+)"}.get(name, r"(?!)"), text, flags=re.M)
    return found.group(1) if found else None


class Bill:
    def __init__(self):
        self.parts = {}

    def add(self, reference, name, how, where, **more):
        part = self.parts.setdefault(reference, {"type": "library", "bom-ref": reference, "name": name, "properties": []})
        part.update({key: value for key, value in more.items() if value is not None})
        for key, value in (("semblance:how", how), ("semblance:in", where)):
            entry = {"name": key, "value": value}
            if entry not in part["properties"]:
                part["properties"].append(entry)

    def debian(self, file, how, where):
        """The Debian package of a library of this machine."""
        names = {str(file), str(Path(file).resolve())}
        names |= {name.removeprefix("/usr") for name in names} | {"/usr" + name for name in names}
        for name in sorted(names):
            found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if found.returncode == 0:
                break
        else:
            raise SystemExit(f"sbom: {file} is in no package: where is it from?")
        package = found.stdout.split(": ")[0].split(",")[0].split(":")[0]
        number, source, architecture = output("dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Architecture}\n", package).splitlines()[0].split("\t")
        purl = f"pkg:deb/debian/{package}@{number.replace(':', '%3A').replace('+', '%2B')}?arch={architecture}&distro=debian-12"
        self.add(purl, source, how, where, version=number, purl=purl, scope="required")

    def foreign(self, about, how, where):
        """The Debian package of a library of another processor, from a line of its list."""
        package, source, number, architecture = about
        purl = f"pkg:deb/debian/{package}@{number.replace(':', '%3A').replace('+', '%2B')}?arch={architecture}&distro=debian-12"
        self.add(purl, source, how, where, version=number, purl=purl, scope="required")

    def loaded(self):
        for name, file, source, licence, purpose in LOADED:
            # The sources name the file; CMake finds that of a library whose header the build needs.
            if file.split(".so")[0] not in (ROOT / source).read_text():
                raise SystemExit(f"sbom: {source} does not open {file}: correct LOADED")
            self.add(f"loaded:{name}", name, "loaded", "run time", version=pinned(name), scope="optional", description=f"{file}: {purpose}",
                     licenses=[{"license": {"id": licence}}] if licence else None)

    def embedded(self):
        for name, place, purpose in EMBEDDED:
            self.add(f"embedded:{name}", name, "embedded", "program and libraries", type="data" if "weights" in purpose else "library", scope="required",
                     version=version(), description=f"{place}: {purpose}", hashes=[{"alg": "SHA-256", "content": sha256(ROOT / place)}],
                     licenses=[{"license": {"id": "Apache-2.0"}}])

    def static(self, ninja):
        """The archives on the line that links the program."""
        line = re.search(r"^build semblance: C_EXECUTABLE_LINKER.*?\n(?:  .*\n)*", Path(ninja).read_text(), flags=re.M).group(0)
        archives = set(re.findall(r"(?<!\S)/\S+\.a\b", re.search(r"^  LINK_LIBRARIES = (.*)$", line, flags=re.M).group(1)))
        for archive in sorted(archives):
            if archive.endswith("libmicrohttpd.a"):
                text = (ROOT / "tools/static.sh").read_text()
                number = re.search(r"^name=libmicrohttpd_([\d.]+)\.orig", text, flags=re.M).group(1)
                total = re.search(r"^sum=(\w+)", text, flags=re.M).group(1)
                self.add("static:libmicrohttpd", "libmicrohttpd", "linked", "static program", version=number, scope="required",
                         purl=f"pkg:generic/libmicrohttpd@{number}", licenses=[{"license": {"id": "LGPL-2.1-or-later"}}],
                         description=f"without TLS, from Debian's source archive of SHA-256 {total}")
            else:
                self.debian(archive, "linked", "static program")
        for name in ("libc.a", "libgfortran.a", "libstdc++.a", "libquadmath.a", "libgcc.a", "libgomp.a"):
            self.debian(output("gcc", f"-print-file-name={name}").strip(), "linked", "static program")

    def dynamic(self, name, folder):
        """What programs and libraries below a folder need."""
        folder, _, listed = folder.partition("@")
        if listed:
            self.dynamic_foreign(name, folder, [line.split("\t") for line in Path(listed).read_text().splitlines()])
            return
        files = [file for file in sorted(Path(folder).rglob("*")) if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]
        own = {file.name for file in files}
        known = dict(re.findall(r"^\s*(\S+) \(.*(?:x86-64|AArch64).*\) => (\S+)$", output("/sbin/ldconfig", "-p"), flags=re.M))
        needed = set()
        for file in files:
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*?)\]", output("readelf", "-d", str(file))))
            # auditwheel puts libraries of others into the wheel, as NAME-HASH.so.N
            grafted = re.fullmatch(r"(lib.+?)-[0-9a-f]{8}(\.so.*)", file.name)
            if grafted:
                plain = [path for so, path in known.items() if so.split(".so")[0] == grafted.group(1) and ".so." in so and Path(path).exists()]
                if not plain:
                    plain = [str(path) for path in Path("/usr/lib").rglob(f"{grafted.group(1)}{grafted.group(2)[:3]}*")]
                if not plain:
                    raise SystemExit(f"sbom: {file.name} of {name} is from an unknown library")
                self.debian(sorted(plain)[0], "embedded", name)
        for library in sorted(needed - own):
            if library.startswith("libsemblance"):
                continue
            if library not in known:
                raise SystemExit(f"sbom: {name} needs {library}, which is not on this machine")
            self.debian(known[library], "linked", name)

    def dynamic_foreign(self, name, folder, listed):
        """The same for another processor, whose libraries are listed: name, package, source, version, architecture."""
        known = {so: about for so, *about in sorted(listed, key=lambda line: not line[1].endswith("-dev"))}
        files = [file for file in sorted(Path(folder).rglob("*")) if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]
        own = {file.name for file in files}
        for file in files:
            grafted = re.fullmatch(r"(lib.+?)-[0-9a-f]{8}(\.so.*)", file.name)
            if grafted:
                plain = sorted(so for so in known if so.startswith(grafted.group(1) + ".so"))
                if not plain:
                    raise SystemExit(f"sbom: {file.name} of {name} is from an unknown library")
                self.foreign(known[plain[0]], "embedded", name)
            for library in re.findall(r"\(NEEDED\).*\[(.*?)\]", output("readelf", "-d", str(file))):
                if library in own or library.startswith("libsemblance"):
                    continue
                if library not in known:
                    raise SystemExit(f"sbom: {name} needs {library}, which is not in the list")
                self.foreign(known[library], "linked", name)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("commit")
    options.add_argument("time", type=int)
    options.add_argument("--static")
    options.add_argument("--dynamic", action="append", default=[])
    options.add_argument("--hash", action="append", default=[])
    given = options.parse_args()
    bill = Bill()
    bill.loaded()
    bill.embedded()
    if given.static:
        bill.static(given.static)
    for entry in given.dynamic:
        bill.dynamic(*entry.split("=", 1))
    root = f"pkg:generic/semblance@{version()}"
    files = [{"type": "file", "bom-ref": f"file:{Path(name).name}", "name": Path(name).name, "hashes": [{"alg": "SHA-256", "content": sha256(Path(name))}]}
             for name in sorted(given.hash)]
    parts = sorted(bill.parts.values(), key=lambda part: part["bom-ref"])
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, version() + given.commit)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(given.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "tools": {"components": [{"type": "application", "name": "tools/sbom.py", "version": version()}]},
            "component": {"type": "application", "bom-ref": root, "name": "semblance", "version": version(), "purl": root,
                          "licenses": [{"license": {"id": "Apache-2.0"}}],
                          "properties": [{"name": "semblance:commit", "value": given.commit}]},
        },
        "components": files + parts,
        "dependencies": [{"ref": root, "dependsOn": sorted(part["bom-ref"] for part in files + parts)}],
    }
    Path(given.file).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
