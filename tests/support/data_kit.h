/* SPDX-License-Identifier: Apache-2.0 */
/* Small data of every kind, for tests that run over all features, sources, methods and models:
 * public facts, records that fit them and records that do not, and parameters of every feature. */
#ifndef SBL_TESTS_SUPPORT_DATA_KIT_H
#define SBL_TESTS_SUPPORT_DATA_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "public/plan/facts.h"
#include "public/rows/encoded_records.h"
#include "records/features/feature.h"

typedef enum data_case {
    DATA_LABELLED,   /* a table of every kind of column with a label of two classes */
    DATA_REGRESSION, /* numbers and categories; the label is a number */
    DATA_NUMBERS,    /* three numbers, no label */
    DATA_CATEGORIES, /* three categories, no label */
    DATA_RULES,      /* numbers and a category under constraints: one is fitted as a difference, one is
                      * derived, and one column is an id. Any drawn row holds them */
    DATA_DIGITS,     /* images of 5 by 4 by 1, three classes with names */
    DATA_COLOURS,    /* images of 3 by 3 by 3, no labels */
    DATA_CASES
} data_case;

void data_facts(sbl_facts *facts, data_case which);

/* Records, owned by the kit. */
typedef struct data_records {
    sbl_records all;
    double *numeric;
    uint32_t *codes;
    uint8_t *pixels;
    uint32_t *labels;
    uint8_t *misfits;
} data_records;

/* hostile: NaN, infinities, numbers out of bounds, codes and labels that do not exist. A row is a
 * function of seed and its number. */
void data_records_make(data_records *records, const sbl_facts *facts, size_t rows, uint64_t seed,
                       bool hostile);
void data_records_clear(data_records *records);
/* Rows first .. first + rows - 1 of some. */
sbl_records data_slice(const sbl_records *all, const sbl_facts *facts, size_t first, size_t rows);

/* Does the feature of this name take such data? A name that the kit has not heard of fails the test:
 * a new feature gets its lines in data_kit.c. */
bool data_fits(const char *feature, const sbl_facts *facts);
/* Good parameters of the feature, in as many variants as it has blocks of different kinds. */
size_t data_variants(const char *feature);
json_t *data_parameters(const char *feature, size_t variant, const sbl_facts *facts);

#endif
