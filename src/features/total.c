/* `total`: a 1 for every record. Of classes that are declared to be equally frequent only the number
 * of records is wanted, and it is private under add-remove.
 * Bound: norm 1, nonnegative. Sensitivity of the sum: 1 under add-remove, 0 under replace-one. */
#include <stdio.h>

#include "accumulate/sum.h"
#include "features/feature.h"
#include "features/parameters.h"

static const uint32_t zeros[SBL_SLICE_ROWS];

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    *made = (void *)(uintptr_t)facts;
    return sbl_parameters_are(parameters, 0, "total", err);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    (void)made;
    *block = (sbl_block){
        .name = "total", .width = 1, .nonnegative = true, .bound2 = 1, .bound1 = 1, .scale = 1.0};
    *weight = 1.0;
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    (void)made;
    (void)workspace;
    (void)records;
    return sbl_sum_add_ones(sum, block, zeros, 1, err);
}

const sbl_feature sbl_feature_total = {
    .name = "total", .make = make, .describe = describe, .add = add};
