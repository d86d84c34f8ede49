/* SPDX-License-Identifier: Apache-2.0 */
/* What every drawn record is to hold, one condition a line: "COLUMN=VALUE", or a condition in the
 * language of constraints, such as "age > 80" (docs/CONSTRAINTS.md).
 *
 * A class is asked of every kind of model, other values are fixed where the kind can (model.h). What
 * is left is met by rejection: rows are drawn until enough of them hold all conditions as they would
 * be written, after constraints were kept, or a public limit is reached. A person that is drawn with
 * all its rows (model.h, whole_units) is kept or left as a whole. */
#ifndef SBL_PIPELINE_CONDITIONS_H
#define SBL_PIPELINE_CONDITIONS_H

#include "after/model/model.h"
#include "after/sinks/sink.h"
#include "base/error.h"

/* The most rows drawn for each row that is wanted and satisfies the conditions, plus SBL_CONDITIONS_BESIDE: if
 * none ever does, drawing ends there. */
#define SBL_CONDITIONS_TRIES 1000
#define SBL_CONDITIONS_BESIDE 100000

typedef struct sbl_conditions {
    size_t wanted;    /* a class, or SBL_ANY_CLASS */
    size_t kept;      /* the class that mending by constraints leaves alone, or SBL_ANY_CLASS */
    sbl_fixed *fixed; /* (fixed_count): for a kind of model that can fix columns */
    size_t fixed_count;
    sbl_condition *items; /* (count): every one that was asked for */
    size_t count;
    bool rejects; /* rows must be looked at: some condition may not hold in what is drawn */
    /* Whole persons are drawn, and some row of a person must satisfy each condition. One column may occur more than
     * once. */
    bool persons;
} sbl_conditions;

/* For a table: columns that are written, but not ids or fakes. Each column at most once; its value is a category
 * as it is written, a number or a date within its bounds, or nothing after the sign if a value may be missing.
 * For images: "label=CLASS" or "CLASS", by name or, if classes have no names, by number. text NULL: no
 * condition.
 * Returns: SBL_OK; SBL_EARG names the column, never the value that was asked for; SBL_EMEM
 * Owner:   the caller, sbl_conditions_clear() */
sbl_status sbl_conditions_read(sbl_conditions *asked, const char *text, const sbl_model *model,
                               sbl_error *err);
/* The same of rows that are drawn already, whatever their model: all of it is in `items`. */
sbl_status sbl_conditions_read_rows(sbl_conditions *asked, const char *text, const sbl_schema *schema,
                                    sbl_error *err);
void sbl_conditions_clear(sbl_conditions *asked);

#endif
