/* SPDX-License-Identifier: Apache-2.0 */
/* Builds layouts and sums of a world and takes them through the real door; whatever fails on the
 * way ends the program, since an audit has no use for half a world. */
#include "support/door_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/ledger/ledger_book.h"
#include "door/privatise/privatise.h"

static void must(sbl_status status, const sbl_error *err, const char *what)
{
    if (status == SBL_OK) return;
    (void)fprintf(stderr, "%s: %s\n", what, err->message);
    exit(99);
}

#define MOMENTS_GRID_BITS 14

void world_layout(sbl_layout *layout, const world *w)
{
    const unsigned bits = w->outer != 0 ? MOMENTS_GRID_BITS : SBL_GRID_BITS;
    const uint64_t bound2 = UINT64_C(1) << (2 * bits);
    sbl_error err;
    const uint64_t l1_units = w->bound1 != 0 ? w->bound1 : 1;
    sbl_block blocks[3] = {{.name = "features",
                            .width = w->width,
                            .group = w->group,
                            .per_class = w->per_class,
                            .nonnegative = w->nonnegative,
                            .bound2 = bound2,
                            .bound1 = w->mechanism == SBL_DISCRETE_LAPLACE ? l1_units << bits : 0,
                            .scale = sbl_block_scale(w->width, bound2, w->norm != 0 ? w->norm : 1.0),
                            .withheld = w->withheld}};
    if (w->ones != 0) {
        blocks[0].bound2 = blocks[0].bound1 = w->bound1;
        blocks[0].scale = 1;
    }
    if (w->outer != 0) {
        blocks[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &blocks[0], w->outer);
        blocks[2] = sbl_block_of_moments("products", SBL_BLOCK_PRODUCTS, &blocks[0], w->outer);
    }
    sbl_layout draft = {blocks, .block_count = w->outer != 0 ? 3 : 1, .classes = w->classes,
                        .counts = w->counts, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    must(sbl_sha256(draft.plan_hash, DOOR_KIT_PLAN, strlen(DOOR_KIT_PLAN), NULL, 0, &err), &err, "plan");
    must(sbl_layout_copy(layout, &draft, &err), &err, "layout");
}

static void add_ones(sbl_sum *sum, const world *w, const double *features, size_t rows)
{
    sbl_error err;
    uint32_t *entries = malloc(rows * w->ones * sizeof *entries);
    for (size_t i = 0; i < rows * w->ones; i++) entries[i] = (uint32_t)features[i];
    must(sbl_sum_add_ones(sum, 0, entries, w->ones, &err), &err, "add");
    free(entries);
}

static void add_features(sbl_sum *sum, const world *w, const double *features)
{
    sbl_error err;
    must(sbl_sum_add_f64(sum, 0, 0, w->width, features, w->width, &err), &err, "add");
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
        must(sbl_sum_begin_rows(sum, w->classes > 1 ? data->labels + first : NULL, rows, &err), &err,
             "begin");
        if (w->ones != 0)
            add_ones(sum, w, data->features + first * w->ones, rows);
        else
            add_features(sum, w, data->features + first * w->width);
        must(sbl_sum_end_rows(sum, &err), &err, "end");
    }
    return sum;
}

/* Beside moments: products stand twice in the norm of a symmetric matrix, so that under Gaussian
 * noise a weight of sqrt 2 is free. */
static void moments_weights(double *weights, const world *w)
{
    const double unit = (double)(UINT64_C(1) << MOMENTS_GRID_BITS);
    const double free_share = w->mechanism == SBL_DISCRETE_GAUSSIAN ? 1.41421356 : 1;
    const double products = w->weights[3] != 0 ? w->weights[3] : free_share;
    size_t next = 0;
    if (!w->withheld) weights[next++] = w->weights[0] / unit;
    weights[next++] = w->weights[1] / (unit * unit);
    weights[next++] = products * w->weights[1] / (unit * unit);
    weights[next] = w->weights[2];
}

void world_multipliers(uint64_t *multipliers, const world *w, double amount)
{
    sbl_error err;
    sbl_layout layout;
    sbl_sensitivity sensitivities[WORLD_NOISY_MAX];
    /* Counts with the same noise as the features' sum in feature units: free under replace-one. */
    double weights[WORLD_NOISY_MAX] = {1.0, (double)(UINT64_C(1) << SBL_GRID_BITS)};
    if (w->outer != 0) moments_weights(weights, w);
    if (w->ones != 0) weights[1] = 1;
    world_layout(&layout, w);
    must(sbl_layout_sensitivities(sensitivities, &layout, w->mechanism, w->neighbours, &err), &err,
         "sensitivities");
    must(sbl_choose_multipliers(multipliers, w->mechanism, w->neighbours, sensitivities, weights,
                                sbl_layout_noisy_blocks(&layout), amount, &err),
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
    must(sbl_ledger_create(sbl_file_item(path), &facts, &err), &err, "ledger");
}

sbl_status walk_through(sbl_release **release, const world *w, const records *data,
                        const uint64_t *multipliers, const char *ledger_path, const char *release_path,
                        sbl_error *err)
{
    sbl_sum *sum = world_sum(w, data, 7);
    const sbl_door_request request = {
        .name = "audit.features",
        .mechanism = w->mechanism,
        .neighbours = w->neighbours,
        .multipliers = multipliers,
        .plan = DOOR_KIT_PLAN,
        .ledger = sbl_file_item(ledger_path),
        .release = sbl_file_item(release_path),
        .overwrite = true,
    };
    return sbl_privatise(release, &sum, &request, err);
}
