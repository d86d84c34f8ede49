/* SPDX-License-Identifier: Apache-2.0 */
/* A list of strings, owned. */
#ifndef SBL_SCHEMA_SCHEMA_TYPE_H
#define SBL_SCHEMA_SCHEMA_TYPE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "public/schema/dialect.h"
#include "semblance/schema.h"

typedef struct sbl_strings {
    char **items;
    size_t count;
} sbl_strings;

/* Room for this number of entries in an empty list. False: out of memory, as below. */
bool sbl_strings_reserve(sbl_strings *strings, size_t capacity);
/* A copy of text goes to the end; there must be room. */
bool sbl_strings_add(sbl_strings *strings, const char *text);
bool sbl_strings_contain(const sbl_strings *strings, const char *text);
void sbl_strings_clear(sbl_strings *strings);

/* What is publicly known about a table: its columns, their bounds and categories, and the label.
 *
 * The file format is the Frictionless Table Schema (JSON), with a `semblance` object for what that
 * standard has no word for. Nothing here is learned from data: a column without bounds or
 * categories is an error that names the column and says what to add. */

/* What an ignored column is in the synthetic table (public/schema/role.h). */
typedef enum sbl_synthetic_kind {
    SBL_SYNTHETIC_NOT,     /* it is not there */
    SBL_SYNTHETIC_ID,      /* made_as: "sequential", "uuid" or a pattern with # for digits */
    SBL_SYNTHETIC_FAKE,    /* made_as: "name", "email" and others (public/schema/role.c) */
    SBL_SYNTHETIC_CONSTANT /* made_as: the text itself */
} sbl_synthetic_kind;

typedef enum sbl_task { SBL_TASK_NONE, SBL_TASK_CLASSIFICATION, SBL_TASK_REGRESSION } sbl_task;

#define SBL_NO_COLUMN ((size_t)-1)
#define SBL_NO_TABLE ((size_t)-1)
#define SBL_MOST_TABLES 32 /* that are linked */
#define SBL_MOST_SPIKES 16
#define SBL_AFFIX_MOST 16 /* bytes before or after a number */

typedef struct sbl_column {
    char *name;
    sbl_field_type type;
    sbl_column_kind kind;
    bool required;        /* as declared: a missing value is a fault */
    bool missing_allowed; /* not required, and some text stands for a missing value */
    bool per_unit;        /* it is the person's: one value for all rows of one */
    sbl_strings missing_values;

    /* Numbers, dates and datetimes. */
    double minimum;
    double maximum;
    bool log_transform;     /* y = log1p(x - minimum) / log1p(maximum - minimum) */
    bool utc;               /* datetime: the schema writes a final Z, and so do we */
    char *format;           /* date, datetime, time: a pattern (public/schema/calendar.h); NULL: ISO 8601 */
    char decimal_char;      /* number: '.' or ',' */
    char group_char;        /* number, integer: between thousands; 0: none */
    bool bare;              /* number, integer: no currency or percent sign around it */
    char *prefix;           /* not bare: written before the number and after it, at most */
    char *suffix;           /* SBL_AFFIX_MOST bytes each; NULL: nothing */
    bool decimals_declared; /* number: written with exactly `decimals` digits after the point */
    int decimals;           /* values are whole multiples of 10^-decimals; -1: any double */
    double scale;           /* 10^decimals, exact (decimals <= 22) */
    bool step_declared;     /* number: values are whole multiples of a step */
    double multiple;        /* the step is multiple / scale, both whole numbers; 1: no step */
    double grid_minimum;    /* first and last multiple of it within the bounds, as whole numbers */
    double grid_maximum;
    double fallback; /* public constant for a cell that cannot be read in a column that may not be
                      * empty: the midpoint, on the grid */
    double spikes[SBL_MOST_SPIKES]; /* numbers: values with a category of their own, ascending;
                                     * also outside the bounds (public/schema/spikes.h) */
    size_t spike_count;
    /* Of a fitted schema: 1 or -1 where the numbers are differences from column `base` of the same table; else 0. */
    int difference;
    size_t base;
    /* Likewise, of linked tables: one more than the column of the parent table that constraints put before it, and
     * of the one that they put after it; 0: none. */
    size_t begin, end;
    /* Numbers with bounds by the category of another column of the row (bounds_by.h). */
    size_t by;                     /* that column, where by_domains is not NULL */
    struct sbl_column *by_domains; /* (by_count): those of the named categories; NULL: there are none */
    size_t by_count;
    uint32_t *by_index; /* (by_codes): for each category 1 + its domain, or 0: the column's own */
    size_t by_codes;
    /* Date, datetime, time: other formats in which a cell may be read, in this order (public/schema/moment.h). */
    sbl_strings also_formats;

    /* Categories, as they are written. A boolean has two: false, then true. */
    sbl_strings categories;
    bool ordered;
    uint32_t fallback_code; /* public constant: category 0, or the one declared as `other` */
    bool other_declared;    /* a value that is not among the categories is that one */
    char *hierarchy;        /* a public hierarchy over them (hierarchy.h), as JSON; NULL: none */
    size_t levels;          /* of it, the coarsest first */
    uint32_t *ancestors;    /* (levels, categories): the number of each one's group at each level */
    /* What files of SPSS and Stata say of it (file_facts.h), owned; NULL: nothing. */
    struct sbl_file_facts *file;
    sbl_strings true_values;
    sbl_strings false_values;

    /* Ignored columns. */
    sbl_synthetic_kind made;
    char *made_as;  /* NULL where it is not made */
    char *made_sex; /* a fake name: the column with the sex that it fits; NULL: none */
} sbl_column;

/* One of several tables that are linked by keys. */
typedef struct sbl_linked_table {
    char *name;             /* the resource's: letters of any script, digits, '-' and '_' */
    char *path;             /* as the package says it, relative to the package; NULL: none */
    size_t parent;          /* the parent table, before this one; SBL_NO_TABLE: it is the root,
                             * which is table 0 */
    size_t first, count;    /* its columns among the schema's */
    size_t key;             /* of the schema's columns: its primaryKey, or SBL_NO_COLUMN */
    size_t parent_key;      /* likewise: names its parent's row; SBL_NO_COLUMN: the root */
    size_t order;           /* likewise: orders its rows, or SBL_NO_COLUMN */
    uint64_t rows_per_unit; /* the most of its rows that count for one person; the root: 1 */
    sbl_schema *schema;     /* of the table by itself, owned: unit = parent_key (the root: key) */
} sbl_linked_table;

void sbl_linked_tables_free(sbl_linked_table *tables, size_t count);

struct sbl_schema {
    sbl_column *columns;
    size_t column_count;
    size_t label; /* index into columns, or SBL_NO_COLUMN */
    sbl_task task;
    uint64_t rows_per_unit; /* the most rows of one person that count, 1 .. 1024; 0: a row is a
                             * person */
    size_t unit;            /* where a person may own several: the column that says whose row it is, which is
                  * an ignored one; SBL_NO_COLUMN: there is none */
    size_t order; /* the column by which a person's rows are ordered: numeric, fitted, never missing,
                   * without log scale and spikes, no person's and not the label; SBL_NO_COLUMN: by
                   * the order of reading */
    sbl_dialect dialect;
    sbl_strings constraints; /* between columns, as they are written: public/rules/rules.h reads them */
    char *origin; /* where its facts came from, as the file says (semblance.origin.how); NULL: it does not
                   * say. No part of what the schema means: sbl_schema_json() leaves it out */
    char *person; /* a column that inspection took for the person's id (semblance.origin.person); NULL: none.
                   * No part of what the schema means, either */
    sbl_strings proposals; /* in words, for people: no part of what the schema means */
    /* For linked tables (package.h): their columns are side by side in `columns`, named
     * "table.column"; unit is the root's key, rows_per_unit the sum of the other tables'. A table's own
     * dialect, order and constraints are in its own schema. A parent comes before its children. */
    sbl_linked_table *tables; /* (table_count), owned; NULL: it is the schema of one table */
    size_t table_count;
};

/* Most bytes of an origin. */
#define SBL_ORIGIN_MOST 200

/* Most bytes of a schema's file. */
#define SBL_SCHEMA_FILE_LIMIT ((size_t)64 << 20)

/* Read a schema file of one table or of a package, or parse text; where (usually a path) is used in messages.
 * Returns: SBL_OK, SBL_EINPUT (one line: what is wrong and what to write), SBL_EIO, SBL_EMEM
 * Owner:   the caller, sbl_schema_free() of the public header, which has the kinds and types of columns, too */
sbl_status sbl_schema_read(sbl_schema **schema, const char *path, sbl_error *err);
sbl_status sbl_schema_parse(sbl_schema **schema, const char *text, size_t length, const char *where,
                            sbl_error *err);

/* The same of an object that was parsed. */
sbl_status sbl_schema_build(sbl_schema **schema, const json_t *object, const char *where, sbl_error *err);

/* The schema's meaning as canonical JSON, which sbl_schema_parse reads back as an equal schema: the
 * same facts give the same bytes whatever file they came from. NULL when out of memory; sbl_free.
 */
char *sbl_schema_json(const sbl_schema *schema);
/* The same with its origin, for a reader that needs the origin. */
char *sbl_schema_json_with_origin(const sbl_schema *schema);
/* A schema that means the same, origin included; sbl_schema_free().   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_schema_copy(sbl_schema **copy, const sbl_schema *schema, sbl_error *err);
/* Does an origin, which may be NULL, say that bounds and categories were read from the records, and not
 * that their owner has accepted them? */
bool sbl_origin_is_inspected(const char *origin);
/* The column that looks like a person's id, of a schema that declares no person; NULL: there is none. */
const char *sbl_schema_likely_person(const sbl_schema *schema);
/* The same as a JSON value, owned by the caller (json_decref): to be part of another one. */
json_t *sbl_schema_to_json(const sbl_schema *schema);

/* SHA-256 of that text, for plans. */
sbl_status sbl_schema_hash(uint8_t digest[SBL_SHA256_SIZE], const sbl_schema *schema, sbl_error *err);

/* One line per column: what it is and what it becomes; then its proposals, which are NOT PRIVATE.
 * keys_of: of one of several linked tables sbl_schema_keys_of(); else NULL, and rows belong to persons. */
void sbl_schema_describe(sbl_text *text, const sbl_schema *schema, const char *keys_of);
/* The table whose keys say what a row of a linked table belongs to: its parent; of the root itself. */
const char *sbl_schema_keys_of(const sbl_schema *schema, size_t table);
/* One line for a linked table: which table it is, and the table that it refers to. */
void sbl_schema_describe_table(sbl_text *text, const sbl_schema *schema, size_t table);
void sbl_schema_describe_proposals(sbl_text *text, const sbl_schema *schema);

const char *sbl_column_kind_name(sbl_column_kind kind);
const char *sbl_field_type_name(sbl_field_type type);
const char *sbl_task_name(sbl_task task);

/* The table that a column of a schema of linked tables is of. */
size_t sbl_schema_table_of(const sbl_schema *schema, size_t column);

/* Does the column hold a double (number, date, datetime)? */
bool sbl_column_is_numeric(const sbl_column *column);

/* Are its numbers written in another way than digits, a point and a sign? */
static inline bool sbl_column_is_marked(const sbl_column *column)
{
    return column->decimal_char == ',' || column->group_char != 0 || !column->bare;
}

/* Are these whole numbers years, by their bounds? Years are written without marks between thousands, also in a
 * table that has them everywhere else. */
static inline bool sbl_bounds_are_years(sbl_field_type type, double minimum, double maximum)
{
    return type == SBL_TYPE_INTEGER && minimum >= 1700 && maximum <= 2200;
}

/* The code of a missing value in a category column: one past the last category. */
uint32_t sbl_column_missing_code(const sbl_column *column);

/* Number k of the column's grid, correctly rounded, and the number k that is nearest to a value. */
static inline double sbl_column_grid_value(const sbl_column *column, double whole)
{
    return whole * column->multiple / column->scale;
}

static inline double sbl_column_grid_whole(const sbl_column *column, double value)
{
    return nearbyint(value * column->scale / column->multiple);
}

/* The allowed value nearest to value: within the bounds and on the column's grid, or a spike outside
 * the bounds where it is just that. NaN gives the smallest allowed value. */
double sbl_column_snap(const sbl_column *column, double value);

/* How a number is bounded in a row whose `by` column has this code; the column itself where it has no bounds by
 * category, or none for this code. */
static inline const sbl_column *sbl_column_by(const sbl_column *column, size_t code)
{
    return code < column->by_codes && column->by_index[code] != 0
               ? &column->by_domains[column->by_index[code] - 1]
               : column;
}

/* Clamp only; NaN goes to the minimum on every platform. */
static inline double sbl_column_clamp(const sbl_column *column, double value)
{
    if (!(value >= column->minimum)) return column->minimum;
    return value <= column->maximum ? value : column->maximum;
}

/* To and from [0,1] by the public bounds; both clamp. A constant column (minimum = maximum) is 0.
 */
double sbl_column_to_unit(const sbl_column *column, double value);
double sbl_column_from_unit(const sbl_column *column, double unit);

/* What was given beside the schema takes its place: its dialect, and the marks of its columns of numbers
 * (sbl_dialect_apply). */
sbl_status sbl_schema_apply_dialect(sbl_schema *schema, const sbl_data_options *given, sbl_error *err);

#define SBL_NO_SPIKE ((size_t)-1)

/* Does a spike lie outside the bounds? */
static inline bool sbl_spike_is_sentinel(const sbl_column *column, size_t spike)
{
    return column->spikes[spike] < column->minimum || column->spikes[spike] > column->maximum;
}

/* Which sentinel a value is, with the column's decimals; SBL_NO_SPIKE: none. */
static inline size_t sbl_spikes_sentinel(const sbl_column *column, double value)
{
    if (column->spike_count == 0 || (value >= column->minimum && value <= column->maximum))
        return SBL_NO_SPIKE;
    const double held = column->decimals >= 0 ? nearbyint(value * column->scale) / column->scale : value;
    for (size_t i = 0; i < column->spike_count; i++)
        if (column->spikes[i] == held && sbl_spike_is_sentinel(column, i)) return i;
    return SBL_NO_SPIKE;
}

/* Has the column any? */
bool sbl_spikes_have_sentinel(const sbl_column *column);

/* For a numeric column's indicator: 0 an ordinary value, then missing if that is allowed, then
 * the spikes. */
static inline uint32_t sbl_spike_code(const sbl_column *column, size_t spike)
{
    return 1 + (column->missing_allowed ? 1U : 0U) + (uint32_t)spike;
}

#endif
