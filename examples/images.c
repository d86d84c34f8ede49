/* SPDX-License-Identifier: Apache-2.0 */
/* Images in memory: private ones in, synthetic ones out.
 *
 *     images OUTPUT.pgm
 *
 * makes up 3,000 images of 12 x 12 pixels (bars and crosses, in three classes), fits them under (1, 1e-5)-differential
 * privacy, and writes eight synthetic images of each class side by side. */
#include <stdio.h>
#include <stdlib.h>

#include <semblance/certificate.h>
#include <semblance/synthesizer.h>

#define IMAGES 3000
#define SIDE 12
#define CLASSES 3
#define SHOWN 8

static void check(sbl_status status, const sbl_error *err)
{
    if (status == SBL_OK) return;
    (void)fprintf(stderr, "%s\n", err->message);
    exit(sbl_status_exit_code(status));
}

/* A bar across, a bar down, or both. */
static void make_up(uint8_t *pixels, uint32_t *labels)
{
    unsigned state = 1;
    for (unsigned i = 0; i < IMAGES; i++) {
        labels[i] = i % CLASSES;
        state = state * 1664525u + 1013904223u;
        const unsigned at = 4 + (state >> 24) % 4;
        for (unsigned y = 0; y < SIDE; y++)
            for (unsigned x = 0; x < SIDE; x++) {
                const int on = (labels[i] != 1 && y == at) || (labels[i] != 0 && x == at);
                pixels[(i * SIDE + y) * SIDE + x] = on ? 230 : 20;
            }
    }
}

int main(int argc, char **argv)
{
    static uint8_t pixels[IMAGES * SIDE * SIDE];
    static uint32_t labels[IMAGES];
    static uint8_t drawn[CLASSES][SHOWN][SIDE][SIDE];
    sbl_error err = {0};
    sbl_pixels images;
    sbl_data *data;
    sbl_synthesizer *synth;
    sbl_synth_options options;
    sbl_sample_options sample;
    sbl_guarantee guarantee = {.struct_size = sizeof guarantee};
    if (argc != 2) return 2;
    make_up(pixels, labels);
    sbl_pixels_init(&images);
    images.pixels = pixels;
    images.labels = labels;
    images.count = IMAGES;
    images.height = images.width = SIDE;
    images.classes = CLASSES;
    sbl_synth_options_init(&options);
    options.method = "merf";
    options.epsilon = 1;
    check(sbl_options_set(&options, "features", "500", &err), &err);
    check(sbl_options_set(&options, "steps", "150", &err), &err);
    check(sbl_options_set(&options, "batch", "100", &err), &err);
    check(sbl_data_from_pixels(&data, &images, NULL, &err), &err);
    check(sbl_synthesizer_new(&synth, &err), &err);
    check(sbl_synthesizer_fit(synth, data, NULL, &options, &err), &err);
    sbl_sample_options_init(&sample);
    sample.rows = SHOWN;
    for (unsigned c = 0; c < CLASSES; c++) {
        char where[] = "label=0";
        where[6] = (char)('0' + c);
        sample.where = where;
        sample.pixels = drawn[c][0][0];
        check(sbl_synthesizer_sample(synth, &sample, &err), &err);
    }
    FILE *file = fopen(argv[1], "wb");
    if (file == NULL) return 5;
    (void)fprintf(file, "P5 %d %d 255\n", SHOWN * SIDE, CLASSES * SIDE);
    for (unsigned c = 0; c < CLASSES; c++)
        for (unsigned y = 0; y < SIDE; y++)
            for (unsigned i = 0; i < SHOWN; i++) (void)fwrite(drawn[c][i][y], 1, SIDE, file);
    if (fclose(file) != 0) return 5;
    const char *certificate = sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE);
    size_t length = 0;
    while (certificate[length] != '\0') length++;
    check(sbl_certificate_read(&guarantee, NULL, certificate, length, &err), &err);
    (void)printf("%d images, epsilon %.4f at delta %g, of %llu private ones\n", CLASSES * SHOWN,
                 guarantee.epsilon, guarantee.delta, (unsigned long long)guarantee.n);
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    return 0;
}
