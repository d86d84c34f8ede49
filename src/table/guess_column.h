/* What one column of a table without a schema seems to hold. NOT PRIVATE. */
#ifndef SBL_TABLE_GUESS_COLUMN_H
#define SBL_TABLE_GUESS_COLUMN_H

#include "base/status.h"
#include "base/text.h"
#include "schema/dialect_given.h"
#include "schema/draft.h"

#define SBL_GUESS_STYLES 5    /* ways to write a number */
#define SBL_GUESS_PATTERNS 12 /* and a date or datetime */
#define SBL_GUESS_VALUES 1000 /* different values that are kept */
#define SBL_GUESS_SLOTS (2 * SBL_GUESS_VALUES)

typedef struct sbl_guess_value {
    char *text;
    uint64_t count;
} sbl_guess_value;

/* Numbers or moments of one way of writing. */
typedef struct sbl_guess_range {
    uint64_t count;
    double low, high;
} sbl_guess_range;

typedef struct sbl_guess_column {
    char *name;
    const sbl_column *styles; /* (SBL_GUESS_STYLES), borrowed: how numbers may be written */
    uint64_t cells, missing;
    uint64_t zero_led; /* whole numbers with a leading zero: codes */
    sbl_guess_range numbers[SBL_GUESS_STYLES];
    uint64_t wholes[SBL_GUESS_STYLES];
    int decimals[SBL_GUESS_STYLES]; /* most that were seen */
    sbl_guess_range moments[SBL_GUESS_PATTERNS];
    sbl_guess_value *values; /* hashed by text; (SBL_GUESS_SLOTS) */
    size_t value_count;
    bool many;   /* more than SBL_GUESS_VALUES */
    bool failed; /* out of memory */
} sbl_guess_column;

/* The ways of writing a number that are tried; what was given holds in all of them. */
void sbl_guess_styles(sbl_column styles[SBL_GUESS_STYLES], const sbl_dialect_given *given);
bool sbl_guess_column_init(sbl_guess_column *column, const char *name, size_t length,
                           const sbl_column *styles);
void sbl_guess_column_clear(sbl_guess_column *column);
void sbl_guess_column_take(sbl_guess_column *column, const char *text, size_t length);

/* Add what it seems to be to the draft, and to notes a line where the owner should look. comma: the
 * table's cells are separated by commas. */
sbl_status sbl_guess_column_draft(sbl_guess_column *column, sbl_schema_draft *draft, bool comma,
                                  sbl_text *notes, sbl_error *err);

/* Is it a number that is written so, one of a column's styles, and which? */
bool sbl_guess_number(double *value, const sbl_column *style, const char *text);

/* Cells that mean that there is no value, as the schema will list them. */
extern const char *const sbl_guess_missing[];
#define SBL_GUESS_MISSING 9

#endif
