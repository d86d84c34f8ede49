/* SPDX-License-Identifier: Apache-2.0 */
/* The report: one HTML file that a person can read, from a certificate and an evaluation.
 *
 * A pure function of two texts (docs/FORMATS.md) and, of image sets, of a picture of synthetic
 * images (preview.h): no data is opened here. The file needs no network
 * and holds no script. What the evaluation says was computed from real records, so everything that
 * comes from it stands under a banner that says NOT PRIVATE. Without one the page is public. */
#ifndef SBL_REPORT_REPORT_PAGE_H
#define SBL_REPORT_REPORT_PAGE_H

#include <jansson.h>

#include "base/error.h"
#include "owner/report/preview.h"

typedef struct sbl_page_options {
    const char *title; /* NULL: a title of ours */
    /* Synthetic images to show beside the certificate, public as the set they are from; NULL: none.
     * Left out without a certificate: then nothing says that they may be published. */
    const sbl_report_preview *preview;
    const json_t *pictures; /* of a synthetic table (owner/evaluate/pictures.h); NULL: none */
} sbl_page_options;

/* The report as HTML text.
 * In:      certificate  JSON text of a certificate, or NULL; one that does not check is refused
 *          evaluation   JSON text of an evaluation, or NULL; not both NULL
 *          options      NULL: everything, under our title
 * Returns: SBL_OK; SBL_EARG when there is nothing to say (both NULL); SBL_EINPUT naming the field that is wrong, or for images beside a
 *          certificate that is not of images; SBL_EMEM
 * Owner:   the caller; sbl_free() */
sbl_status sbl_report_render(char **html, const char *certificate, const char *evaluation,
                             const sbl_page_options *options, sbl_error *err);

#endif
