/* Encoded records on their way in and out: matrices by rows, as plan/facts.h describes a record. */
#ifndef SBL_PLAN_RECORDS_H
#define SBL_PLAN_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/unit_tag.h"
#include "plan/facts.h"

/* Some records that were read. What a kind of data does not have is NULL. Privacy: records. */
typedef struct sbl_records {
    const double *numeric;     /* tables: (rows, heads.numeric_count) in [0,1] */
    const uint32_t *codes;     /* tables: (rows, heads.categorical_count), the label's among them */
    const uint8_t *pixels;     /* images: (rows, shape.numeric) */
    const uint32_t *labels;    /* (rows), below classes; NULL: one class */
    const uint8_t *misfits;    /* (rows, facts.columns), 1 where a cell did not fit the schema, or a
                                * file was no image of the set's shape; NULL: all did */
    const sbl_unit_tag *units; /* (rows): whose row each is, where a person may own several */
    const uint32_t *unit_rows; /* (rows): which of its unit's rows each is (accumulate/units.h);
                                * set by who adds the records to a sum */
    size_t rows;               /* in a feature's hands at most sbl_slice_rows() */
} sbl_records;

/* One thread's share of a batch: its features stay in cache. */
#define SBL_SLICE_ROWS 128 /* of tables, and the most of any data */
#define SBL_IMAGE_SLICE_ROWS 16
_Static_assert(SBL_IMAGE_SLICE_ROWS <= SBL_SLICE_ROWS, "no slice is longer than SBL_SLICE_ROWS");

static inline size_t sbl_slice_rows(const sbl_facts *facts)
{
    return facts->kind == SBL_DATA_IMAGES ? SBL_IMAGE_SLICE_ROWS : SBL_SLICE_ROWS;
}

/* Room for records that a model draws; the same layout. */
typedef struct sbl_drawn {
    double *numeric;
    uint32_t *codes;
    uint8_t *pixels;
    uint32_t *labels;    /* images only: a table's label is among the codes */
    sbl_unit_tag *units; /* of records that are handled like real ones: whose each is; else NULL */
    uint8_t *misfits;    /* of the audit's records only: what a model draws fits */
} sbl_drawn;

#endif
