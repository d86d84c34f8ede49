/* SPDX-License-Identifier: Apache-2.0 */
/* Some synthetic images as one picture, for the public part of a report: they may be published as
 * the whole set may. */
#ifndef SBL_REPORT_PREVIEW_H
#define SBL_REPORT_PREVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "owner/evaluate/image_load.h"

/* Classes shown at most, and characters of base64 at most: a report is a page, not an album. */
#define SBL_PREVIEW_CLASSES ((size_t)40)
#define SBL_PREVIEW_CHARACTERS ((size_t)300000)

typedef struct sbl_report_preview {
    char *png;            /* base64; NULL: the set is empty */
    size_t height, width; /* of the picture, pixels */
    size_t rows, columns; /* of images */
    size_t classes;       /* of the set: rows are the first ones; 0: no labels */
    char **names;         /* (rows), the class's name or number; NULL without labels */
    bool given;           /* the caller says that they belong to the certificate */
} sbl_report_preview;

/* The first images of each class, one row per class; of a set without labels, the first ones. As
 * many as fit: with many classes, or large images, fewer of each.
 * In:      names  (classes) of the set, or NULL: those of its folders, else numbers
 * Returns: SBL_OK; SBL_EINPUT, SBL_EIO as sbl_image_open(); SBL_EMEM
 * Owner:   the caller; sbl_report_preview_clear() */
sbl_status sbl_report_preview_make(sbl_report_preview *preview, const sbl_image_place *synthetic,
                                   const char *const *names, sbl_error *err);
void sbl_report_preview_clear(sbl_report_preview *preview);

/* As a section of a page. guaranteed: the certificate promises something. */
void sbl_report_show_preview(sbl_text *out, const sbl_report_preview *preview, bool guaranteed);

#endif
