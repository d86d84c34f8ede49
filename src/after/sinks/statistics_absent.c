/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces statistics_table.c if ReadStat was not there when the library was built. */
#include "after/sinks/statistics_table.h"

sbl_status sbl_statistics_table_check(const char *path, const sbl_schema *schema, sbl_error *err)
{
    (void)schema;
    return sbl_fail(err, SBL_EARG, "%s: this build does not write files of SPSS and Stata: write CSV", path);
}

sbl_status sbl_statistics_table_new(sbl_statistics_table **table, const char *path, const sbl_schema *schema,
                                    sbl_table_write_options options, sbl_error *err)
{
    (void)options;
    *table = NULL;
    return sbl_statistics_table_check(path, schema, err);
}

sbl_status sbl_statistics_table_write(sbl_statistics_table *table, const sbl_batch *batch, sbl_error *err)
{
    (void)table, (void)batch;
    return sbl_fail(err, SBL_EINTERNAL, "no table is written");
}

sbl_status sbl_statistics_table_finish(sbl_statistics_table *table, sbl_error *err)
{
    (void)table;
    return sbl_fail(err, SBL_EINTERNAL, "no table is written");
}

void sbl_statistics_table_free(sbl_statistics_table *table) { (void)table; }
