/* SPDX-License-Identifier: Apache-2.0 */
/* [9] A table as a file of SPSS (.sav) or Stata (.dta). Such a file begins with the number of its rows, so rows are first
 * kept as numbers and texts in a pending file next to the output. When all are there, ReadStat writes them into a second file,
 * which then appears.
 *
 * Categories become codes with value labels: those of semblance.codes, else 1, 2, 3, ... Titles and user-missing values of the
 * schema return (public/schema/file_facts.h). Dates and datetimes are numbers with a format, booleans 0 and 1. */
#ifndef SBL_SINKS_STATISTICS_TABLE_H
#define SBL_SINKS_STATISTICS_TABLE_H

#include "after/sinks/writer.h"
#include "base/error.h"
#include "public/rows/row_batch.h"

typedef struct sbl_statistics_table sbl_statistics_table;

/* Could it be written? SBL_EARG: this build or machine has no ReadStat, the format is only read (.sas7bdat, .xpt, .zsav), or the
 * program does not take the name of a column. schema NULL: not known yet. */
sbl_status sbl_statistics_table_check(const char *path, const sbl_schema *schema, sbl_error *err);

/* The schema is borrowed; options as of a table in CSV.   Returns: as above; SBL_EIO, SBL_EMEM */
sbl_status sbl_statistics_table_new(sbl_statistics_table **table, const char *path, const sbl_schema *schema,
                                    sbl_table_write_options options, sbl_error *err);
sbl_status sbl_statistics_table_write(sbl_statistics_table *table, const sbl_batch *batch, sbl_error *err);
/* Let the file appear. */
sbl_status sbl_statistics_table_finish(sbl_statistics_table *table, sbl_error *err);
void sbl_statistics_table_free(
    sbl_statistics_table *table); /* NULL is fine; what was not finished never was */

#endif
