/* The encoded record that models work on, derived from the schema alone.
 *
 * A number, date or datetime is one numeric head in [0,1], followed by a categorical head (0 present,
 * 1 missing) where missing values are allowed, which also has a code for each spike (spikes.h): it is
 * there where either is. A category is one categorical head of K
 * codes, or K + 1 where missing values are allowed (the last code). Heads follow the order of the
 * columns; ignored columns have none. */
#ifndef SBL_SCHEMA_HEADS_H
#define SBL_SCHEMA_HEADS_H

#include "schema/schema.h"

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

#endif
