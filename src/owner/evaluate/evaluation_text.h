/* SPDX-License-Identifier: Apache-2.0 */
/* An evaluation as text for people, and what every evaluation says of itself. */
#ifndef SBL_EVALUATE_EVALUATION_TEXT_H
#define SBL_EVALUATE_EVALUATION_TEXT_H

#include <jansson.h>

#include "base/text.h"

#define SBL_EVALUATION_WARNING "NOT PRIVATE: every number here was computed from real records"

/* Aligned tables for people, NOT PRIVATE in the first line, the verdict in the last: a pure function of a document of tables
 * or of images (image_evaluate.h).
 * Owner: the caller, sbl_free(); NULL when out of memory. */
char *sbl_evaluation_text(const json_t *document);

/* The whole verdict (verdict.h) on one line; "" if there is nothing to judge by. Names in it are as they are.
 * Owner: the caller, sbl_free(); NULL when out of memory. */
char *sbl_evaluation_verdict(const json_t *document);

/* All of a document of images. */
void sbl_put_images(sbl_text *text, const json_t *document);

/* All of a document of linked tables. */
void sbl_put_linked(sbl_text *text, const json_t *document);

/* What a document says of persons and their histories; nothing where that is null. */
void sbl_put_histories(sbl_text *text, const json_t *histories);

/* The relations that are furthest off. */
void sbl_put_worst(sbl_text *text, const json_t *worst);

/* A name in exactly `width` places: what is not plain (base/text.h) becomes '?', a long one ends
 * in "..". */
void sbl_put_name(sbl_text *text, const char *name, size_t width);
/* The whole of a text on one line. */
void sbl_put_line(sbl_text *text, const char *words);
/* A number in 9 places; a dash for one that is null. format: of one double */
void sbl_put_number(sbl_text *text, const json_t *value, const char *format);
/* synthetic, floor and ceiling of a triple in 9 places each; a dash for one that is null. format:
 * of one double */
void sbl_put_triple(sbl_text *text, const json_t *triple, const char *format);
/* A line: words in `width` places and a triple. */
void sbl_put_row(sbl_text *text, size_t width, const char *words, const json_t *triple, const char *format);
/* The line above such lines, after an empty one. */
void sbl_put_heading(sbl_text *text, size_t width, const char *title);
/* A line for a distance that exists, of persons or linked tables. name: of a table or column, after the words, or NULL */
void sbl_put_distance(sbl_text *text, const json_t *owner, const char *member, const char *words,
                      const char *name);
#define SBL_DISTANCE_WIDTH 38
/* The shares of rows that hold each constraint, in the tables that there are; nothing for none. */
void sbl_put_constraints(sbl_text *text, const json_t *list);
void sbl_put_by(sbl_text *text, const json_t *list);

/* The warning, and for each input a line with its number of `what`. */
void sbl_put_inputs(sbl_text *text, const json_t *document, const char *what);

/* A share in 9 places, rounded down, so that 1 is all of them; a dash where it is null. */
void sbl_put_share(sbl_text *text, const json_t *share);

/* Members; "" and 0 where there is none. */
const char *sbl_string_of(const json_t *object, const char *name);
long long sbl_whole_of(const json_t *object, const char *name);

#endif
