/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up faces in colour, as folders of image files, for tests of sets like CelebA.
 *
 *     make_faces COUNT SEED FOLDER KIND HEIGHTxWIDTH [classes]
 *
 * KIND is png, jpeg or both (every other file). With `classes` there are two subfolders, glad and sad; without, the files
 * stand in FOLDER itself, which is made. Sides vary by a tenth where KIND begins with "any-". Face i depends on SEED and i
 * alone. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/jpeg_kit.h"
#include "public/image/png.h"

#define MOST_SIDE 512

static uint64_t state;

/* SplitMix64. */
static double uniform(double from, double to)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return from + (to - from) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

typedef struct colour {
    double rgb[3];
} colour;

typedef struct face {
    colour ground, skin, hair, eyes, lips;
    double x, y, wide, high; /* the middle of the face and its radii, in sides of the image */
    double fringe, gap, smile, light;
} face;

static colour mix(double red, double green, double blue, double spread)
{
    return (colour){{uniform(red - spread, red + spread), uniform(green - spread, green + spread),
                     uniform(blue - spread, blue + spread)}};
}

static face draw_face(bool glad)
{
    const double tone = uniform(.35, 1), hair = uniform(.1, .8);
    return (face){mix(.5, .5, .5, .4),
                  .skin = mix(.95 * tone, .75 * tone, .62 * tone, .04),
                  .hair = mix(hair, .75 * hair, .45 * hair, .08),
                  .eyes = mix(.2, .25, .3, .15),
                  .lips = mix(.75 * tone, .3 * tone, .3 * tone, .05),
                  .x = uniform(.46, .54),
                  .y = uniform(.5, .58),
                  .wide = uniform(.22, .29),
                  .high = uniform(.3, .38),
                  .fringe = uniform(.35, .7),
                  .gap = uniform(.38, .5),
                  .smile = glad ? uniform(.1, .22) : uniform(-.2, -.06),
                  .light = uniform(-.25, .25)};
}

static bool in_oval(double x, double y, double wide, double high)
{
    return x * x / (wide * wide) + y * y / (high * high) < 1;
}

/* What is at x, y, counted from the middle of the face in its radii. */
static const colour *part_at(const face *f, double x, double y)
{
    static const colour white = {{.95, .95, .95}};
    if (!in_oval(x, y, 1, 1)) return in_oval(x, y + .15, 1.2, 1.2) && y < .5 ? &f->hair : &f->ground;
    if (y < -f->fringe) return &f->hair;
    const double eye = fabs(x) - f->gap;
    if (in_oval(eye, y + .12, .08, .07)) return &f->eyes;
    if (in_oval(eye, y + .12, .2, .09)) return &white;
    const double mouth = .55 + f->smile * (1 - x * x / .14) - f->smile;
    if (fabs(x) < .4 && fabs(y - mouth) < .06) return &f->lips;
    return &f->skin;
}

/* pixels (height, width, 3) */
static void paint(uint8_t *pixels, const face *f, size_t height, size_t width)
{
    for (size_t i = 0; i < height * width; i++) {
        const double x = ((double)(i % width) + .5) / (double)width - f->x;
        const double y = ((double)i / (double)width) / (double)height - f->y;
        const colour *part = part_at(f, x / f->wide, y / f->high);
        for (size_t c = 0; c < 3; c++) {
            const double value = part->rgb[c] * (1 + f->light * x) + uniform(-.02, .02);
            pixels[3 * i + c] = (uint8_t)(255 * fmin(fmax(value, 0), 1));
        }
    }
}

static void save(const char *path, const uint8_t *pixels, size_t height, size_t width, bool jpeg)
{
    const kit_jpeg_kind kind = {
        .height = (uint32_t)height, .width = (uint32_t)width, .numbers = 3, .sampling = 2, .quality = 92};
    sbl_text png = {0};
    kit_bytes file = {0};
    if (jpeg) {
        file = kit_jpeg(&kind, pixels);
    } else {
        if (sbl_png_encode(&png, pixels, height, width, 3, 3 * width, NULL) != SBL_OK) exit(1);
        kit_add(&file, png.data, png.length);
    }
    FILE *to = fopen(path, "wb");
    if (to == NULL || fwrite(file.data, 1, file.size, to) != file.size || fclose(to) != 0) {
        perror(path);
        exit(1);
    }
    sbl_text_clear(&png);
    kit_free(&file);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0755) == 0 || errno == EEXIST) return;
    perror(path);
    exit(1);
}

/* A side, or one that is up to a tenth longer or shorter. */
static size_t side_of(unsigned side, bool any)
{
    return any ? (size_t)((double)side * uniform(.9, 1.1)) + 1 : side;
}

int main(int count, char **arguments)
{
    static uint8_t pixels[MOST_SIDE * MOST_SIDE * 3];
    char path[700];
    unsigned height, width;
    if (count < 6 || sscanf(arguments[5], "%ux%u", &height, &width) != 2 || height < 8 || height > 400 ||
        width < 8 || width > 400) {
        (void)fprintf(stderr, "usage: make_faces COUNT SEED FOLDER [any-]png|jpeg|both HxW [classes]\n");
        return 2;
    }
    const bool any = strncmp(arguments[4], "any-", 4) == 0, classes = count > 6;
    const char *kind = arguments[4] + (any ? 4 : 0), *folder = arguments[3];
    const unsigned long faces = strtoul(arguments[1], NULL, 10);
    make_folder(folder);
    for (unsigned long i = 0; i < faces; i++) {
        state = strtoull(arguments[2], NULL, 10) * UINT64_C(1000003) + i;
        const bool glad = uniform(0, 1) < .5, jpeg = kind[0] == 'j' || (kind[0] == 'b' && i % 2 == 0);
        const size_t rows = side_of(height, any), columns = side_of(width, any);
        const face f = draw_face(glad);
        (void)snprintf(path, sizeof path, "%s/%s", folder, glad ? "glad" : "sad");
        if (classes) make_folder(path);
        paint(pixels, &f, rows, columns);
        (void)snprintf(path, sizeof path, "%s%s/%06lu.%s", folder,
                       !classes ? ""
                       : glad   ? "/glad"
                                : "/sad",
                       i, jpeg ? "jpg" : "png");
        save(path, pixels, rows, columns, jpeg);
    }
    return 0;
}
