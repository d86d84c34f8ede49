/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of data in memory share: calls that must work or be refused, images of bars, somebody who stops a call,
 * and a look for what a call forgot. */
#ifndef SBL_TESTS_API_MEMORY_KIT_H
#define SBL_TESTS_API_MEMORY_KIT_H

#include <stdint.h>
#include <string.h>

#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/report.h"
#include "semblance/synthesizer.h"
#include "support/cmocka_all.h"

#define OK(call)                                            \
    do {                                                    \
        sbl_error err_ = {0}, *err = &err_;                 \
        if ((call) != SBL_OK) fail_msg("%s", err_.message); \
    } while (0)
#define REFUSED(status, says, call)                                                                  \
    do {                                                                                             \
        sbl_error err_ = {0}, *err = &err_;                                                          \
        assert_int_equal(call, status);                                                              \
        if (strstr(err_.message, says) == NULL) fail_msg("'%s' is not in '%s'", says, err_.message); \
    } while (0)

/* What it holds; nothing while it is in use. */
static inline sbl_synthesizer_facts kit_facts(sbl_synthesizer *synth)
{
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    (void)!sbl_synthesizer_get_facts(synth, &facts, NULL);
    return facts;
}
/* What it draws, in buffers. */
static inline sbl_status kit_sample_columns(sbl_synthesizer *synth, const sbl_column_buffer *columns,
                                            size_t count, const sbl_sample_options *options, sbl_error *err)
{
    sbl_sample_options draw = *options;
    draw.columns = columns;
    draw.column_count = count;
    return sbl_synthesizer_sample(synth, &draw, err);
}
static inline sbl_status kit_sample_images(sbl_synthesizer *synth, uint8_t *pixels, uint32_t *labels,
                                           const sbl_sample_options *options, sbl_error *err)
{
    sbl_sample_options draw = *options;
    draw.pixels = pixels;
    draw.labels = labels;
    return sbl_synthesizer_sample(synth, &draw, err);
}

/* Folders of ours that a call forgot. */
int leftovers(void);

typedef struct stopper {
    const char *what; /* stops at the first call that says so */
    int after;        /* this many of them */
    int calls;
} stopper;
int stop_at(void *context, const char *what, uint64_t step, uint64_t steps, double loss);

/* Images of 8 x 8: bars, horizontal for class 0, upright for class 1, a cross for class 2, in noise that the seed says. */
#define KIT_SIDE 8
#define KIT_SIZE ((size_t)KIT_SIDE * KIT_SIDE)
#define KIT_CLASSES 3
typedef struct kit_images {
    uint8_t *pixels;
    uint32_t *labels;
    size_t count;
} kit_images;

kit_images kit_bars(size_t count, uint64_t seed);
void kit_images_free(kit_images *images);
/* A handle that borrows them; with labels, unless classes is 0. */
sbl_data *kit_image_data(const kit_images *images, uint64_t classes, const char *name);

#endif
