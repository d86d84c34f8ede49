/* SPDX-License-Identifier: Apache-2.0 */
/* The encoded record that models work on, derived from the schema alone.
 *
 * A number, date or datetime is one numeric head in [0,1], followed by a categorical head (0 present,
 * 1 missing) where missing values are allowed, which also has a code for each spike (spikes.h): it is
 * there where either is. A category is one categorical head of K
 * codes, or K + 1 where missing values are allowed (the last code). Heads follow the order of the
 * columns; ignored columns have none. */
#ifndef SBL_SCHEMA_ENCODING_LAYOUT_H
#define SBL_SCHEMA_ENCODING_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "public/schema/schema_type.h"

/* Where bounds are by category: the place of a number that is missing or a spike. */
#define SBL_PLACE_APART 0.5

typedef enum sbl_head_kind { SBL_HEAD_NUMERIC, SBL_HEAD_CATEGORICAL } sbl_head_kind;

#define SBL_NO_HEAD ((size_t)-1)

typedef struct sbl_head {
    sbl_head_kind kind;
    size_t column;        /* index into the schema's columns */
    uint32_t cardinality; /* number of codes; 1 for a numeric head */
    size_t index;         /* place among the heads of its kind: column of the encoded matrix */
    bool indicator;       /* says whether the number before it is missing, or which spike it is */
    bool ordered;         /* neighbouring codes are alike */
} sbl_head;

typedef struct sbl_heads {
    sbl_head *items;
    size_t count;
    size_t numeric_count;
    size_t categorical_count;
    size_t label;         /* index into items of the label's head, or SBL_NO_HEAD */
    uint32_t class_count; /* codes of a classification label; 0 otherwise */
} sbl_heads;

sbl_status sbl_heads_init(sbl_heads *heads, const sbl_schema *schema, sbl_error *err);
void sbl_heads_clear(sbl_heads *heads);

/* The shape of an encoded record, as networks and features see it: numbers in [0,1], one code per
 * categorical column, and the class. A classification label is not among the categorical columns;
 * unlabelled tables and regression have one class. */

typedef struct sbl_record_shape {
    size_t numeric;        /* d: number of numeric columns */
    size_t categorical;    /* K: number of categorical columns */
    size_t *cardinalities; /* (K) */
    size_t *offsets;       /* (K + 1): column k's categories are one-hot entries offsets[k] .. */
    size_t onehot;         /* T = offsets[K] */
    size_t classes;        /* C >= 1 */
} sbl_record_shape;

/* Checks: at least one column, every cardinality and classes >= 1, sizes below 2^24. */
sbl_status sbl_record_shape_init(sbl_record_shape *shape, size_t numeric, const size_t *cardinalities,
                                 size_t categorical, size_t classes, sbl_error *err);
sbl_status sbl_record_shape_copy(sbl_record_shape *copy, const sbl_record_shape *shape, sbl_error *err);
void sbl_record_shape_clear(sbl_record_shape *shape);
/* The largest cardinality, at least 1. */
size_t sbl_record_shape_most(const sbl_record_shape *shape);

/* What is publicly known of an image set: the size of its images and its classes. Pixels are bytes;
 * 0 and 255 are their bounds. */

#define SBL_IMAGE_FACTS_MOST_SIDE 128
#define SBL_IMAGE_FACTS_MOST_CLASSES 1000
/* These facts as a certificate lists them among what is assumed to be public. */
#define SBL_IMAGE_FACTS_ARE_PUBLIC "size and channels of the images, number and names of their classes"

typedef struct sbl_image_facts {
    size_t height, width; /* 1 .. 128 */
    size_t channels;      /* 1: grey, 3: RGB */
    size_t classes;       /* 0: no labels */
    char **names;         /* (classes), or NULL where classes have numbers only */
} sbl_image_facts;

/* Values of one image. */
static inline size_t sbl_image_facts_size(const sbl_image_facts *facts)
{
    return facts->height * facts->width * facts->channels;
}

/* Sums are kept per class; a set without labels has one. */
static inline size_t sbl_image_facts_groups(const sbl_image_facts *facts)
{
    return facts->classes > 0 ? facts->classes : 1;
}

/* names: (classes) or NULL; copied.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_image_facts_init(sbl_image_facts *facts, size_t height, size_t width, size_t channels,
                                size_t classes, const char *const *names, sbl_error *err);
sbl_status sbl_image_facts_copy(sbl_image_facts *copy, const sbl_image_facts *facts, sbl_error *err);
void sbl_image_facts_clear(sbl_image_facts *facts);

/* NULL when out of memory. */
json_t *sbl_image_facts_to_json(const sbl_image_facts *facts);
sbl_status sbl_image_facts_from_json(sbl_image_facts *facts, const json_t *object, const char *where,
                                     sbl_error *err);

/* The class of this name or, where classes have no names, of this number; false: none. */
bool sbl_image_facts_class(size_t *index, const sbl_image_facts *facts, const char *text);

#endif
