/* A schema in memory: what is publicly known of a table's columns. Read from the JSON of a Table Schema
 * (docs/FORMATS.md), or built column by column:
 *
 *     sbl_schema *schema;
 *     sbl_schema_from_file(&schema, "patients.json", &err);
 *     ...
 *     sbl_schema_free(schema);
 *
 * A schema does not change once it is made: any number of threads may use it at the same time. */
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
    SBL_TYPE_NONE /* of a column that is ignored, whatever it declares */
} sbl_field_type;

/* What a column becomes. */
typedef enum sbl_column_kind {
    SBL_COLUMN_NUMBER,   /* a bounded number */
    SBL_COLUMN_CATEGORY, /* one of a declared list */
    SBL_COLUMN_DATE,     /* whole days since 1970-01-01, bounded */
    SBL_COLUMN_DATETIME, /* whole seconds since 1970-01-01T00:00:00Z, bounded */
    SBL_COLUMN_IGNORED   /* read past, no statistic: left out of what is drawn, or made up */
} sbl_column_kind;

/* ---- from and to JSON ---- */

/* Out:     schema  the schema; NULL on failure
 * In:      json    text of length bytes, UTF-8; need not end with a NUL
 *          name    what messages call it; NULL: "the schema"
 * Returns: SBL_OK; SBL_EINPUT: what is wrong and what to write instead; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_schema_free()
 * Privacy: public by declaration: nothing of it may be read off the records, unless it was paid for */
SBL_API SBL_MUST_USE sbl_status sbl_schema_from_json(sbl_schema **schema, const char *json, size_t length,
                                                     const char *name, sbl_error *err);
/* The same of a file. Of a package also the files that it names are read: schemas of tables, and the keys of public
 * look-up tables (docs/FORMATS.md, "Packages").   Returns: as above, and SBL_EIO */
SBL_API SBL_MUST_USE sbl_status sbl_schema_from_file(sbl_schema **schema, const char *path, sbl_error *err);
/* The same of a package that may name files outside of its folder where allow_outside is true. sbl_schema_from_file()
 * refuses them. */
SBL_API SBL_MUST_USE sbl_status sbl_schema_from_package(sbl_schema **schema, const char *path,
                                                        bool allow_outside, sbl_error *err);
/* Out:     json  what the schema means, as Table Schema JSON, one line: the same facts give the same
 *                bytes. Titles and other words for people are not among them; NULL on failure
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
    bool missing_allowed;  /* a value may be missing */
    bool label;            /* it is the label of the table */
    bool drawn;            /* it is in what a model draws: all but columns that are left out */
    double minimum;        /* of numbers, dates (days) and datetimes (seconds); else 0 */
    double maximum;        /* likewise */
    size_t category_count; /* of a category column; else 0. A boolean has two: false, then true */
    double step;           /* of numbers: values are whole multiples of it; 0: none is declared */
    const double *spikes;  /* of numbers: values apart, ascending, also outside the bounds */
    size_t spike_count;
    uint64_t max_rows_per_unit; /* it says whose row it is, and so many rows of a person count at
                                 * most; 0: it does not */
    bool per_unit;              /* it is the person's: one value for all rows of one */
    bool order;                 /* it orders the rows of a person */
} sbl_schema_column;

/* Column number index, from 0. Returns: SBL_OK; SBL_EARG past the last, which ends a loop */
SBL_API SBL_MUST_USE sbl_status sbl_schema_get_column(const sbl_schema *schema, sbl_schema_column *column,
                                                      size_t index, sbl_error *err);
/* A category as it is written, borrowed from the schema; code counts from 0. NULL when there is none. */
SBL_API const char *sbl_schema_category(const sbl_schema *schema, size_t column, size_t code);

/* ---- built by code ---- */

typedef struct sbl_schema_builder sbl_schema_builder;

/* A column to be added; set up by sbl_schema_field_init(). Texts are UTF-8, borrowed for the call. */
typedef struct sbl_schema_field {
    size_t struct_size;  /* set by sbl_schema_field_init() */
    const char *name;    /* needed */
    sbl_field_type type; /* default SBL_TYPE_NUMBER; SBL_TYPE_NONE: the column is ignored, and nothing
                          * else here is looked at */
    bool required;       /* default false: values may be missing */
    /* Bounds, of integers, numbers, dates (days since 1970-01-01) and datetimes (seconds), where there
     * are no categories. Values outside are moved to the nearest bound. */
    double minimum; /* finite; default 0 */
    double maximum; /* at least minimum, finite; default 0; whole numbers but for SBL_TYPE_NUMBER */
    bool utc;       /* datetime: bounds and drawn values are in UTC. Default false: no zone */
    int decimals;   /* number: 0 to 22 digits after the point; default -1: any */
    bool log_scale; /* number, integer: spread over many sizes, as incomes are. Default false */
    /* Every value that the column may take, of any type but boolean; default: none, bounds hold. */
    const char *const *categories;
    size_t category_count;
    const char *other; /* the category that stands for any other value; default NULL: none */
    bool ordered;      /* the categories stand in their order; default false */
    double step;       /* integer, number: every value is a whole multiple of it, at most 9 digits
                        * after the point; default 0: none */
    /* integer, number: values that many records share, each with a category of its own, at most 16.
     * One outside the bounds stands for something else than a size, as 999 for "not asked". */
    const double *spikes;
    size_t spike_count; /* default 0 */
    bool label; /* what is to be predicted, by which classes are told apart; of one column. Default false */
    /* Where a person may own several rows, of one column: it says whose row it is, and at most so many
     * rows of a person count, 1 to 1024. Of the rest here only its name is looked at. Default 0: it does not. */
    uint64_t max_rows_per_unit;
    bool per_unit; /* the person's: one value for all rows of one. Default false */
    bool order; /* number, date or datetime, required: it orders the rows of a person; of one column. Default
                 * false: they are in the order of reading */
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
/* Returns: SBL_OK; SBL_EARG for a text that is not UTF-8 or a bound that is no finite number; SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_builder_add(sbl_schema_builder *builder,
                                                       const sbl_schema_field *field, sbl_error *err);
/* The schema of the columns so far; the builder stays, and may go on.
 * Returns: SBL_OK; SBL_EINPUT: what is wrong with which column; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_schema_free() */
SBL_API SBL_MUST_USE sbl_status sbl_schema_builder_finish(const sbl_schema_builder *builder,
                                                          sbl_schema **schema, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
