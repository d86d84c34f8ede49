/* SPDX-License-Identifier: Apache-2.0 */
/* The log likelihood ratio of a value is d (x - d/2) for Gaussian noise and |x| - |x - d| for
 * Laplace, where x is its distance from the first data set's and d the move, in units of the noise
 * scale. The threshold and, unless given, the number of runs come from simulated releases with a
 * public seed before the first real one, so that the confidence of what is counted is what it
 * says. */
#include "owner/audit/distinguish.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/order.h"
#include "base/random/model_rng.h"
#include "door/privatise/privatise.h"
#include "owner/audit/change.h"
#include "owner/audit/confidence.h"
#include "owner/audit/targets.h"

#define SEED UINT64_C(0x61756469745f3033)
#define SIMULATED 20000
#define CANDIDATES 40
/* The chain of a ledger is verified at each charge: a new one before that takes long. */
#define RUNS_OF_A_LEDGER 16

/* Where the two data sets differ: that is all a guess needs to look at. */
typedef struct difference {
    sbl_mechanism mechanism;
    size_t *places;  /* (count), among the values of a release */
    sbl_i128 *first; /* (count): m S of the first data set */
    double *moves;   /* (count): m (S' - S) over the noise scale */
    size_t count;
} difference;

static void clear_difference(difference *d)
{
    sbl_free(d->places);
    sbl_free_wiped(d->first, d->count * sizeof *d->first);
    sbl_free_wiped(d->moves, d->count * sizeof *d->moves);
}

static sbl_status find_difference(difference *d, const sbl_attack *attack, sbl_error *err)
{
    const sbl_release *release = attack->release;
    d->mechanism = release->mechanism;
    d->places = sbl_alloc_array(release->value_count, sizeof *d->places);
    d->first = sbl_alloc_array(release->value_count, sizeof *d->first);
    d->moves = sbl_alloc_array(release->value_count, sizeof *d->moves);
    if (d->places == NULL || d->first == NULL || d->moves == NULL) return sbl_no_memory(err, "an attack");
    for (size_t i = 0; i < release->block_count; i++) {
        const sbl_block *block = &release->blocks[i];
        for (size_t v = 0; v < block->width * sbl_release_columns(release, block); v++) {
            const sbl_i128 a = sbl_scaled_value(attack->first, release, i, v);
            const sbl_i128 b = sbl_scaled_value(attack->second, release, i, v);
            if (a == b) continue;
            d->places[d->count] = block->offset + v;
            d->first[d->count] = a;
            d->moves[d->count++] = ldexp((double)(b - a), -SBL_NOISE_SCALE_BITS);
        }
    }
    return SBL_OK;
}

/* The part of one value in ln(likelihood of the second data set / of the first), for a value that
 * lies x from the first one's, in units of the noise scale. */
static double evidence(sbl_mechanism mechanism, double x, double move)
{
    return mechanism == SBL_DISCRETE_GAUSSIAN ? move * (x - move / 2.0) : fabs(x) - fabs(x - move);
}

static double evidence_of(const difference *d, const sbl_release *release)
{
    double total = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        const sbl_i128 off = release->values[d->places[i]] - d->first[i];
        total += evidence(d->mechanism, ldexp((double)off, -SBL_NOISE_SCALE_BITS), d->moves[i]);
    }
    return total;
}

/* ---- the threshold, from simulated releases: public randomness, no door ---- */

static double simulate(const difference *d, bool second, sbl_model_rng *rng)
{
    double total = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        double noise = sbl_model_rng_normal(rng);
        if (d->mechanism == SBL_DISCRETE_LAPLACE)
            noise = -log(sbl_model_rng_uniform(rng)) * (noise < 0.0 ? -1.0 : 1.0);
        total += evidence(d->mechanism, noise + (second ? d->moves[i] : 0.0), d->moves[i]);
    }
    return total;
}

static uint64_t count_above(const double *sorted, double threshold)
{
    size_t low = 0;
    size_t high = SIMULATED;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] > threshold)
            high = middle;
        else
            low = middle + 1;
    }
    return SIMULATED - low;
}

/* How many guesses above a threshold to expect in this number of runs. */
static sbl_guesses expect(const double *both, double threshold, uint64_t runs)
{
    const double scale = (double)runs / SIMULATED;
    return (sbl_guesses){runs, (uint64_t)((double)count_above(both, threshold) * scale + 0.5),
                         (uint64_t)((double)count_above(both + SIMULATED, threshold) * scale + 0.5)};
}

/* The threshold at which counting right and wrong guesses should show most, and how much. */
static double best_threshold(double *shown, const double *both, uint64_t runs, double delta)
{
    double best = 0.0;
    *shown = -1.0;
    for (int c = 0; c < CANDIDATES; c++) {
        const double part = 0.5 * pow(0.8, c); /* of wrong guesses */
        /* A hair below, so that a value that many releases have counts as above it. */
        const double threshold = both[(size_t)((1.0 - part) * SIMULATED)] - 1e-9;
        const sbl_guesses expected = expect(both, threshold, runs);
        const double epsilon = sbl_guesses_epsilon(&expected, delta);
        if (epsilon <= *shown) continue;
        *shown = epsilon;
        best = threshold;
    }
    return best;
}

/* Should this number of runs of each data set show more than half the claim? */
static bool is_enough(const double *both, uint64_t runs, const sbl_attack_result *claim,
                      const sbl_attack *attack)
{
    double shown;
    const sbl_guesses expected = expect(both, 0.0, runs);
    if (attack->release->mechanism == SBL_DISCRETE_GAUSSIAN)
        return sbl_guesses_mu(&expected) > claim->mu_half;
    (void)best_threshold(&shown, both, runs, attack->delta);
    return shown > claim->epsilon_half;
}

/* Known before the first release, so that the confidence is what it says. Twice as many as should
 * do, for chance has its part in what is found. */
static uint64_t choose_runs(const double *both, const sbl_attack_result *claim, const sbl_attack *attack)
{
    uint64_t runs = SBL_ATTACK_RUNS;
    if (attack->runs != 0) return attack->runs;
    while (runs < SBL_ATTACK_MOST_RUNS && !is_enough(both, runs / 2, claim, attack)) runs *= 2;
    return runs;
}

/* result: what is claimed; the number of runs is set. */
static sbl_status plan_attack(double *threshold, sbl_attack_result *result, const difference *d,
                              const sbl_attack *attack, sbl_error *err)
{
    double *both = sbl_alloc_array(2 * SIMULATED, sizeof *both);
    double shown;
    sbl_model_rng rng;
    if (both == NULL) return sbl_no_memory(err, "an attack");
    sbl_model_rng_init(&rng, SEED, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < 2 * SIMULATED; i++) both[i] = simulate(d, i >= SIMULATED, &rng);
    qsort(both, SIMULATED, sizeof *both, sbl_double_order);
    qsort(both + SIMULATED, SIMULATED, sizeof *both, sbl_double_order);
    result->runs = choose_runs(both, result, attack);
    *threshold = best_threshold(&shown, both, result->runs, attack->delta);
    sbl_free(both);
    return SBL_OK;
}

/* ---- releases ---- */

/* One walk through the door: the door takes its sum, so it gets a copy. */
static sbl_status release_once(sbl_release **release, const sbl_sum *exact, const sbl_door_request *request,
                               sbl_error *err)
{
    sbl_sum *copy = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_sum_new(&copy, sbl_sum_layout(exact), err));
    SBL_TRY(sbl_sum_merge(copy, exact, err));
    SBL_TRY(sbl_privatise(release, &copy, request, err));
done:
    sbl_sum_free(copy);
    return status;
}

/* Guesses against the middle and against the threshold. */
typedef struct tally {
    sbl_guesses middle, chosen;
    double threshold;
} tally;

static sbl_status attack_world(tally *t, const sbl_attack *attack, bool second, const difference *d,
                               sbl_door_request *request, sbl_error *err)
{
    for (uint64_t run = 0; run < t->middle.runs; run++) {
        sbl_release *release = NULL;
        if (run % RUNS_OF_A_LEDGER == 0) {
            SBL_CHECK(sbl_audit_ledger(request->ledger, request->neighbours, attack->entry->rows_per_unit,
                                       attack->delta, err));
            if (attack->progress != NULL &&
                attack->progress(attack->context, "attacking", run + (second ? t->middle.runs : 0),
                                 2 * t->middle.runs, 0.0) != 0)
                return sbl_fail(err, SBL_ESTOPPED, "stopped during the attack");
        }
        SBL_CHECK(release_once(&release, second ? attack->second : attack->first, request, err));
        const double shown = evidence_of(d, release);
        *(second ? &t->middle.right : &t->middle.wrong) += shown > 0.0;
        *(second ? &t->chosen.right : &t->chosen.wrong) += shown > t->threshold;
        sbl_release_free(release);
    }
    return SBL_OK;
}

static sbl_status make_releases(tally *t, const sbl_attack *attack, const difference *d, sbl_error *err)
{
    const sbl_release *model = attack->release;
    sbl_status status = SBL_OK;
    uint64_t *multipliers = sbl_alloc_array(model->block_count, sizeof *multipliers);
    if (multipliers == NULL) return sbl_no_memory(err, "an attack");
    for (size_t i = 0; i < model->block_count; i++) multipliers[i] = model->blocks[i].multiplier;
    sbl_door_request request = {.name = "audit",
                                .mechanism = model->mechanism,
                                .neighbours = model->neighbours,
                                .multipliers = multipliers,
                                .plan = attack->plan->text,
                                .ledger = {attack->store, "attack.ledger"},
                                .release = {attack->store, "attack.release"},
                                .overwrite = true};
    SBL_TRY(attack_world(t, attack, false, d, &request, err));
    SBL_TRY(attack_world(t, attack, true, d, &request, err));
done:
    sbl_free(multipliers);
    return status;
}

/* ---- what was found ---- */

/* What the release claims, and half of it. */
static sbl_status read_claim(sbl_attack_result *result, const sbl_attack *attack, sbl_error *err)
{
    const bool gaussian = attack->release->mechanism == SBL_DISCRETE_GAUSSIAN;
    const sbl_totals totals = {attack->entry->charge, 1, gaussian};
    SBL_CHECK(sbl_totals_epsilon(&result->epsilon_charged, &totals, attack->delta, err));
    result->epsilon_half = result->epsilon_charged / 2.0;
    if (!gaussian) return SBL_OK;
    result->mu_charged = sqrt(sbl_fixed96_to_double_up(attack->entry->charge.mu2));
    return sbl_gdp_mu(&result->mu_half, result->epsilon_half, attack->delta, err);
}

static sbl_status conclude(sbl_attack_result *result, const tally *t, const sbl_attack *attack,
                           sbl_error *err)
{
    result->epsilon_counted = sbl_guesses_epsilon(&t->chosen, attack->delta);
    result->epsilon_found = result->epsilon_counted;
    result->within = result->epsilon_counted <= result->epsilon_charged;
    result->caught = result->epsilon_counted > result->epsilon_half;
    if (attack->release->mechanism != SBL_DISCRETE_GAUSSIAN) return SBL_OK;
    result->mu_found = sbl_guesses_mu(&t->middle);
    SBL_CHECK(sbl_mixed_epsilon(&result->epsilon_found, result->mu_found, 0, 0, attack->delta, err));
    result->within = result->within && result->mu_found <= result->mu_charged;
    result->caught = result->mu_found > result->mu_half;
    return SBL_OK;
}

sbl_status sbl_attack_run(sbl_attack_result *result, const sbl_attack *attack, sbl_error *err)
{
    difference d = {0};
    tally t = {0};
    sbl_status status = SBL_OK;
    *result = (sbl_attack_result){0};
    SBL_TRY(find_difference(&d, attack, err));
    SBL_TRY(read_claim(result, attack, err));
    SBL_TRY(plan_attack(&t.threshold, result, &d, attack, err));
    t.middle.runs = t.chosen.runs = result->runs;
    SBL_TRY(make_releases(&t, attack, &d, err));
    SBL_TRY(conclude(result, &t, attack, err));
done:
    clear_difference(&d);
    return status;
}
