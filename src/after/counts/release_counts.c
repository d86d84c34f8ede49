/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the estimates of a release's blocks into the order of tables and trees. */
#include "after/counts/release_counts.h"

#include "base/alloc.h"

void sbl_table_values_clear(sbl_table_values *values)
{
    sbl_pool_clear(&values->pool);
    *values = (sbl_table_values){0};
}

sbl_status sbl_table_values_read(sbl_table_values *out, const sbl_table_list *tables,
                                 const sbl_release *release, size_t block, sbl_error *err)
{
    const size_t count = tables->plan.table_count;
    sbl_status status = SBL_OK;
    size_t total = 0;
    size_t at = 0;
    for (size_t b = 0; b < tables->block_count; b++) total += tables->widths[b];
    SBL_POOL(&out->pool, out->all, total, 1, "the tables of a release");
    SBL_POOL(&out->pool, out->values, count, 1, "the tables of a release");
    SBL_POOL(&out->pool, out->noise, count, 1, "the tables of a release");
    for (size_t t = 0; t < count; t++) {
        const sbl_block *from = &release->blocks[block + tables->block_of[t]];
        const size_t entries = sbl_pairs_table_entries(&tables->plan, t);
        out->values[t] = out->all + at;
        const double of_unit = (double)tables->unit / tables->amounts[t];
        out->noise[t] = of_unit * sbl_release_noise_deviation(release, from);
        for (size_t i = 0; i < entries; i++)
            out->all[at + i] = of_unit * sbl_release_estimate(release, from, 0, tables->offset[t] + i);
        at += entries;
    }
done:
    if (status != SBL_OK) sbl_table_values_clear(out);
    return status;
}

sbl_status sbl_leaves_values(double **values, double *noise, const sbl_trees *trees,
                             const sbl_release *release, size_t block, sbl_error *err)
{
    const sbl_block *from = &release->blocks[block];
    sbl_status status = SBL_OK;
    *values = NULL;
    SBL_ALLOC(*values, trees->entry_count, "the tables of a release");
    for (size_t i = 0; i < trees->entry_count; i++) (*values)[i] = sbl_release_estimate(release, from, 0, i);
    *noise = sbl_release_noise_deviation(release, from);
done:
    return status;
}
