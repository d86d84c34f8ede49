/* SPDX-License-Identifier: Apache-2.0 */
/* Make the seeds of fuzz_image_jpeg anew, by hand: make_jpegs tests/fuzz/corpus/fuzz_image_jpeg */
#include <stdio.h>
#include <stdlib.h>

#include "image/jpeg_kit.h"

static void save(const char *folder, const char *name, uint8_t flags, kit_bytes file)
{
    char path[500];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "wb");
    if (to == NULL || fputc(flags, to) == EOF || fwrite(file.data, 1, file.size, to) != file.size ||
        fclose(to) != 0)
        exit(1);
    kit_free(&file);
}

static kit_bytes with_size(kit_bytes file, unsigned height, unsigned width)
{
    uint8_t *frame = file.data + kit_jpeg_frame(&file);
    frame[5] = (uint8_t)(height >> 8);
    frame[6] = (uint8_t)height;
    frame[7] = (uint8_t)(width >> 8);
    frame[8] = (uint8_t)width;
    return file;
}

static kit_bytes cut(kit_bytes file)
{
    file.size -= file.size / 4;
    return file;
}

static kit_bytes deep(kit_bytes file)
{
    file.data[kit_jpeg_frame(&file) + 4] = 12;
    return file;
}

int main(int count, char **arguments)
{
    uint8_t pixels[20 * 12 * 4];
    const kit_jpeg_kind grey = {.height = 9, .width = 7, .numbers = 1, .quality = 60};
    const kit_jpeg_kind colour = {.height = 12, .width = 20, .numbers = 3, .quality = 60};
    kit_jpeg_kind kind;
    if (count != 2) return 2;
    const char *to = arguments[1];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 7 % 251);
    save(to, "grey", 0, kit_jpeg(&grey, pixels));
    save(to, "colour", 1, kit_jpeg(&colour, pixels));
    save(to, "resized", 3, kit_jpeg(&colour, pixels));
    kind = colour;
    kind.sampling = 2;
    kind.restart = 1;
    save(to, "sampled", 3, kit_jpeg(&kind, pixels));
    kind.progressive = true;
    save(to, "progressive", 3, kit_jpeg(&kind, pixels));
    save(to, "progressive_cut", 1, cut(kit_jpeg(&kind, pixels)));
    save(to, "progressive_huge", 3, with_size(kit_jpeg(&kind, pixels), 2048, 16384));
    kind.arithmetic = true;
    save(to, "progressive_arithmetic", 3, kit_jpeg(&kind, pixels));
    kind = colour;
    kind.separate = true;
    save(to, "scans", 1, kit_jpeg(&kind, pixels));
    kind = colour;
    kind.arithmetic = true;
    save(to, "arithmetic", 1, kit_jpeg(&kind, pixels));
    kind = colour;
    kind.numbers = 4;
    save(to, "inks", 3, kit_jpeg(&kind, pixels));
    kind.no_adobe = true;
    save(to, "inks_plain", 2, kit_jpeg(&kind, pixels));
    save(to, "cut", 1, cut(kit_jpeg(&colour, pixels)));
    save(to, "twelve_bits", 1, deep(kit_jpeg(&colour, pixels)));
    save(to, "huge", 3, with_size(kit_jpeg(&colour, pixels), 65535, 65535));
    save(to, "no_height", 3, with_size(kit_jpeg(&colour, pixels), 0, 20));
    return 0;
}
