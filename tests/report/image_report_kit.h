/* SPDX-License-Identifier: Apache-2.0 */
/* What reports of image sets are made of: certificates that say so, and sets of made-up images. */
#ifndef SBL_TESTS_REPORT_IMAGE_REPORT_KIT_H
#define SBL_TESTS_REPORT_IMAGE_REPORT_KIT_H

#include "certificate/certificate_kit.h"
#include "owner/report/preview.h"

/* kit_certify, of an image set; kit_clear(). */
void kit_certify_images(certified *c, const kit_case *k);

typedef struct kit_image_set {
    sbl_image_shape shape;
    size_t count;
    size_t classes; /* image i has label i % classes; 0: no labels */
    bool noise;     /* pixels that no filter makes shorter; else rows of a few values */
} kit_image_set;

/* Pixels of image number i; (height, width, channels). */
void kit_image(uint8_t *pixels, const kit_image_set *set, size_t i);

/* The set as IDX files. An empty one is grey, 6 x 6, with labels. */
void kit_write_images(const kit_image_set *set, const sbl_image_place *place);

/* Written to a temporary folder as IDX, and made into a preview. */
sbl_status kit_preview(sbl_report_preview *preview, const kit_image_set *set, const char *const *names);

#endif
