/* SPDX-License-Identifier: Apache-2.0 */
#include "image_run_kit.h"

#include <stdio.h>

#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"

static void fill(image_set *set)
{
    for (size_t i = 0; i < IMAGES; i++) {
        set->labels[i] = (uint8_t)(i * 5 % CLASSES);
        for (size_t p = 0; p < SIZE; p++)
            set->pixels[i][p] =
                p % WIDTH % CLASSES == set->labels[i] ? (uint8_t)(255 - i % 40) : (uint8_t)(p % 30);
    }
}

static void put_number(FILE *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) (void)fputc((int)(value >> shift & 255), file);
}

void write_set(const char *images, const char *labels, const image_set *set, size_t count)
{
    FILE *file = fopen(at(images), "wb");
    assert_non_null(file);
    put_number(file, 0x803);
    put_number(file, (uint32_t)count);
    put_number(file, HEIGHT);
    put_number(file, WIDTH);
    (void)fwrite(set->pixels, SIZE, count, file);
    (void)fclose(file);
    file = fopen(at(labels), "wb");
    assert_non_null(file);
    put_number(file, 0x801);
    put_number(file, (uint32_t)count);
    (void)fwrite(set->labels, 1, count, file);
    (void)fclose(file);
}

image_set data;

int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    fill(&data);
    write_set("images", "labels", &data, IMAGES);
    sbl_test_key_set(1);
    return 0;
}

void start_afresh(void)
{
    (void)remove_folder(NULL);
    (void)fresh(NULL);
}

sbl_synth_options small(void)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = "merf"; /* the quick one */
    options.epsilon = 1;
    give(&options, "features", "150");
    give(&options, "steps", "5");
    give(&options, "batch", "30");
    give(&options, "hidden", "12,4,3");
    give(&options, "latent", "4");
    options.threads = 2;
    return options;
}

paths *paths_of(const char *images, const char *labels, const char *out)
{
    static paths p;
    p = (paths){0};
    (void)snprintf(p.images, sizeof p.images, "%s/%s", folder, images);
    (void)snprintf(p.labels, sizeof p.labels, "%s/%s", folder, labels ? labels : "");
    (void)snprintf(p.out, sizeof p.out, "%s/%s", folder, out);
    memset(&p.input, 0, sizeof p.input);
    p.input.images = p.images;
    p.input.labels = labels ? p.labels : NULL;
    p.input.classes = labels ? CLASSES : 0;
    memset(&p.output, 0, sizeof p.output);
    p.output.folder = p.out;
    return &p;
}
