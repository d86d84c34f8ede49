/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a report, in their order, and how they read an evaluation. A section writes nothing if the
 * evaluation does not have its content; out remembers failures. */
#ifndef SBL_REPORT_SECTIONS_H
#define SBL_REPORT_SECTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "door/certificate/certificate_content.h"
#include "owner/evaluate/evaluation_facts.h"

/* The indices 0..count-1 by falling key, NaN last, equal keys in order; sbl_free(). NULL when out
 * of memory. */
size_t *sbl_fact_order(const double *keys, size_t count);

/* ---- sections ---- */

/* The most columns that get a picture, and the most rows of a heat map. */
#define SBL_REPORT_PICTURES 48
#define SBL_REPORT_OPEN_PICTURES 9 /* of these; the others are folded away */
#define SBL_REPORT_HEAT_COLUMNS 60
/* Table rows beyond this are folded away until the reader asks. */
#define SBL_REPORT_OPEN_ROWS 40

/* What the private and the synthetic data are called. */
typedef struct sbl_report_words {
    const char *record;  /* "row" */
    const char *records; /* "rows" */
    const char *set;     /* "table" */
    const char *unit;    /* of what is added up: "record" */
    const char *says;    /* what a record does: "says" */
    const char *that;    /* one that was named: "that row" */
} sbl_report_words;

extern const sbl_report_words sbl_report_words_of_tables, sbl_report_words_of_images;

/* Is this a certificate of an image set? */
bool sbl_report_is_of_images(const sbl_certificate_content *certificate);

const sbl_report_words *sbl_report_words_of(const sbl_certificate_content *certificate);

/* Columns and pairs of a synthetic table alone. guaranteed: the certificate promises something. */
void sbl_report_show_pictures(sbl_text *out, const json_t *pictures, bool guaranteed);

/* What is guaranteed, by what and assuming what. text: the certificate as it was given. */
void sbl_report_guarantee(sbl_text *out, const sbl_certificate_content *certificate, const char *statement,
                          const char *text);

/* Its part that folds away: blocks, sensitivities, noise, costs. */
void sbl_report_costs(sbl_text *out, const sbl_certificate_content *certificate);

/* The comparisons of an evaluation: all of them NOT PRIVATE. */
void sbl_report_glance(sbl_text *out, const json_t *evaluation);
bool sbl_report_has_glance(const json_t *evaluation);
void sbl_report_columns(sbl_text *out, const json_t *evaluation);
void sbl_report_by(sbl_text *out, const json_t *list);
/* One column as a <figure>: the shares of its values in the real and in the synthetic table. */
void sbl_histogram_write(sbl_text *out, const json_t *column);
void sbl_report_pairs(sbl_text *out, const json_t *evaluation);
/* Maps of the pairs of a list. */
void sbl_report_pair_maps(sbl_text *out, const json_t *list);
/* Persons and their events: figures, and some synthetic persons. */
void sbl_report_histories(sbl_text *out, const json_t *evaluation);
/* Linked tables, and some synthetic units with their rows. */
void sbl_report_linked(sbl_text *out, const json_t *evaluation);
/* Such units alone; nothing where there are none. */
void sbl_report_units(sbl_text *out, const json_t *units);
/* A line of a table for a triple that exists, with its numbers in cells of one kind. name: after the words, or NULL */
void sbl_report_distance(sbl_text *out, const json_t *owner, const char *member, const char *words,
                         const char *name, void (*cell)(sbl_text *out, double value));
/* Time lines of synthetic persons. */
void sbl_report_people(sbl_text *out, const json_t *people);
/* The relations that are furthest off, as short lists; nothing where they were not compared. */
void sbl_report_relations(sbl_text *out, const json_t *evaluation);
void sbl_report_marginals(sbl_text *out, const json_t *evaluation);
/* A table cell, rounded down, so that 1 is all of them. */
void sbl_report_share(sbl_text *out, double share);
void sbl_report_constraints(sbl_text *out, const json_t *evaluation);
void sbl_report_association(sbl_text *out, const json_t *evaluation);
void sbl_report_utility(sbl_text *out, const json_t *evaluation);
void sbl_report_disclosure(sbl_text *out, const json_t *evaluation);
void sbl_report_images(sbl_text *out, const json_t *evaluation);

#endif
