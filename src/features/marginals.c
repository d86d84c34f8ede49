#include "features/marginals.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define PLAN_VERSION 2 /* 1 had no 'singles' */
#define USUAL_BINS 32
/* A running count of values passes through at most four times as many cells as one of bins, so that
 * its noise at most doubles (docs/mechanisms/marginals.md). */
#define USUAL_SINGLES (4 * USUAL_BINS)

void sbl_marginals_options_init(sbl_marginals_options *options, size_t bins)
{
    *options = bins == 0 ? (sbl_marginals_options){USUAL_BINS, USUAL_SINGLES}
                         : (sbl_marginals_options){bins, bins};
}

static json_t *block_to_json(const sbl_marginals_block *block)
{
    return json_pack("{s:s, s:I, s:b, s:b, s:I, s:I, s:f}", "name", block->name, "width",
                     (json_int_t)block->width, "per_class", block->per_class, "nonnegative",
                     block->nonnegative, "bound2", (json_int_t)block->bound2, "bound1",
                     (json_int_t)block->bound1, "scale", block->scale);
}

/* All but the cells follows from them. */
static sbl_status complete(sbl_marginals_plan *plan, sbl_error *err)
{
    const sbl_cells *cells = &plan->cells;
    plan->block = (sbl_marginals_block){.name = SBL_MARGINALS_METHOD,
                                        .width = cells->total,
                                        .per_class = cells->classes > 1,
                                        .nonnegative = true,
                                        .bound2 = cells->count,
                                        .bound1 = cells->count,
                                        .scale = 1};
    json_t *root =
        json_pack("{s:s, s:i, s:o, s:o}", "method", SBL_MARGINALS_METHOD, "version", PLAN_VERSION,
                  "block", block_to_json(&plan->block), "cells", sbl_cells_to_json(cells));
    plan->json = root ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    if (!plan->json) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    return sbl_sha256(plan->hash, plan->json, strlen(plan->json), NULL, 0, err);
}

sbl_status sbl_marginals_plan_build(sbl_marginals_plan *plan, const sbl_schema *schema,
                                    const sbl_heads *heads, const sbl_marginals_options *options,
                                    sbl_error *err)
{
    sbl_marginals_options defaults;
    sbl_status status;
    sbl_marginals_options_init(&defaults, 0);
    if (!options) options = &defaults;
    *plan = (sbl_marginals_plan){0};
    SBL_TRY(sbl_cells_init(&plan->cells, schema, heads, options->bins, options->singles, err));
    SBL_TRY(complete(plan, err));
done:
    if (status != SBL_OK) sbl_marginals_plan_clear(plan);
    return status;
}

sbl_status sbl_marginals_plan_parse(sbl_marginals_plan *plan, const char *json, const char *where,
                                    sbl_error *err)
{
    json_t *root = NULL, *cells;
    const char *method;
    uint64_t version;
    sbl_status status;
    *plan = (sbl_marginals_plan){0};
    SBL_TRY(sbl_json_parse(&root, json, strlen(json), where, err));
    SBL_TRY(sbl_json_get_string(&method, root, "method", where, err));
    if (strcmp(method, SBL_MARGINALS_METHOD) != 0) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the plan is not one of method marginals", where);
        goto done;
    }
    SBL_TRY(sbl_json_get_u64(&version, root, "version", where, err));
    if (version != PLAN_VERSION) {
        status = sbl_fail(err, SBL_EINPUT,
                          "%s: the plan has another version than %d; use the program that made it",
                          where, PLAN_VERSION);
        goto done;
    }
    SBL_TRY(sbl_json_get_object(&cells, root, "cells", where, err));
    SBL_TRY(sbl_cells_from_json(&plan->cells, cells, where, err));
    SBL_TRY(complete(plan, err));
    if (strcmp(plan->json, json) != 0)
        status = sbl_fail(err, SBL_EINPUT,
                          "%s: the plan holds facts that this version does not know", where);
done:
    if (status != SBL_OK) sbl_marginals_plan_clear(plan);
    json_decref(root);
    return status;
}

void sbl_marginals_plan_clear(sbl_marginals_plan *plan)
{
    sbl_cells_clear(&plan->cells);
    sbl_free(plan->json);
    *plan = (sbl_marginals_plan){0};
}

void sbl_marginals_rows(float *features, const sbl_marginals_plan *plan, const double *numeric,
                        const uint32_t *codes, size_t rows)
{
    const sbl_cells *cells = &plan->cells;
    memset(features, 0, rows * cells->total * sizeof *features);
    for (size_t r = 0; r < rows; r++) {
        float *row = features + r * cells->total;
        for (size_t k = 0; k < cells->count; k++) {
            const sbl_cells_column *column = &cells->columns[k];
            row[column->offset + sbl_cells_find(column, numeric, codes)] = 1;
        }
        if (numeric) numeric += cells->numeric_count;
        if (codes) codes += cells->categorical_count;
    }
}

void sbl_marginals_labels(uint32_t *labels, const sbl_marginals_plan *plan, const uint32_t *codes,
                          size_t rows)
{
    const sbl_cells *cells = &plan->cells;
    for (size_t r = 0; r < rows; r++) {
        uint32_t code = 0;
        if (cells->label != SBL_NO_HEAD) code = codes[r * cells->categorical_count + cells->label];
        labels[r] = code < cells->classes ? code : 0;
    }
}
