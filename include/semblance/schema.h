/* SPDX-License-Identifier: Apache-2.0 */
/* A schema in memory: the public facts about a table's columns. Read from the JSON of a Table Schema
 * (docs/FORMATS.md), or built column by column:
 *
 *     sbl_schema *schema;
 *     sbl_schema_from_file(&schema, "patients.json", false, &err);
 *     ...
 *     sbl_schema_free(schema);
 *
 * A schema does not change once it is made: any number of threads may use it at the same time.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_SCHEMA_H
#define SEMBLANCE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sbl_schema sbl_schema;

/* The declared type of a column. */
typedef enum sbl_field_type {
    SBL_TYPE_INTEGER,
    SBL_TYPE_NUMBER,
    SBL_TYPE_STRING,
    SBL_TYPE_BOOLEAN,
    SBL_TYPE_DATE,
    SBL_TYPE_DATETIME,
    SBL_TYPE_TIME, /* of day: a number of seconds since midnight */
    SBL_TYPE_NONE  /* an ignored column, whatever it declares */
} sbl_field_type;

/* What a column becomes. */
typedef enum sbl_column_kind {
    SBL_COLUMN_NUMBER,   /* a bounded number */
    SBL_COLUMN_CATEGORY, /* one of a declared list */
    SBL_COLUMN_DATE,     /* whole days since 1970-01-01, bounded */
    SBL_COLUMN_DATETIME, /* whole seconds since 1970-01-01T00:00:00Z, bounded */
    SBL_COLUMN_IGNORED   /* not a statistic: left out of the synthetic table, or made up */
} sbl_column_kind;

/* ---- from and to JSON ---- */

/* Out:     schema  the schema; NULL on failure
 * In:      json    text of length bytes, UTF-8; need not end with a NUL
 *          name    its name in messages; NULL: "the schema"
 * Returns: SBL_OK; SBL_EINPUT: what is wrong and what to write instead; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_schema_free()
 * Privacy: public by declaration: nothing in it may come from the records, unless it was paid for */
SBL_API SBL_MUST_USE sbl_status sbl_schema_from_json(sbl_schema **schema, const char *json, size_t length,
                                                     const char *name, sbl_error *err);
/* The same for a file. For a package, the files that it names are read too: schemas of tables, and the keys of
 * public look-up tables (docs/FORMATS.md, "Packages"). With allow_outside it may name files outside its folder;
 * otherwise they are refused.   Returns: as above, and SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_schema_from_file(sbl_schema **schema, const char *path,
                                                     bool allow_outside, sbl_error *err);
/* Out:     json  the facts of the schema as Table Schema JSON, one line: the same facts give the same
 *                bytes. Titles and other texts for people are left out; NULL on failure
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_schema_as_json(char **json, const sbl_schema *schema, sbl_error *err);
SBL_API void sbl_schema_free(sbl_schema *schema); /* NULL is fine */

/* ---- what it says ---- */

/* One column. Texts are borrowed from the schema. The caller sets struct_size before asking; the
 * library fills no more than that. */
typedef struct sbl_schema_column {
    size_t struct_size;
    const char *name;
    sbl_field_type type;
    sbl_column_kind kind;
    /* A value may be missing. */
    bool missing_allowed;
    /* It is the label of the table. */
    bool label;
    /* A model draws it. False for columns that are left out. */
    bool drawn;
    /* The bounds of numbers, dates (days) and datetimes (seconds); 0 for other kinds. */
    double minimum;
    double maximum;
    /* For a category column; 0 for other kinds. A boolean has two: false, then true. */
    size_t category_count;
    /* For numbers: values are whole multiples of it. 0: none is declared. */
    double step;
    /* For numbers: values with a category of their own, ascending; they may lie outside the bounds. */
    const double *spikes;
    size_t spike_count;
    /* The column says which person a row belongs to, and at most this number of rows of a person count. 0:
     * it is not such a column. */
    uint64_t max_rows_per_unit;
    /* It describes the person: all rows of a person share one value. */
    bool per_unit;
    /* It orders the rows of a person. */
    bool order;
    /* (category_count), as they are written, in the order of their codes; borrowed from the schema. NULL for
     * other kinds. */
    const char *const *categories;
} sbl_schema_column;

/* Column number index, from 0. Returns: SBL_OK; SBL_EARG past the last, which ends a loop */
SBL_API SBL_MUST_USE sbl_status sbl_schema_get_column(const sbl_schema *schema, sbl_schema_column *column,
                                                      size_t index, sbl_error *err);

/* ---- built by code ---- */

typedef struct sbl_schema_builder sbl_schema_builder;

/* A column to be added; set up by sbl_schema_field_init(). Texts are UTF-8, borrowed for the call. */
typedef struct sbl_schema_field {
    /* Set by sbl_schema_field_init(). */
    size_t struct_size;
    /* Required. */
    const char *name;
    /* SBL_TYPE_NONE: the column is ignored, and so is every other field here. Default SBL_TYPE_NUMBER. */
    sbl_field_type type;
    /* Default false: values may be missing. */
    bool required;
    /* Bounds of integers, numbers, dates (days since 1970-01-01), datetimes (seconds) and times of day
     * (seconds since midnight) that have no categories. Finite; whole numbers except for SBL_TYPE_NUMBER. Values outside are moved to the
     * nearest bound. Default 0. */
    double minimum;
    /* At least minimum. Default 0. */
    double maximum;
    /* Datetime: bounds and drawn values are in UTC. Default false: no zone. */
    bool utc;
    /* Number: 0 to 22 digits after the point. Default -1: any. */
    int decimals;
    /* Number, integer: values of many magnitudes, such as incomes. Default false. */
    bool log_scale;
    /* Every value that the column may take, for any type but boolean. Default: none, bounds hold. */
    const char *const *categories;
    size_t category_count;
    /* The category that any other value becomes. Default NULL: none. */
    const char *other;
    /* The categories are listed in their order. Default false. */
    bool ordered;
    /* Integer, number: every value is a whole multiple of it, with at most 9 digits after the point.
     * Default 0: none. */
    double step;
    /* Integer, number: values that many records share, each with a category of its own, at most 16. One
     * outside the bounds means something other than a size, such as 999 for "not asked". Default: none. */
    const double *spikes;
    size_t spike_count;
    /* The column to predict, which separates the classes; at most one column. Default false. */
    bool label;
    /* The column says which person a row belongs to, if persons may own several rows; at most one column.
     * At most this number of rows of a person count, 1 to 1024. Apart from it, only the name of such a
     * column is used. Default 0: it is not such a column. */
    uint64_t max_rows_per_unit;
    /* It describes the person: all rows of a person share one value. Default false. */
    bool per_unit;
    /* Number, date or datetime, required: it orders the rows of a person; at most one column. Default
     * false: rows keep the order of reading. */
    bool order;
} sbl_schema_field;

static inline void sbl_schema_field_init(sbl_schema_field *field)
{
    SBL_STRUCT_INIT(field);
    field->type = SBL_TYPE_NUMBER;
    field->decimals = -1;
}

/* Owner: the caller; sbl_schema_builder_free().   Returns: SBL_OK; SBL_EARG, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_builder_new(sbl_schema_builder **builder, sbl_error *err);
SBL_API void sbl_schema_builder_free(sbl_schema_builder *builder); /* NULL is fine */
/* Returns: SBL_OK; SBL_EARG for a text that is not UTF-8 or a bound that is not finite; SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_builder_add(sbl_schema_builder *builder,
                                                       const sbl_schema_field *field, sbl_error *err);
/* The schema of the columns so far. The builder stays, and you may add more columns.
 * Returns: SBL_OK; SBL_EINPUT: what is wrong with which column; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_schema_free() */
SBL_API SBL_MUST_USE sbl_status sbl_schema_builder_finish(const sbl_schema_builder *builder,
                                                          sbl_schema **schema, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
