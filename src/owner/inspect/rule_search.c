/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds the same rows to the searches and collects what they found. */
#include "owner/inspect/rule_search.h"

#include <math.h>

#include "base/alloc.h"

struct sbl_rule_search {
    sbl_rule_relations *relations;
    sbl_rule_follows *follows;
    sbl_rule_joint *joint;
    sbl_rule_bounds *bounds;
};

double sbl_rule_value(const sbl_batch *batch, size_t c, size_t row)
{
    const sbl_batch_column *column = &batch->columns[c];
    const sbl_column *facts = &batch->schema->columns[c];
    if (sbl_cell_is_misfit(facts, (sbl_cell_fault)sbl_batch_faults(batch, row)[c])) return NAN;
    if (column->codes != NULL)
        return column->codes[row] != sbl_column_missing_code(facts) ? (double)column->codes[row]
                                                                    : (double)NAN;
    if (column->values == NULL || (column->missing != NULL && column->missing[row] != 0)) return NAN;
    return column->values[row];
}

sbl_status sbl_rule_search_new(sbl_rule_search **search, const sbl_rule_view *view, sbl_error *err)
{
    sbl_rule_search *made = NULL;
    sbl_status status = SBL_OK;
    *search = NULL;
    SBL_ALLOC(made, 1, "constraints");
    SBL_TRY(sbl_rule_relations_new(&made->relations, view, err));
    SBL_TRY(sbl_rule_follows_new(&made->follows, view, err));
    SBL_TRY(sbl_rule_joint_new(&made->joint, view, err));
    SBL_TRY(sbl_rule_bounds_new(&made->bounds, view, err));
    *search = made;
    made = NULL;
done:
    sbl_rule_search_free(made);
    return status;
}

void sbl_rule_search_free(sbl_rule_search *search)
{
    if (search == NULL) return;
    sbl_rule_relations_free(search->relations);
    sbl_rule_follows_free(search->follows);
    sbl_rule_joint_free(search->joint);
    sbl_rule_bounds_free(search->bounds);
    sbl_free(search);
}

sbl_status sbl_rule_search_take(sbl_rule_search *search, const sbl_rule_block *block, sbl_error *err)
{
    sbl_rule_follows_take(search->follows, block);
    sbl_rule_joint_take(search->joint, block);
    sbl_rule_bounds_take(search->bounds, block);
    return sbl_rule_relations_take(search->relations, block, err);
}

sbl_status sbl_rule_search_finish(sbl_found_rules *found, sbl_rule_search *search, sbl_error *err)
{
    SBL_CHECK(sbl_rule_relations_finish(found, search->relations, err));
    SBL_CHECK(sbl_rule_follows_finish(found, search->follows, err));
    SBL_CHECK(sbl_rule_joint_finish(found, search->joint, err));
    return sbl_rule_bounds_finish(found, search->bounds, err);
}
