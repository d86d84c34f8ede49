#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials keeps the rules of CycloneDX 1.5, is the same bytes each time, and lists every library that the sources open.

    sbom_test.py ROOT              make one and hold it
    sbom_test.py ROOT --planted    break one in several ways, each of which must be found
    sbom_test.py ROOT FILE         hold a file
"""
import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TYPES = {"application", "framework", "library", "container", "platform", "operating-system", "device", "device-driver", "firmware", "file",
         "machine-learning-model", "data"}
KEYS = {"type", "mime-type", "bom-ref", "supplier", "author", "publisher", "group", "name", "version", "description", "scope", "hashes", "licenses", "copyright",
        "cpe", "purl", "swid", "pedigree", "externalReferences", "components", "evidence", "releaseNotes", "modelCard", "data", "properties", "signature"}
TOP = {"$schema", "bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "services", "externalReferences", "dependencies",
       "compositions", "vulnerabilities", "annotations", "formulation", "properties", "signature"}
PURL = re.compile(r"pkg:[a-z][a-z0-9.+-]*/([^@?#]+/)?[^/@?#]+(@[^?#]+)?(\?[^#]+)?(#.+)?")


def broken(bill):
    """The rules of the schema that a document breaks."""
    if (bill.get("bomFormat"), bill.get("specVersion")) != ("CycloneDX", "1.5") or not set(bill) <= TOP:
        yield "not a CycloneDX 1.5 document"
    if not re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill.get("serialNumber", "")):
        yield "the serial number is not a UUID"
    if not isinstance(bill.get("version"), int) or bill["version"] < 1:
        yield "the version of the document is not a positive integer"
    metadata = bill.get("metadata", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata.get("timestamp", "")):
        yield "the time is not one of ISO 8601"
    parts = [metadata.get("component", {}), *bill.get("components", [])]
    references = [part.get("bom-ref") for part in parts]
    if len(set(references)) != len(references) or None in references:
        yield "references are not unique"
    for part in parts:
        name = part.get("bom-ref")
        if part.get("type") not in TYPES or not part.get("name") or not set(part) <= KEYS:
            yield f"{name}: type, name or a key is not of the schema"
        if part.get("scope", "required") not in ("required", "optional", "excluded"):
            yield f"{name}: unknown scope"
        if "purl" in part and not PURL.fullmatch(part["purl"]):
            yield f"{name}: not a package URL"
        for entry in part.get("hashes", []):
            if entry.get("alg") != "SHA-256" or not re.fullmatch("[0-9a-f]{64}", entry.get("content", "")):
                yield f"{name}: not a SHA-256"
        for entry in part.get("licenses", []):
            if set(entry) != {"license"} or not re.fullmatch(r"[A-Za-z0-9.+-]+", entry["license"].get("id", "")):
                yield f"{name}: not an SPDX licence"
        for entry in part.get("properties", []):
            if set(entry) != {"name", "value"} or not all(isinstance(value, str) for value in entry.values()):
                yield f"{name}: a property is not a name and a value"
    for entry in bill.get("dependencies", []):
        if entry.get("ref") not in references or not set(entry.get("dependsOn", [])) <= set(references):
            yield "a dependency refers to nothing"
    if not bill.get("dependencies") or len(references) < 5:
        yield "nothing is listed"


def opened():
    """Libraries of others that the sources open, by name without numbers."""
    found = set()
    for folder in ("src", "plugins", "serve", "cli"):
        for path in (ROOT / folder).rglob("*.[ch]"):
            found |= set(re.findall(r'"(lib[a-z_0-9-]+)\.so[.\d]*"', path.read_text()))
    # Those whose names the build finds.
    found |= set(re.findall(r"NAMES (lib[a-z_0-9-]+)\.so", (ROOT / "cmake/SblDependencies.cmake").read_text()))
    return {name for name in found if not name.startswith("libsemblance")}


def make(folder, name):
    file = Path(folder) / name
    subprocess.run([sys.executable, ROOT / "tools/sbom.py", file, "0123abcd", "1700000000", "--hash", ROOT / "LICENSE"], check=True)
    return file.read_bytes()


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = make(folder, "one")
        same = text == make(folder, "two")
    if "--planted" in sys.argv:
        failed = 0
        for change in (lambda b: b.pop("serialNumber"), lambda b: b["components"][0].update(type="thing"), lambda b: b["components"][0].update(other=1),
                       lambda b: b["components"].append(b["components"][0]), lambda b: b["components"][0].pop("name"),
                       lambda b: b["dependencies"][0]["dependsOn"].append("none"), lambda b: b["components"][0].update(purl="openssl"),
                       lambda b: b["components"][0].update(hashes=[{"alg": "SHA-256", "content": "12"}]), lambda b: b.update(dependencies=[])):
            bill = copy.deepcopy(json.loads(text))
            change(bill)
            if not list(broken(bill)):
                print("a broken document was not noticed")
                failed = 1
        return failed
    given = len(sys.argv) > 2
    bill = json.loads(Path(sys.argv[2]).read_text() if given else text)
    problems = list(broken(bill))
    listed = " ".join(part.get("description", "") for part in bill["components"])
    problems += [f"{name}.so is opened by the sources and is not in LOADED of tools/sbom.py" for name in sorted(opened()) if f"{name}.so" not in listed]
    if len(opened()) < 5:
        problems.append("nothing was found that is opened: the test itself is broken")
    if not same:
        problems.append("two runs give two documents")
    for problem in problems:
        print(problem)
    print(f"{len(bill['components'])} components")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
