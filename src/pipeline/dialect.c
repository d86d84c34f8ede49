/* Applies the options about delimiters, headers and numbers to the usual way of writing a
 * table, and puts the marks of numbers into a plan where they are unusual. */
#include "pipeline/dialect.h"

/* How the table is written: what was said, and else as usual. Where no line names the columns, how many
 * there are would be a fact of the first record. */
sbl_status sbl_written_of_options(sbl_written *written, const sbl_synth_options *options,
                                  sbl_error *err)
{
    const sbl_dialect_given given = sbl_dialect_of_options(options);
    *written = SBL_WRITTEN_USUALLY;
    const sbl_status status = sbl_written_apply(written, &given, err);
    if (status != SBL_OK || written->dialect.header) return status;
    return sbl_fail(err, SBL_EARG,
                    "a schema is bought for the columns that a header names: give a schema for a "
                    "table without one");
}

/* What numbers look like decides what is counted: it stands in the plan, unless it is the usual. */
sbl_status sbl_plan_written(sbl_plan *plan, const sbl_written *written, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (written->decimal_char != '.')
        SBL_TRY(sbl_plan_set(plan, "decimalChar", json_stringn(&written->decimal_char, 1), err));
    if (written->group_char != 0)
        SBL_TRY(sbl_plan_set(plan, "groupChar", json_stringn(&written->group_char, 1), err));
done:
    return status;
}
