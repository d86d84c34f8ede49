"""Make the seeds of the image targets anew: python3 tests/fuzz/corpus/make_images.py"""
import gzip
import struct
import zlib
from pathlib import Path

HERE = Path(__file__).parent


def save(target, name, data):
    folder = HERE / f"fuzz_image_{target}"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)


def idx(sizes, values):
    return bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes) + bytes(values)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, extra=b"", interlace=0):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def pair(flags, labels, images):
    return bytes([flags, len(labels) & 255, len(labels) >> 8]) + labels + images


def gz(data):
    return gzip.compress(data, mtime=0)


def make_idx():
    images, labels = idx([3, 2, 2], range(12)), idx([3], [0, 1, 200])
    save("idx", "pair", pair(1, labels, images))
    save("idx", "pair_gzip", pair(5, gz(labels), gz(images)))
    save("idx", "unlabelled", pair(0, b"", images))
    save("idx", "colour", pair(0, b"", idx([1, 2, 2, 3], range(12))))
    save("idx", "cut", pair(1, labels[:-1], images[:-3]))
    save("idx", "long", pair(0, b"", gz(images + b"tail")))
    save("idx", "counts", pair(1, idx([2], [0, 1]), images))
    save("idx", "huge", pair(0, b"", idx([2**32 - 1, 128, 128], range(9))))
    save("idx", "sides", pair(0, b"", idx([1, 129, 0], [])))
    save("idx", "empty", pair(1, idx([0], []), idx([0, 2, 2], [])))
    save("idx", "empty_long", pair(5, gz(idx([0], [])), gz(idx([0, 2, 2], [1]))))
    save("idx", "members", pair(0, b"", gz(images[:17]) + gz(images[17:])))


def make_cifar():
    save("cifar", "ten", bytes([0, 2, 0]) + bytes(range(50)))
    save("cifar", "hundred", bytes([2, 1, 1]) + bytes(range(99)))
    save("cifar", "coarse", bytes([80, 1, 1]) + bytes(range(99)))
    save("cifar", "odd", bytes([0, 1, 3, 7]))
    save("cifar", "empty", bytes([0, 0, 0, 7]))
    save("cifar", "gzip", bytes([1, 0, 0]) + gz(bytes(3073)))
    save("cifar", "gzip_hundred", bytes([3, 0, 0]) + gz(bytes(3074 * 2)))
    save("cifar", "gzip_cut", bytes([1, 0, 0]) + gz(bytes(3073))[:-3])
    save("cifar", "not_gzip", bytes([1, 0, 0]) + b"plain")
    save("cifar", "looks_like_gzip", bytes([0, 1, 0, 0x1F, 0x8B]))


def make_png():
    def rows(count, *line):
        return (b"\0" + bytes(line)) * count
    save("png", "grey", b"\0" + png(2, 2, 8, 0, rows(2, 1, 2)))
    save("png", "grey1", b"\3" + png(9, 2, 1, 0, rows(2, 0xAA, 0x80)))
    save("png", "grey16", b"\2" + png(1, 2, 16, 0, rows(2, 1, 2), chunk(b"tRNS", b"\1\2")))
    save("png", "rgb", b"\3" + png(2, 2, 8, 2, rows(2, 1, 2, 3, 4, 5, 6)))
    save("png", "palette", b"\3" + png(4, 1, 2, 3, rows(1, 0x1B), chunk(b"PLTE", bytes(range(12)))
                                       + chunk(b"tRNS", b"\0\x80")))
    save("png", "grey_alpha", b"\2" + png(2, 2, 8, 4, rows(2, 1, 2, 3, 4)))
    save("png", "rgba16", b"\3" + png(1, 1, 16, 6, rows(1, *range(8))))
    save("png", "interlaced", b"\2" + png(3, 5, 8, 0, rows(1, 1) + rows(1, 2) + rows(1, 3, 4) + rows(1, 5)
                                          + rows(2, 6, 7) + rows(2, 1, 2, 3), interlace=1))
    save("png", "told_size", b"\3" + png(5, 3, 8, 0, rows(3, 1, 2, 3, 4, 5)))
    save("png", "filters", b"\2" + png(2, 4, 8, 0, b"\1ab\2cd\3ef\4gh"))
    save("png", "texts", b"\3" + png(1, 1, 8, 0, rows(1, 9), chunk(b"tEXt", b"a\0b")
                                     + chunk(b"zTXt", b"a\0\0" + zlib.compress(b"b" * 999))
                                     + chunk(b"gAMA", bytes(4)) + chunk(b"xxXx", b"?")))
    save("png", "cut", b"\0" + png(2, 2, 8, 0, rows(2, 1, 2))[:50])
    save("png", "huge", b"\2" + png(2**31 - 1, 2**31 - 1, 16, 6, b""))
    save("png", "bomb", b"\2" + png(2, 2, 8, 0, bytes(100000)))
    save("png", "few_rows", b"\2" + png(2, 2, 8, 0, rows(1, 1, 2)))


def make_folder():
    def entry(kind, name):
        return bytes([kind, len(name)]) + name
    inside = 4
    save("folder", "classes", entry(0, b"b") + entry(1 | inside, b"2.png") + entry(1 | inside, b"10.png")
         + entry(0, b"a") + entry(1 | inside, b"x.PNG"))
    save("folder", "flat", entry(1, b"b.png") + entry(2, b"a.png"))
    save("folder", "mixed", entry(0, b"b") + entry(1, b"a.png"))
    save("folder", "deep", entry(0, b"b") + entry(0 | inside, b"c"))
    save("folder", "foreign", entry(1, b"a.png") + entry(2, b"notes.txt"))
    save("folder", "empty_file", entry(1, b"a.png") + entry(2 | 8, b"b.png"))
    save("folder", "link", entry(3 | 8, b"a.png"))
    save("folder", "control", entry(1, b"a\n.png"))
    save("folder", "hidden", entry(1, b".a.png"))
    save("folder", "cifar", entry(2, b"a.bin") + entry(2, b"test_batch.bin"))
    save("folder", "none", b"")


make_idx()
make_cifar()
make_png()
make_folder()
