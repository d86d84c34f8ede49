/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation documents to render: made up, but of the shape that `semblance evaluate` writes. */
#ifndef SBL_TESTS_REPORT_REPORT_KIT_H
#define SBL_TESTS_REPORT_REPORT_KIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct kit_evaluation {
    size_t columns;    /* at least 2 */
    bool hostile;      /* names and categories that try to be markup */
    bool regression;   /* the label is a number */
    bool images;       /* an images section with two small PNGs */
    bool without_real; /* no --train: no floor for the models, no disclosure tests */
    bool below_floor;  /* worse than independent columns, and than rows put together by chance */
} kit_evaluation;

/* Text of a document; free(). */
char *kit_evaluation_text(const kit_evaluation *facts);

/* Names that a hostile table may have, NULL-terminated. */
#define KIT_HOSTILE_NAMES 14
extern const char *const kit_hostile_names[];

#endif
