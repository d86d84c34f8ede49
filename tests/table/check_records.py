#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the reader divide a table into the records that Python's csv module finds, cells of any length
included?  check_records.py SHOW_ROWS

Each table has a text column, whose cells hold line ends, commas and quotes and lie beyond each limit of
the reader (its chunk, its longest record, zlib's window), around a column `a` that tells the rows apart.
"""
import csv
import gzip
import io
import random
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 30)
LIMIT = 1 << 20  # bytes of a record whose cells are read; longer ones have the constant
CONSTANT = "50"
LENGTHS = [0, 1, 1 << 10, (64 << 10) - 3, (256 << 10) - 1, 256 << 10, LIMIT - 8, LIMIT, LIMIT + 1,
           2 * LIMIT, 20 << 20]
PIECES = ["\n", "\r\n", "\r", '"', '""', ",", "99,x\n", '\n99,"', "x", " ", "\0", "plain text ", "é"]


def shown_by(program, paths):
    """Of each table its column `a`, or the reason why it was refused in words."""
    done = subprocess.run([program, *paths], capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def filler(chance, length):
    """Text of about that length, made of what the grammar cares for."""
    part = "".join(chance.choice(PIECES) for _ in range(min(length, 5000)))
    return (part * (length // max(len(part), 1) + 1))[:length]


def cell(chance, text):
    """By the standard: quoted where it must be, and elsewhere as one likes. Older versions of Python's
    csv.writer leave a lone CR unquoted."""
    if not any(c in text for c in '",\r\n') and chance.random() < 0.5:
        return text
    return '"' + text.replace('"', '""') + '"'


def conforming(chance, line_end, rows):
    """A table as a program writes it that quotes by the standard, and its column `a`."""
    lines, wanted = ["before,a,after" + line_end], []
    lengths = LENGTHS + [chance.randrange(200) for _ in range(rows)]
    chance.shuffle(lengths)
    for length in lengths:
        a = str(chance.choice([n for n in range(101) if str(n) != CONSTANT]))
        texts = [filler(chance, length), chance.choice(PIECES)]
        chance.shuffle(texts)
        line = ",".join(cell(chance, text) for text in (texts[0], a, texts[1])) + line_end
        lines.append(line)
        # A CR before the line feed counts as the record's.
        wanted.append(a if len(line.encode()) - 1 <= LIMIT else CONSTANT)
    return "".join(lines), wanted


def careless(chance):
    """A table with quotes in all the wrong places; its rows as Python's csv module divides it. No lone
    CR, which Python takes for a line end, and no NUL, which its older versions refuse."""
    pieces = ["\n", "\r\n", '"', '"', '""', ",", ",", "7", "x", " "]
    text = "a,b\n" + "".join(chance.choice(pieces) for _ in range(chance.randrange(400)))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=False))[1:]
        # The csv module takes a file that ends inside a quoted cell; strictly it does not.
        open_end = ends_inside(text)
    except csv.Error:
        return None
    return text, None if open_end else len(rows)


def ends_inside(text):
    """With a letter put behind it, does the last record grow by a letter and a line end?"""
    probe = list(csv.reader(io.StringIO(text + "\nz\n", newline="")))
    return bool(probe) and probe[-1] != ["z"]


def check(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: got {len(got)} rows, expected {len(wanted)}, or the same number with other values")


def check_conforming(program, folder, chance, line_end):
    text, wanted = conforming(chance, line_end, 300)
    data = text.encode()
    reference = csv.reader(io.StringIO(text.replace("\0", "0"), newline=""))
    assert sum(1 for _ in reference) == len(wanted) + 1
    paths = [f"{folder}/t.csv", f"{folder}/t.csv.gz"]
    with open(paths[0], "wb") as file:
        file.write(data)
    with open(paths[1], "wb") as file:
        # Members may end anywhere, inside a quoted cell too.
        cuts = sorted(chance.randrange(len(data)) for _ in range(5))
        for start, end in zip([0] + cuts, cuts + [len(data)]):
            file.write(gzip.compress(data[start:end], 1))
    for path, got in zip(paths, shown_by(program, paths)):
        check(path, got, wanted)


def check_careless(program, folder, chance):
    made = [table for table in (careless(chance) for _ in range(400)) if table is not None]
    paths = [f"{folder}/{number}.csv" for number in range(len(made))]
    for path, (text, _) in zip(paths, made):
        with open(path, "wb") as file:
            file.write(text.encode())
    refused = 0
    for path, (text, rows), got in zip(paths, made, shown_by(program, paths)):
        open_end = "ends inside a quoted cell" in " ".join(got)
        refused += open_end
        if open_end != (rows is None) or (not open_end and len(got) != rows):
            sys.exit(f"{text!r}: got {len(got)} rows, expected {rows} (None: refused)")
    assert 50 < refused < 350, refused


def main(program):
    chance = random.Random(4180)
    with tempfile.TemporaryDirectory() as folder:
        for line_end in "\n", "\r\n":
            check_conforming(program, folder, chance, line_end)
        check_careless(program, folder, chance)


main(sys.argv[1])
