/* What every drawn record is to have: "COLUMN=VALUE", one condition a line. */
#ifndef SBL_PIPELINE_WHERE_H
#define SBL_PIPELINE_WHERE_H

#include "base/status.h"
#include "model/model.h"

typedef struct sbl_where {
    size_t wanted;    /* a class, or SBL_ANY_CLASS */
    size_t kept;      /* the class that mending by constraints leaves alone, or SBL_ANY_CLASS */
    sbl_fixed *fixed; /* (count): for a kind of model that can fix columns */
    size_t count;
} sbl_where;

/* Of a table: columns that are in the model, each once; a category as it is written, a number or a
 * date within its bounds, or nothing after the sign where a value may be missing. A kind of model
 * that cannot fix columns takes the label alone, as a class. Of images "label=CLASS" or "CLASS", by
 * name or, where classes have none, by number. text NULL: no condition.
 * Returns: SBL_OK; SBL_EARG names the column, never a value; SBL_EMEM
 * Owner:   the caller, sbl_where_clear() */
sbl_status sbl_where_read(sbl_where *where, const char *text, const sbl_model *model,
                          sbl_error *err);
void sbl_where_clear(sbl_where *where);

#endif
