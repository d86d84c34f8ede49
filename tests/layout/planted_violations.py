#!/usr/bin/env python3
"""The layer check finds what it must: violations are planted in a copy of the tree, one at a time.

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
    ("direct_include_of_a_forbidden_folder",
     {"src/table/planted.h": "", "src/train/planted.c": '\n#include "table/planted.h"\n'},
     "src/train/planted.c:2:", "train may not include table"),
    ("transitive_include_through_an_allowed_header",
     {"src/noise/planted.h": "", "src/privatise/planted.h": '#include "noise/planted.h"\n',
      "src/pipeline/planted.c": '#include "privatise/planted.h"\n'},
     "src/pipeline/planted.c:1:", "pipeline may not include noise"),
    ("noise_included_outside_the_door",
     {"src/noise/planted.h": "", "src/accumulate/planted.c": '#include "noise/planted.h"\n'},
     "src/accumulate/planted.c:1:", "accumulate may not include noise"),
    ("device_in_the_private_pass",
     {"src/device/planted.h": "", "src/features/planted.c": '#include "device/planted.h"\n'},
     "src/features/planted.c:1:", "features may not include device"),
    ("core_includes_evaluation",
     {"src/report/planted.h": "", "src/api/planted.c": '#include "report/planted.h"\n'},
     "src/api/planted.c:1:", "api may not include report"),
    ("program_includes_a_private_header",
     {"src/base/planted.h": "", "cli/planted.c": '#include <stdio.h>\n#include "base/planted.h"\n'},
     "cli/planted.c:2:", "public headers only"),
    ("program_includes_a_private_header_by_relative_path",
     {"src/base/planted.h": "", "cli/planted.c": '#include "../src/base/planted.h"\n'},
     "cli/planted.c:1:", "public headers only"),
    ("example_includes_a_private_header",
     {"src/base/planted.h": "", "examples/planted.c": "#include <base/planted.h>\n"},
     "examples/planted.c:1:", "public headers only"),
    ("private_header_in_angle_brackets",
     {"src/noise/planted.h": "", "src/base/planted.c": "#include <noise/planted.h>\n"},
     "src/base/planted.c:1:", "base may not include noise"),
    ("folder_that_is_not_in_the_table",
     {"src/shortcut/planted.c": "int planted;\n"},
     "src/shortcut/planted.c:1:", "not in the layer table"),
    ("source_outside_every_folder",
     {"src/planted.c": "int planted;\n"},
     "src/planted.c:1:", "outside every folder"),
    ("public_header_includes_a_private_one",
     {"src/base/planted.h": "", "include/semblance/status.h": '#include "base/planted.h"\n'},
     "include/semblance/status.h:1:", "public headers only"),
    ("public_header_without_an_owner",
     {"include/semblance/planted.h": "\n"},
     "include/semblance/planted.h:1:", "not in the table of public headers"),
    ("public_header_of_a_forbidden_folder",
     {"src/random/planted.c": '#include "semblance/account.h"\n'},
     "src/random/planted.c:1:", "random may not include account"),
    ("include_hidden_behind_a_macro",
     {"src/train/planted.c": '#define WHERE "accumulate/sum.h"\n#include WHERE\n'},
     "src/train/planted.c:2:", "must name its file"),
    ("include_split_over_two_lines_after_a_comment",
     {"src/noise/planted.h": "", "src/train/planted.c": '/* two\n * lines */\n# include \\\n  /**/ "noise/planted.h"\n'},
     "src/train/planted.c:3:", "train may not include noise"),
    ("include_that_is_only_a_comment_is_not_reported",
     {"src/noise/planted.h": "", "src/train/planted.c": '/*\n#include "noise/planted.h"\n*/\n// #include "noise/planted.h"\n'},
     None, None),
    ("allowed_include_is_not_reported",
     {"src/model/planted.h": "", "src/train/planted.c": '#include "model/planted.h"\n#include <stdio.h>\n'},
     None, None),
]

# name, old text of the table, new text, the words of the refusal
TABLE_CASES = [
    ("table_that_opens_noise_to_the_pipeline", "| pipeline | base", "| pipeline | base noise", "only privatise may"),
    ("table_that_shows_records_to_training", "| train | base", "| train | base accumulate",
     "post-processing"),
    ("table_that_shows_evaluation_to_the_core", "| api | base", "| api | base report", "of the core"),
    ("table_that_names_an_unknown_folder", "| noise | base store account ledger |", "| noise | base store acount ledger |", "has no row"),
    ("table_that_is_gone", "| folder | may include |", "| folder | may call |", "no table"),
]


def run(copy, *more):
    result = subprocess.run([sys.executable, str(CHECK), str(copy), *more], capture_output=True, text=True)
    return result.returncode, [line for line in result.stdout.splitlines() if ":" in line]


def copy_tree(parent):
    copy = Path(parent) / "copy"
    for folder in ("src", "cli", "examples", "include"):
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
    """A function of noise that train declares by hand is found in the objects."""
    build = Path(parent) / "build"
    for folder, text in (("noise", "int sbl_planted(void) { return 1; }\n"),
                         ("train", "int sbl_planted(void);\nint sbl_user(void) { return sbl_planted(); }\n")):
        objects = build / "src" / folder / "CMakeFiles" / f"sbl_{folder}.dir"
        objects.mkdir(parents=True)
        source = copy / "src" / folder / "planted.c"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text)
        subprocess.run([COMPILER, "-c", str(source), "-o", str(objects / "planted.c.o")], check=True)
    status, lines = run(copy, "--objects", str(build))
    found = any("train may not use 'sbl_planted' of noise" in line for line in lines)
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
