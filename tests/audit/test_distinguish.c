/* SPDX-License-Identifier: Apache-2.0 */
/* Black-box audits: can anyone tell neighbouring data sets apart better than was promised?
 *
 * Distinguishing test: T walks through the door in each of two neighbouring worlds at mu = 1, the
 * best linear statistic with a threshold fixed beforehand, Clopper-Pearson bounds at 5e-10 each;
 *     mu_LB = quantile(1 - FPR) - quantile(FNR)
 * exceeds the true mu with probability below 1e-9. One-run test: canaries put in by coin flips,
 * guessed from one release (Steinke, Nasr, Jagielski 2023). In the test library the keys are fixed,
 * so that the outcome is too; `make audit` runs the same program with fresh keys. Under sanitizers a tenth of them shows what memory has to show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "audit/audit_math.h"
#include "audit/worlds.h"
#include "door/privatise/privatise.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/sanitized.h"

#define CLAIMED_MU 1.0
#define SIDE_ERROR 5e-10
#define WALKS_PER_LEDGER 8
#define ENOUGH_WALKS 3000 /* with the bounds above: fewer show less than half of mu = 1 */

static size_t walks;

/* The statistics tried: along the exact difference of the sums, on all of the release, on the
 * features alone, on the counts alone. */
enum { WHOLE, FEATURES, COUNTS, DIRECTIONS };

static double project(const sbl_release *release, const double *direction, int which)
{
    double total = 0;
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *block = &release->blocks[b];
        const bool counts = strcmp(block->name, "counts") == 0;
        if ((which == FEATURES && counts) || (which == COUNTS && !counts)) continue;
        for (size_t i = 0; i < block->width * sbl_release_columns(release, block); i++)
            total += (double)release->values[block->offset + i] * 0x1p-56 * direction[block->offset + i];
    }
    return total;
}

/* m (S' - S) over the noise scale, from the exact sums: what the strongest adversary knows. */
static void exact_difference(double *direction, double *middle, const world *w, const neighbour_pair *pair,
                             const uint64_t multipliers[2])
{
    sbl_sum *first = world_sum(w, &pair->first, 10);
    sbl_sum *second = world_sum(w, &pair->second, 10);
    const size_t features = sbl_block_values(sbl_sum_layout(first), 0);
    for (int which = 0; which < DIRECTIONS; which++) middle[which] = 0;
    for (size_t i = 0; i < features + (w->counts ? w->classes : 0); i++) {
        const bool counts = i >= features;
        const double m = (double)multipliers[counts ? 1 : 0] * 0x1p-56;
        const double a =
            m * (double)(counts ? sbl_sum_counts(first)[i - features] : sbl_sum_values(first, 0)[i]);
        const double b =
            m * (double)(counts ? sbl_sum_counts(second)[i - features] : sbl_sum_values(second, 0)[i]);
        direction[i] = b - a;
        middle[WHOLE] += direction[i] * (a + b) / 2;
        middle[counts ? COUNTS : FEATURES] += direction[i] * (a + b) / 2;
    }
    sbl_sum_free(first);
    sbl_sum_free(second);
}

/* How many of `walks` releases of data lie above each threshold. */
static void count_above(uint64_t above[DIRECTIONS], const world *w, const records *data,
                        const uint64_t multipliers[2], const double *direction, const double *middle)
{
    char ledger[300];
    char release_path[300];
    (void)snprintf(ledger, sizeof ledger, "%s/d.ledger", folder);
    (void)snprintf(release_path, sizeof release_path, "%s/d.release", folder);
    memset(above, 0, DIRECTIONS * sizeof *above);
    for (size_t t = 0; t < walks; t++) {
        sbl_release *release = NULL;
        sbl_error err;
        if (t % WALKS_PER_LEDGER == 0) {
            (void)remove(ledger);
            make_roomy_ledger(ledger, w->neighbours);
        }
        const sbl_status status = walk_through(&release, w, data, multipliers, ledger, release_path, &err);
        if (status != SBL_OK) print_error("%s\n", err.message);
        assert_ok(status);
        for (int which = 0; which < DIRECTIONS; which++)
            above[which] += project(release, direction, which) > middle[which];
        sbl_release_free(release);
    }
    (void)remove(ledger);
}

static double lower_bound_mu(uint64_t false_alarms, uint64_t misses)
{
    const double fpr = clopper_pearson_upper(false_alarms, walks, SIDE_ERROR);
    const double fnr = clopper_pearson_upper(misses, walks, SIDE_ERROR);
    return normal_quantile(1 - fpr) - normal_quantile(fnr);
}

static void audit_pair(const world *w, const neighbour_pair *pair)
{
    double direction[WORLD_MAX_WIDTH * 3 + 3];
    double middle[DIRECTIONS];
    uint64_t multipliers[2], first[DIRECTIONS], second[DIRECTIONS];
    world_multipliers(multipliers, w, CLAIMED_MU);
    exact_difference(direction, middle, w, pair, multipliers);
    count_above(first, w, &pair->first, multipliers, direction, middle);
    count_above(second, w, &pair->second, multipliers, direction, middle);
    for (int which = 0; which < (w->counts ? DIRECTIONS : FEATURES + 1); which++) {
        const double found = lower_bound_mu(first[which], walks - second[which]);
        (void)printf("  %s, %s, statistic %d: mu >= %.3f (promised %.3f)\n", w->name, pair->name, which,
                     found, CLAIMED_MU);
        assert_true(found <= CLAIMED_MU);
        /* An audit that sees nothing proves nothing: the worst pair must be visible, with enough walks. */
        if (which == WHOLE && pair->tight && walks >= ENOUGH_WALKS) assert_true(found > 0.5);
    }
}

TEST(worst_pairs_are_no_easier_to_tell_apart_than_promised)
{
    for (size_t i = 0; i < audit_world_count; i++) {
        const world *w = &audit_worlds[i];
        neighbour_pair pairs[PAIR_COUNT];
        if (w->mechanism != SBL_DISCRETE_GAUSSIAN) continue;
        make_pairs(pairs, w);
        if (pairs[8].tight) audit_pair(w, &pairs[8]); /* x' = -x */
        audit_pair(w, &pairs[12]);                    /* label change, orthogonal axes */
        free_pairs(pairs);
    }
}

/* Pure releases: no event may be more than e^epsilon times as likely. The event: statistic above
 * the midpoint; for Laplace noise on one coordinate its probabilities reach the bound at the far
 * side. */
TEST(pure_worst_pair_respects_epsilon)
{
    const world *w = &audit_worlds[5];
    neighbour_pair pairs[PAIR_COUNT];
    double direction[WORLD_MAX_WIDTH * 3 + 3];
    double middle[DIRECTIONS];
    uint64_t multipliers[2], first[DIRECTIONS], second[DIRECTIONS];
    const double epsilon = 1.0;
    make_pairs(pairs, w);
    world_multipliers(multipliers, w, epsilon);
    exact_difference(direction, middle, w, &pairs[12], multipliers);
    count_above(first, w, &pairs[12].first, multipliers, direction, middle);
    count_above(second, w, &pairs[12].second, multipliers, direction, middle);
    for (int which = 0; which < DIRECTIONS; which++) {
        const double likely = 1 - clopper_pearson_upper(walks - second[which], walks, SIDE_ERROR);
        const double unlikely = clopper_pearson_upper(first[which], walks, SIDE_ERROR);
        (void)printf("  %s, statistic %d: epsilon >= %.3f (promised %.3f)\n", w->name, which,
                     log(likely / unlikely), epsilon);
        assert_true(log(likely / unlikely) <= epsilon);
    }
    free_pairs(pairs);
}

#define CANARIES 4000
TEST(one_run_with_coin_flip_canaries_stays_below_epsilon)
{
    const world w = {"canaries",
                     .width = CANARIES,
                     .classes = 1,
                     .counts = true,
                     .mechanism = SBL_DISCRETE_GAUSSIAN,
                     .neighbours = SBL_ADD_REMOVE};
    const double promised_delta = 1e-13;
    double promised;
    uint64_t multipliers[2];
    uint64_t coin = 0x9e3779b97f4a7c15u;
    static bool in[CANARIES];
    size_t rows = 0;
    assert_ok(sbl_mixed_epsilon(&promised, CLAIMED_MU, 0, 0, promised_delta, NULL));
    for (size_t i = 0; i < CANARIES; i++) {
        coin = coin * 6364136223846793005u + 1442695040888963407u;
        in[i] = (coin >> 63) != 0;
        rows += in[i];
    }
    records data = {NULL, calloc(rows * CANARIES, sizeof(double)), rows};
    for (size_t i = 0, r = 0; i < CANARIES; i++)
        if (in[i]) data.features[r++ * CANARIES + i] = 1.0;
    world_multipliers(multipliers, &w, CLAIMED_MU);
    const char *ledger = in_folder(folder, "one.ledger");
    make_roomy_ledger(ledger, w.neighbours);
    sbl_release *release = NULL;
    assert_ok(walk_through(&release, &w, &data, multipliers, ledger, in_folder(folder, "one.release"), NULL));
    /* Guess the canaries whose value is far from the middle; abstain on the others. */
    uint64_t guesses = 0, correct = 0;
    const double half = (double)multipliers[0] * (double)(UINT64_C(1) << SBL_GRID_BITS) * 0x1p-57;
    for (size_t i = 0; i < CANARIES; i++) {
        const double score = (double)release->values[i] * 0x1p-56 - half;
        if (fabs(score) < 1.2) continue;
        guesses++;
        correct += (score > 0) == in[i];
    }
    const double found = one_run_epsilon(correct, guesses, CANARIES, promised_delta, 1e-9);
    (void)printf("  one run: %lu of %lu guesses right, epsilon >= %.3f (promised %.3f)\n",
                 (unsigned long)correct, (unsigned long)guesses, found, promised);
    assert_true(found <= promised);
    assert_true(found > 0.3); /* or it sees nothing */
    sbl_release_free(release);
    free(data.features);
}

AROUND(set_up)
{
    walks = sanitized ? 300 : sbl_door_is_test_build() ? ENOUGH_WALKS : 20000;
    temp_folder_make(folder);
}

ALL_TESTS(set_up, remove_folder)
