/* [3] and [4] From the items of a plan to made features, one layout and its weights; then records
 * of a slice through each feature into the sum. Blocks of one name are told apart by the number of
 * their feature, and the block of persons is weighed against all others together. */
#include "features/features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"

static const sbl_feature *find(const sbl_feature *const *list, const char *name)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

static sbl_status make_item(sbl_feature_instance *item, const sbl_plan_item *planned,
                            const sbl_facts *facts, const sbl_feature *const *more, sbl_error *err)
{
    item->kind = find(sbl_feature_list, planned->feature);
    if (item->kind == NULL) item->kind = find(more, planned->feature);
    if (item->kind == NULL)
        return sbl_fail(err, SBL_EINPUT, "the plan has a feature '%s' that this version lacks",
                        planned->feature);
    const sbl_status status = item->kind->make(&item->made, facts, planned->parameters, err);
    if (status != SBL_OK) return status;
    item->block_count = item->kind->count != NULL ? item->kind->count(item->made) : 1;
    return SBL_OK;
}

/* Two blocks of one name, as of a feature that a plan has twice: the later one gets the number of
 * its feature (were there 2^16 and names came twice, the layout would be refused), and what is
 * formed from it is told. */
static void name_apart(sbl_block *blocks, size_t b, size_t after, size_t number)
{
    char name[SBL_BLOCK_NAME_SIZE];
    if (sbl_block_find(blocks, b, blocks[b].name) == b) return;
    (void)snprintf(name, sizeof name, "%.*s.%hu", (int)sizeof name - 8, blocks[b].name,
                   (unsigned short)number);
    for (size_t i = b + 1; i < after; i++)
        if (strcmp(blocks[i].source, blocks[b].name) == 0)
            memcpy(blocks[i].source, name, sizeof name);
    memcpy(blocks[b].name, name, sizeof name);
}

/* The block of persons costs as much whatever k is, the others k^2 times what one row does: its
 * weight is told relative to all of theirs, so that its share of the budget is the same in any plan. */
static void weigh_persons(const sbl_features *features, const sbl_block *blocks, size_t noisy,
                          const sbl_plan *plan, uint64_t rows_per_unit)
{
    double others = plan->counts ? plan->counts_weight * plan->counts_weight : 0.0;
    size_t persons = noisy;
    size_t i = 0;
    for (size_t b = 0; i < noisy; b++) {
        if (blocks[b].withheld) continue;
        if (blocks[b].kind == SBL_BLOCK_PERSONS)
            persons = i;
        else
            others += features->weights[i] * features->weights[i] * (double)blocks[b].bound2;
        i++;
    }
    if (persons < noisy) features->weights[persons] *= (double)rows_per_unit * sqrt(others);
}

/* The blocks side by side, and the weights of those that get noise. */
static void describe(sbl_features *features, sbl_block *blocks, const sbl_plan *plan,
                     uint64_t rows_per_unit)
{
    size_t noisy = 0;
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        const size_t after = item->block + item->block_count;
        item->kind->describe(item->made, blocks + item->block, features->weights + noisy);
        for (size_t b = item->block; b < after; b++) {
            name_apart(blocks, b, after, i + 1);
            if (!blocks[b].withheld) features->weights[noisy++] *= plan->items[i].weight;
        }
    }
    features->weights[noisy] = plan->counts_weight;
    weigh_persons(features, blocks, noisy, plan, rows_per_unit);
}

static sbl_status lay_out(sbl_features *features, const sbl_plan *plan, const sbl_facts *facts,
                          size_t block_count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_layout layout = {.block_count = block_count,
                         .classes = facts->classes,
                         .counts = plan->counts,
                         .rows_cap = SBL_ROWS_CAP_DEFAULT,
                         .rows_per_unit = sbl_facts_rows_per_unit(facts)};
    layout.blocks = sbl_alloc_array(block_count, sizeof *layout.blocks);
    features->weights = sbl_alloc_array(block_count + 1, sizeof *features->weights);
    if (layout.blocks == NULL || features->weights == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for a plan");
    describe(features, layout.blocks, plan, layout.rows_per_unit);
    memcpy(layout.plan_hash, plan->hash, sizeof layout.plan_hash);
    SBL_TRY(sbl_layout_validate(&layout, err));
    SBL_TRY(sbl_layout_copy(&features->layout, &layout, err));
done:
    sbl_free(layout.blocks);
    return status;
}

sbl_status sbl_features_make(sbl_features *features, const sbl_plan *plan, const sbl_facts *facts,
                             const sbl_feature *const *more, sbl_error *err)
{
    size_t blocks = 0;
    sbl_status status = SBL_OK;
    *features = (sbl_features){0};
    features->items = sbl_alloc_array(plan->count, sizeof *features->items);
    if (features->items == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    for (size_t i = 0; i < plan->count; i++) {
        sbl_feature_instance *item = &features->items[features->count++];
        SBL_TRY(make_item(item, &plan->items[i], facts, more, err));
        item->block = blocks;
        blocks += item->block_count;
    }
    SBL_TRY(lay_out(features, plan, facts, blocks, err));
done:
    if (status != SBL_OK) sbl_features_clear(features);
    return status;
}

void sbl_features_clear(sbl_features *features)
{
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        if (item->made != NULL && item->kind->free != NULL) item->kind->free(item->made);
    }
    sbl_free(features->items);
    sbl_free(features->weights);
    sbl_layout_clear(&features->layout);
    *features = (sbl_features){0};
}

const sbl_feature_instance *sbl_features_find(const sbl_features *features, const char *name)
{
    for (size_t i = 0; i < features->count; i++)
        if (strcmp(features->items[i].kind->name, name) == 0) return &features->items[i];
    return NULL;
}

/* ---- records to sums ---- */

struct sbl_feature_workspaces {
    const sbl_features *features;
    void *workspaces[]; /* (features->count) */
};

static sbl_status workspace_new(void **workspace, const sbl_feature_instance *item, sbl_error *err)
{
    if (item->kind->workspace_new != NULL)
        return item->kind->workspace_new(workspace, item->made, err);
    if (item->kind->workspace_bytes == NULL) return SBL_OK;
    *workspace = sbl_alloc_array(item->kind->workspace_bytes(item->made), 1);
    return *workspace != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few records");
}

sbl_status sbl_feature_workspaces_new(sbl_feature_workspaces **workspaces,
                                      const sbl_features *features, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_feature_workspaces *made =
        sbl_alloc_array(1, sizeof *made + features->count * sizeof made->workspaces[0]);
    *workspaces = made;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    made->features = features;
    for (size_t i = 0; i < features->count; i++)
        SBL_TRY(workspace_new(&made->workspaces[i], &features->items[i], err));
done:
    return status;
}

void sbl_feature_workspaces_free(sbl_feature_workspaces *workspaces)
{
    if (workspaces == NULL) return;
    for (size_t i = 0; i < workspaces->features->count; i++) {
        const sbl_feature_instance *item = &workspaces->features->items[i];
        if (item->kind->workspace_bytes != NULL)
            sbl_free_wiped(workspaces->workspaces[i], item->kind->workspace_bytes(item->made));
        else if (workspaces->workspaces[i] != NULL)
            item->kind->workspace_free(workspaces->workspaces[i], item->made);
    }
    sbl_free(workspaces);
}

sbl_status sbl_features_add(sbl_sum *sum, sbl_feature_workspaces *workspaces,
                            const sbl_records *records, sbl_error *err)
{
    const sbl_features *features = workspaces->features;
    sbl_status status = SBL_OK;
    if (records->rows > SBL_SLICE_ROWS)
        return sbl_fail(err, SBL_EINTERNAL,
                        "more records at a time than fit a feature's workspace");
    SBL_TRY(sbl_sum_begin_unit_rows(sum, records->labels, records->unit_rows, records->rows, err));
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        SBL_TRY(
            item->kind->add(sum, item->block, item->made, workspaces->workspaces[i], records, err));
    }
    SBL_TRY(sbl_sum_end_rows(sum, err));
done:
    return status;
}
