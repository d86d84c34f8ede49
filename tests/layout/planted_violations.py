#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of zones finds what it must: violations are planted in a copy of the tree, one at a time.

    planted_violations.py ROOT CC
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2]
CHECK = ROOT / "tools" / "check_layers.py"
TABLE = "docs/ARCHITECTURE.md"

# name, {file: text} to plant, the file:line and the words that must be reported (None: nothing new)
CASES = [
    ("post_processing_that_includes_a_record",
     {"src/records/rows/planted.h": "", "src/after/train/planted.c": '\n#include "records/rows/planted.h"\n'},
     "src/after/train/planted.c:2:", "after/train may not include records/rows"),
    ("post_processing_that_includes_a_ledger",
     {"src/door/ledger/planted.h": "", "src/after/model/planted.c": '#include "door/ledger/planted.h"\n'},
     "src/after/model/planted.c:1:", "after/model may not include door/ledger"),
    ("release_that_would_show_a_record_to_post_processing",
     {"src/records/rows/planted.h": "", "src/door/release/planted.h": '#include "records/rows/planted.h"\n'},
     "src/door/release/planted.h:1:", "door/release may not include records/rows"),
    ("public_facts_that_include_a_record",
     {"src/records/source/planted.h": "", "src/public/plan/planted.c": '#include "records/source/planted.h"\n'},
     "src/public/plan/planted.c:1:", "public/plan may not include records/source"),
    ("records_that_include_a_release",
     {"src/door/privatise/planted.h": "", "src/records/source/planted.c": '#include "door/privatise/planted.h"\n'},
     "src/records/source/planted.c:1:", "records/source may not include door/privatise"),
    ("feature_that_includes_a_loss",
     {"src/after/losses/planted.h": "", "src/records/features/planted.c": '#include "after/losses/planted.h"\n'},
     "src/records/features/planted.c:1:", "records/features may not include after/losses"),
    ("base_that_includes_a_schema",
     {"src/public/schema/planted.h": "", "src/base/planted.c": '#include "public/schema/planted.h"\n'},
     "src/base/planted.c:1:", "base may not include public/schema"),
    ("noise_outside_the_release_step",
     {"src/door/noise/planted.h": "", "src/run/pipeline/planted.c": '#include "door/noise/planted.h"\n'},
     "src/run/pipeline/planted.c:1:", "run/pipeline may not include door/noise"),
    ("noise_in_the_ledger",
     {"src/door/noise/planted.h": "", "src/door/ledger/planted.c": '#include "door/noise/planted.h"\n'},
     "src/door/ledger/planted.c:1:", "door/ledger may not include door/noise"),
    ("device_in_the_private_pass",
     {"src/base/device/planted.h": "", "src/records/features/planted.c": '#include "base/device/planted.h"\n'},
     "src/records/features/planted.c:1:", "records/features may not include base/device"),
    ("run_that_includes_what_is_for_the_owner",
     {"src/owner/report/planted.h": "", "src/run/api/planted.c": '#include "owner/report/planted.h"\n'},
     "src/run/api/planted.c:1:", "run/api may not include owner/report"),
    ("reader_that_includes_inspection",
     {"src/owner/inspect/planted.h": "", "src/records/formats/planted.c": '#include "owner/inspect/planted.h"\n'},
     "src/records/formats/planted.c:1:", "records/formats may not include owner/inspect"),
    ("plug_in_that_includes_a_record",
     {"src/records/rows/planted.h": "", "plugins/cuda/planted.c": '#include "records/rows/planted.h"\n'},
     "plugins/cuda/planted.c:1:", "a plug-in may include base"),
    ("library_that_includes_a_plug_in",
     {"plugins/cuda/planted.h": "", "src/run/methods/planted.c": '#include "cuda/planted.h"\n'},
     "src/run/methods/planted.c:1:", "may not include plugins/"),
    ("program_includes_a_private_header",
     {"src/base/planted.h": "", "cli/planted.c": '#include <stdio.h>\n#include "base/planted.h"\n'},
     "cli/planted.c:2:", "public headers only"),
    ("page_includes_a_private_header_by_relative_path",
     {"src/base/planted.h": "", "serve/planted.c": '#include "../src/base/planted.h"\n'},
     "serve/planted.c:1:", "public headers only"),
    ("example_includes_a_private_header",
     {"src/base/planted.h": "", "examples/planted.c": "#include <base/planted.h>\n"},
     "examples/planted.c:1:", "public headers only"),
    ("private_header_in_angle_brackets",
     {"src/door/noise/planted.h": "", "src/base/planted.c": "#include <door/noise/planted.h>\n"},
     "src/base/planted.c:1:", "base may not include door/noise"),
    ("folder_in_no_zone",
     {"src/shortcut/planted.c": "int planted;\n"},
     "src/shortcut/planted.c:1:", "in no zone"),
    ("source_outside_every_folder",
     {"src/planted.c": "int planted;\n"},
     "src/planted.c:1:", "outside every folder"),
    ("folders_that_include_each_other",
     {"src/after/forest/planted.h": "", "src/after/pairs/planted.c": '#include "after/forest/planted.h"\n'},
     "src/after/pairs/planted.c:1:", "in a circle of folders: after/forest, after/pairs"),
    ("program_that_includes_the_page",
     {"serve/planted.h": "", "cli/planted.c": '#include "serve/planted.h"\n'},
     "cli/planted.c:1:", "public headers only"),
    ("public_header_includes_a_private_one",
     {"src/base/planted.h": "", "include/semblance/status.h": '#include "base/planted.h"\n'},
     "include/semblance/status.h:1:", "public headers only"),
    ("public_header_without_an_owner",
     {"include/semblance/planted.h": "\n"},
     "include/semblance/planted.h:1:", "not in the table of public headers"),
    ("public_header_of_a_forbidden_zone",
     {"src/base/random/planted.c": '#include "semblance/account.h"\n'},
     "src/base/random/planted.c:1:", "base/random may not include public/account"),
    ("include_hidden_behind_a_macro",
     {"src/after/train/planted.c": '#define WHERE "records/accumulate/sum.h"\n#include WHERE\n'},
     "src/after/train/planted.c:2:", "must name its file"),
    ("include_split_over_two_lines_after_a_comment",
     {"src/door/noise/planted.h": "",
      "src/after/train/planted.c": '/* two\n * lines */\n# include \\\n  /**/ "door/noise/planted.h"\n'},
     "src/after/train/planted.c:3:", "after/train may not include door/noise"),
    ("include_that_is_only_a_comment_is_not_reported",
     {"src/door/noise/planted.h": "",
      "src/after/train/planted.c": '/*\n#include "door/noise/planted.h"\n*/\n// #include "door/noise/planted.h"\n'},
     None, None),
    ("allowed_include_is_not_reported",
     {"src/after/model/planted.h": "", "src/after/train/planted.c": '#include "after/model/planted.h"\n#include <stdio.h>\n'},
     None, None),
]

# name, old text of the table, new text, the words of the refusal
TABLE_CASES = [
    ("table_that_names_an_unknown_zone", "| account.h | public/account |", "| account.h | accounts |", "in no zone"),
    ("table_that_is_gone", "| public header | owned by |", "| public header | belongs to |", "no table"),
]


def run(copy, *more):
    result = subprocess.run([sys.executable, str(CHECK), str(copy), *more], capture_output=True, text=True)
    return result.returncode, [line for line in result.stdout.splitlines() if ":" in line]


def copy_tree(parent):
    copy = Path(parent) / "copy"
    for folder in ("src", "plugins", "cli", "serve", "examples", "include"):
        shutil.copytree(ROOT / folder, copy / folder)
    (copy / "docs").mkdir()
    shutil.copy(ROOT / TABLE, copy / TABLE)
    return copy


def verdict(name, passed, told):
    print(f"{'ok    ' if passed else 'FAILED'} {name}")
    if not passed:
        print("       reported:", *(told or ["nothing"]), sep="\n         ")
    return passed


def check_case(copy, before, name, files, where, words):
    saved = {}
    for file, text in files.items():
        path = copy / file
        saved[path] = path.read_bytes() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + (saved[path].decode() if saved[path] else ""))
    status, lines = run(copy)
    new = [line for line in lines if line not in before]
    for path, old in saved.items():
        if old is None:
            path.unlink()
        else:
            path.write_bytes(old)
    shutil.rmtree(copy / "src" / "shortcut", ignore_errors=True)
    if where is None:
        return verdict(name, not new, new)
    return verdict(name, status == 1 and any(line.startswith(where) and words in line for line in new), new)


def check_table_case(copy, name, old, new, words):
    table = copy / TABLE
    text = table.read_text()
    table.write_text(text.replace(old, new))
    status, lines = run(copy)
    table.write_text(text)
    return verdict(name, old in text and status == 1 and any(words in line for line in lines), lines)


def check_objects_case(copy, parent):
    """A function of the noise that training declares by hand is found in the objects."""
    build = Path(parent) / "build"
    for folder, text in (("door/noise", "int sbl_planted(void) { return 1; }\n"),
                         ("after/train", "int sbl_planted(void);\nint sbl_user(void) { return sbl_planted(); }\n")):
        objects = build / "src" / folder / "CMakeFiles" / f"sbl_{Path(folder).name}.dir"
        objects.mkdir(parents=True)
        source = copy / "src" / folder / "planted.c"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text)
        subprocess.run([COMPILER, "-c", str(source), "-o", str(objects / "planted.c.o")], check=True)
    status, lines = run(copy, "--objects", str(build))
    found = any("after/train may not use 'sbl_planted' of door/noise" in line for line in lines)
    return verdict("function_declared_by_hand_is_found_in_the_objects", status == 1 and found, lines)


def main():
    with tempfile.TemporaryDirectory() as parent:
        copy = copy_tree(parent)
        before = run(copy)[1]
        results = [check_case(copy, before, *case) for case in CASES]
        results += [check_table_case(copy, *case) for case in TABLE_CASES]
        results.append(check_objects_case(copy, parent))
    print(f"{results.count(True)} of {len(results)} as expected")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
