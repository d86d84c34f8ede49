# SPDX-License-Identifier: Apache-2.0
"""Pictures with few colours, small enough for a repository: the browser finds the colours, and the file is written here."""
import base64
import struct
import zlib

# The colours that occur most, each some way from the others; every pixel gets the nearest.
REDUCE = r"""
(async (source, most) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const bytes = context.getImageData(0, 0, image.width, image.height).data, counts = new Map();
  const colour = i => bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
  for (let i = 0; i < bytes.length; i += 4) counts.set(colour(i), (counts.get(colour(i)) || 0) + 1);
  const apart = (a, b) => ((a >> 16) - (b >> 16)) ** 2 + ((a >> 8 & 255) - (b >> 8 & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
  const palette = [];
  for (const [one] of [...counts].sort((a, b) => b[1] - a[1])) {
    if (palette.length === most) break;
    if (palette.every(other => apart(one, other) > 300)) palette.push(one);
  }
  const nearest = new Map([...counts.keys()].map(one => [one, palette.reduce((best, other, k) => (apart(one, other) < apart(one, palette[best]) ? k : best), 0)]));
  let text = '';
  for (let i = 0; i < bytes.length; i += 4) text += String.fromCharCode(nearest.get(colour(i)));
  return {width: image.width, height: image.height, palette, pixels: btoa(text)};
})
"""


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, width, height, palette, pixels):
    """pixels: a byte each, the number of its colour; palette: 0xRRGGBB."""
    rows = b"".join(b"\0" + pixels[y * width:(y + 1) * width] for y in range(height))
    colours = b"".join(one.to_bytes(3, "big") for one in palette)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", colours) +
                   chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def reduce(blank, source, path, most=32):
    """The PNG file `source` with `most` colours at most. blank: a page that shows nothing."""
    with open(source, "rb") as file:
        address = "data:image/png;base64," + base64.b64encode(file.read()).decode()
    made = blank.evaluate(f"({REDUCE})({address!r}, {most})")
    write_png(path, made["width"], made["height"], made["palette"], base64.b64decode(made["pixels"]))
