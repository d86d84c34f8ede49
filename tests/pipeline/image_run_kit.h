/* SPDX-License-Identifier: Apache-2.0 */
/* A small image set, its options and its paths, for tests of whole runs. */
#ifndef SBL_TESTS_PIPELINE_IMAGE_RUN_KIT_H
#define SBL_TESTS_PIPELINE_IMAGE_RUN_KIT_H

#include "support/by_path.h"
#include "support/run_kit.h"

enum { IMAGES = 70, HEIGHT = 9, WIDTH = 7, CLASSES = 3, SIZE = HEIGHT * WIDTH };

/* An image set as bytes. */
typedef struct image_set {
    uint8_t pixels[IMAGES][SIZE];
    uint8_t labels[IMAGES];
} image_set;

extern image_set data; /* what "images" and "labels" in the folder hold */

/* An IDX pair of its first images in the folder. */
void write_set(const char *images, const char *labels, const image_set *set, size_t count);

/* Set up: a folder with the set, a fixed key. */
int fresh(void **unused);
void start_afresh(void);

/* A small network: the tests are about files, not about quality. */
sbl_synth_options small(void);

/* Paths in the folder, for inputs and outputs. */
typedef struct paths {
    char images[300], labels[300], out[300];
    image_input input;
    image_output output;
} paths;

/* labels NULL: a set without. Good until the next call. */
paths *paths_of(const char *images, const char *labels, const char *out);

#endif
