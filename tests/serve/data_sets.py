"""Small data sets for tests of `semblance serve`, written with the standard library."""
import gzip
import os
import random
import struct
import zlib

SIDE = 12


def bars(count, classes=3, seed=1):
    """(label, rows of grey pixels): an upright bar, a level one, a diagonal, with noise."""
    draw = random.Random(seed)
    for i in range(count):
        label = i % classes
        rows = []
        for y in range(SIDE):
            on = [(label == 0 and 3 <= x <= 5) or (label == 1 and 3 <= y <= 5) or (label == 2 and abs(x - y) < 2) for x in range(SIDE)]
            rows.append(bytes(max(0, min(255, (220 if one else 20) + draw.randrange(-20, 20))) for one in on))
        yield label, rows


def write_idx(folder, count):
    """An IDX pair, the labels as gzip; the name of the images."""
    images = list(bars(count))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "train-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, SIDE, SIDE) + b"".join(b"".join(rows) for _, rows in images))
    with gzip.open(os.path.join(folder, "train-labels-idx1-ubyte.gz"), "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + bytes(label for label, _ in images))
    return "train-images-idx3-ubyte"


def png(rows):
    """Grey, 8 bits."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b"")


def write_pngs(folder, count):
    """A folder for each class."""
    for i, (label, rows) in enumerate(bars(count, classes=2)):
        place = os.path.join(folder, ("left", "right")[label])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{i:04}.png"), "wb") as file:
            file.write(png(rows))
