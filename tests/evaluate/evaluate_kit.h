/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables on disk, and evaluations of them. */
#ifndef SBL_TESTS_EVALUATE_EVALUATE_KIT_H
#define SBL_TESTS_EVALUATE_EVALUATE_KIT_H

#include <jansson.h>

#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/table_study.h"

typedef struct kit {
    char folder[256];
    sbl_schema *schema;
    sbl_table tables[3];
    sbl_evaluate_request request; /* real, synthetic and train of the folder; models "none" */
    sbl_error err;
} kit;

/* The schema and tables of reference.json. */
void kit_make(kit *k);
void kit_clear(kit *k);

/* reference.json itself; json_decref. */
json_t *kit_reference(void);

/* Write a file of the folder; returns its path, good until eight calls later. */
const char *kit_write(const kit *k, const char *name, const char *text);

/* Replace the schema by this text and the request's tables by these (NULL: leave it). */
void kit_replace(kit *k, const char *schema, const char *real, const char *synthetic, const char *train);

/* Evaluate; fails the test when that fails. json_decref. */
json_t *kit_evaluate(kit *k);

/* A number by a path such as "marginals.1.tvd.synthetic"; fails the test when there is none. */
double kit_number(const json_t *document, const char *path);
/* What is there, or NULL. */
const json_t *kit_find(const json_t *document, const char *path);

#endif
