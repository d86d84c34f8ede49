/* `persons`: how many persons have 1, 2, ..., k rows that count, for tables in which a person may own
 * several. The sum forms it from whose row each is; nothing of the record itself is in it.
 * Sensitivity for one person, with however many rows: 1 added or removed, 2 (one bin down, one up)
 * replaced, in the L1 norm and squared in L2 (docs/mechanisms/unit.md). */
#include "features/feature.h"
#include "features/parameters.h"

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    *made = (void *)(uintptr_t)facts;
    if (sbl_facts_rows_per_unit(facts) == 0)
        return sbl_fail(err, SBL_EINPUT, "the plan counts persons of a table that names none");
    return sbl_parameters_are(parameters, 0, "persons", err);
}

static void done_with(void *made) { (void)made; }

static void describe(const void *made, sbl_block *block, double *weight)
{
    *block = sbl_block_of_persons(sbl_facts_rows_per_unit(made));
    *weight = 1.0;
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    (void)sum;
    (void)block;
    (void)made;
    (void)workspace;
    (void)records;
    (void)err;
    return SBL_OK;
}

const sbl_feature sbl_feature_persons = {
    .name = "persons", .make = make, .free = done_with, .describe = describe, .add = add};
