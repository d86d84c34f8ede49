/* What every drawn record is to hold, one condition a line: "COLUMN=VALUE", or a condition in the
 * language of constraints, such as "age > 80" (docs/CONSTRAINTS.md).
 *
 * A class is asked of every kind of model, other values are fixed where the kind can (model.h). What
 * is left is met by rejection: rows are drawn until enough of them hold all conditions as they would
 * be written, after constraints were kept, or a public limit is reached. */
#ifndef SBL_PIPELINE_WHERE_H
#define SBL_PIPELINE_WHERE_H

#include "base/status.h"
#include "model/model.h"
#include "source/sink.h"

/* So many rows are drawn at most for each that is wanted and held, beside SBL_WHERE_BESIDE: where none
 * ever holds, that is where it ends. */
#define SBL_WHERE_TRIES 1000
#define SBL_WHERE_BESIDE 100000

typedef struct sbl_where {
    size_t wanted;    /* a class, or SBL_ANY_CLASS */
    size_t kept;      /* the class that mending by constraints leaves alone, or SBL_ANY_CLASS */
    sbl_fixed *fixed; /* (count): for a kind of model that can fix columns */
    size_t count;
    sbl_condition *conditions; /* (condition_count): every one that was asked for */
    size_t condition_count;
    bool rejects; /* rows must be looked at: some condition may not hold in what is drawn */
} sbl_where;

/* Of a table: columns that are written and no ids or fakes. A value: of each column once; a category as
 * it is written, a number or a date within its bounds, or nothing after the sign where a value may be
 * missing. Of images "label=CLASS" or "CLASS", by name or, where classes have none, by number. text
 * NULL: no condition.
 * Returns: SBL_OK; SBL_EARG names the column, never the value that was asked for; SBL_EMEM
 * Owner:   the caller, sbl_where_clear() */
sbl_status sbl_where_read(sbl_where *where, const char *text, const sbl_model *model,
                          sbl_error *err);
void sbl_where_clear(sbl_where *where);

#endif
