#include "support/door_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/ledger.h"
#include "privatise/privatise.h"

static void must(sbl_status status, const sbl_error *err, const char *what)
{
    if (status == SBL_OK) return;
    (void)fprintf(stderr, "%s: %s\n", what, err->message);
    exit(99);
}

void world_layout(sbl_layout *layout, const world *w)
{
    static const uint64_t bound2 = UINT64_C(1) << (2 * SBL_GRID_BITS);
    sbl_error err;
    const uint64_t l1_units = w->bound1 != 0 ? w->bound1 : 1;
    sbl_block block = {
        .name = "features",
        .width = w->width,
        .group = w->group,
        .per_class = w->per_class,
        .nonnegative = w->nonnegative,
        .bound2 = bound2,
        .bound1 = w->mechanism == SBL_DISCRETE_LAPLACE ? l1_units << SBL_GRID_BITS : 0,
        .scale = sbl_layout_scale(w->width, bound2, 1.0)};
    sbl_layout draft = {.blocks = &block,
                        .block_count = 1,
                        .classes = w->classes,
                        .counts = w->counts,
                        .rows_cap = SBL_ROWS_CAP_DEFAULT};
    must(sbl_sha256(draft.plan_hash, DOOR_KIT_PLAN, strlen(DOOR_KIT_PLAN), NULL, 0, &err), &err,
         "plan");
    must(sbl_layout_copy(layout, &draft, &err), &err, "layout");
}

sbl_sum *world_sum(const world *w, const records *data, size_t batch)
{
    sbl_error err;
    sbl_layout layout;
    sbl_sum *sum = NULL;
    world_layout(&layout, w);
    must(sbl_sum_new(&sum, &layout, &err), &err, "sum");
    sbl_layout_clear(&layout);
    for (size_t first = 0; first < data->rows; first += batch) {
        const size_t left = data->rows - first;
        const size_t rows = left < batch ? left : batch;
        must(sbl_sum_begin_rows(sum, w->classes > 1 ? data->labels + first : NULL, rows, &err),
             &err, "begin");
        must(
            sbl_sum_add_f64(sum, 0, 0, w->width, data->features + first * w->width, w->width, &err),
            &err, "add");
        must(sbl_sum_end_rows(sum, &err), &err, "end");
    }
    return sum;
}

void world_multipliers(uint64_t multipliers[2], const world *w, double amount)
{
    sbl_error err;
    sbl_layout layout;
    sbl_sensitivity sensitivities[2];
    /* Counts with the same noise as the features' sum in feature units: free under replace-one. */
    const double weights[2] = {1.0, (double)(UINT64_C(1) << SBL_GRID_BITS)};
    world_layout(&layout, w);
    must(sbl_layout_sensitivities(sensitivities, &layout, w->mechanism, w->neighbours, &err), &err,
         "sensitivities");
    must(sbl_choose_multipliers(multipliers, w->mechanism, w->neighbours, sensitivities, weights,
                                w->counts ? 2 : 1, amount, &err),
         &err, "multipliers");
    sbl_layout_clear(&layout);
}

void make_roomy_ledger(const char *path, sbl_neighbours neighbours)
{
    sbl_error err;
    sbl_ledger_facts facts = {.neighbours = neighbours, .rows_per_unit = 1};
    facts.test_key = sbl_door_is_test_build();
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "inf");
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "1e-05");
    must(sbl_ledger_create(path, &facts, &err), &err, "ledger");
}

sbl_status walk_through(sbl_release **release, const world *w, const records *data,
                        const uint64_t multipliers[2], const char *ledger_path,
                        const char *release_path, sbl_error *err)
{
    sbl_sum *sum = world_sum(w, data, 7);
    const sbl_door_request request = {
        .name = "audit.features",
        .mechanism = w->mechanism,
        .neighbours = w->neighbours,
        .multipliers = multipliers,
        .plan = DOOR_KIT_PLAN,
        .ledger_path = ledger_path,
        .release_path = release_path,
        .overwrite = true,
    };
    return sbl_privatise(release, &sum, &request, err);
}
