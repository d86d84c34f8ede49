/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces statistics_format.c if ReadStat was not there when the library was built. */
#include "base/readstat/readstat_there.h"
#include "records/rows/table.h"

static sbl_status open_cells(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    (void)dialect, (void)names;
    *state = NULL;
    return sbl_readstat_absent(table->name, err);
}

static sbl_status next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    (void)state, (void)cells, (void)err;
    *more = false;
    return SBL_OK;
}

static void close_reading(void *state) { (void)state; }

const sbl_format sbl_statistics_format = {.open = open_cells, .next = next_cells, .close = close_reading};
