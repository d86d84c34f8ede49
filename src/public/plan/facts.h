/* SPDX-License-Identifier: Apache-2.0 */
/* What is publicly known of a data set before any record is read: a table's schema, or the size and
 * classes of images. Everything that a plan, a feature, a method or a model may know of the data
 * without paying stands here, and what kind of data it is, is a field, never a guess. */
#ifndef SBL_PLAN_FACTS_H
#define SBL_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/kinds.h"
#include "public/schema/encoding_layout.h"
#include "public/schema/schema_type.h"

typedef struct sbl_facts {
    sbl_data_kind kind;
    size_t classes; /* C >= 1: a table without a classification label and a set without labels
                     * have one */
    /* How an encoded record looks: numbers in [0,1], codes, classes. An image is its values, by
     * rows, each pixel's channels side by side, over 255. */
    sbl_record_shape shape;

    /* Tables. What is fitted is not quite what is read and written where the schema has constraints
     * (public/rules/rules.h): the columns are the same, but some are computed, some are differences. */
    sbl_schema *schema;            /* what is fitted; NULL for images */
    sbl_schema *declared;          /* what is read and written; the same one where nothing is computed */
    struct sbl_rules *rules;       /* between them; NULL where there are none */
    sbl_heads heads;               /* of the encoded record, the label's among them */
    size_t columns;                /* that are fitted, the label's among them; images: 1, the files */
    size_t *code_columns;          /* (shape.categorical): where the categorical columns that are not the
                           * label stand among the codes of an encoded record */
    size_t label_column;           /* the label's place among them, or SBL_NO_HEAD */
    struct sbl_facts *table_facts; /* (schema->table_count): of linked tables, each table's by itself,
                                    * with its own rules; `rules` is NULL then, and heads are theirs one
                                    * after the other: a table's numbers and its codes are each one run of
                                    * a record's. NULL: it is one table */

    /* Images. */
    sbl_image_facts images;
    bool balanced;            /* the classes are declared to be equally frequent */
    bool files;               /* each is a file of its own, which may hold no image of the shape */
    const char *encoder_path; /* the file of a frozen network that plans may name by its hash;
                               * borrowed, no part of the JSON; NULL: only the one that is built in */
    /* What the owner calls the images: a title, and the names of their files. A network that was trained on a
     * set of that name is not planned with. Borrowed, no part of the JSON; NULL: not said. */
    const char *title;
    const char *files_name;
} sbl_facts;

/* Takes the schema, also on failure.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_facts_of_table(sbl_facts *facts, sbl_schema *schema, sbl_error *err);
/* The image facts are copied. balanced has no meaning for fewer than two classes. */
sbl_status sbl_facts_of_images(sbl_facts *facts, const sbl_image_facts *images, bool balanced,
                               sbl_error *err);
void sbl_facts_clear(sbl_facts *facts);

/* The most rows of one person that count; 0: a record is a person. */
uint64_t sbl_facts_rows_per_unit(const sbl_facts *facts);
/* Has the schema constraints on rows of a person that follow each other? */
bool sbl_facts_look_back(const sbl_facts *facts);
/* Is this column of the table fitted as it is written: not ignored, not computed from others, not
 * fitted as a difference? */
bool sbl_facts_fit_column(const sbl_facts *facts, size_t column);

/* As JSON, owned by the caller (json_decref); NULL when out of memory. And back: where (a path) is
 * for messages. */
json_t *sbl_facts_to_json(const sbl_facts *facts);
sbl_status sbl_facts_from_json(sbl_facts *facts, const json_t *object, const char *where, sbl_error *err);

#endif
