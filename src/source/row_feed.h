/* Rows of a table, whatever they come from: what a table source encodes. A CSV file is one kind of feed, Arrow
 * arrays are another. */
#ifndef SBL_SOURCE_ROW_FEED_H
#define SBL_SOURCE_ROW_FEED_H

#include "base/status.h"
#include "table/batch.h"
#include "table/reader.h"

typedef struct sbl_row_feed {
    /* From the first row on. state is NULL on failure. options: of a table reader; schema: what is read; both
     * are borrowed until close(). */
    sbl_status (*open)(void **state, const void *origin, const char *name, const sbl_schema *schema,
                       const sbl_table_options *options, sbl_error *err);
    /* Up to batch->capacity rows; batch->rows is 0 at the end.   Privacy: records */
    sbl_status (*read)(void *state, sbl_batch *batch, sbl_error *err);
    void (*close)(void *state); /* wipes; NULL is fine */
} sbl_row_feed;

/* Tables as Arrow streams; origin: sbl_arrow_origin (source.h). */
extern const sbl_row_feed sbl_arrow_feed;

#endif
