/* SPDX-License-Identifier: Apache-2.0 */
/* [5] What a release costs, before it is asked for: its share of the budget becomes multipliers, their
 * charge follows from what the layout enforces, and the ledger says whether that is still allowed. All of
 * it is public. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "door/privatise/privatise.h"
#include "public/account/budget.h"
#include "run/pipeline/publish_internal.h"

/* Later rounds are not planned yet when the first spends its share. Each may draw this number of noise
 * integers, and the allowance for their precision is subtracted from the whole budget in advance. */
#define DRAWS_OF_A_ROUND (UINT64_C(1) << 28)

sbl_mechanism sbl_publish_mechanism(const sbl_publish_facts *facts)
{
    return facts->delta == 0.0 ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN;
}

sbl_status sbl_publish_check_guarantee(const sbl_publish_facts *facts, uint64_t n, sbl_error *err)
{
    if (!(facts->epsilon > 0.0) || !isfinite(facts->epsilon))
        return sbl_fail(err, SBL_EARG, "epsilon must be a positive, finite number");
    return sbl_delta_check(facts->delta, n, err);
}

/* Integers of noise that a run may draw. */
static uint64_t draws_of(const sbl_publish_facts *facts, const sbl_layout *layout)
{
    return facts->rounds > 1 ? facts->rounds * DRAWS_OF_A_ROUND : sbl_layout_noisy_values(layout);
}

sbl_status sbl_publish_multipliers(uint64_t *multipliers, const sbl_layout *layout, const double *weights,
                                   double share, const sbl_publish_facts *facts, sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    const sbl_mechanism mechanism = sbl_publish_mechanism(facts);
    const uint64_t draws = draws_of(facts, layout);
    sbl_status status = SBL_OK;
    double amount = facts->epsilon;
    sbl_sensitivity *sensitivities = NULL;
    SBL_ALLOC(sensitivities, count, "a plan");
    SBL_TRY(sbl_publish_check_guarantee(facts, 0, err));
    if (facts->rounds > 1 && sbl_layout_noisy_values(layout) > DRAWS_OF_A_ROUND)
        SBL_FAIL(err, SBL_EARG, "a round may release at most 2^28 numbers");
    if (mechanism == SBL_DISCRETE_GAUSSIAN)
        SBL_TRY(sbl_release_mu(&amount, facts->epsilon, facts->delta - facts->keys_delta, draws, err));
    /* A hair less than the share, so that all shares stay below the whole in doubles too. */
    if (share != 1.0) amount *= (1.0 - 1e-12) * (mechanism == SBL_DISCRETE_GAUSSIAN ? sqrt(share) : share);
    SBL_TRY(sbl_layout_sensitivities(sensitivities, layout, mechanism, facts->neighbours, err));
    SBL_TRY(sbl_choose_multipliers(multipliers, mechanism, facts->neighbours, sensitivities, weights, count,
                                   amount, err));
done:
    sbl_free(sensitivities);
    return status;
}

/* ---- the ledger ---- */

/* `rows` of a person count in this run; 0: its unit is one row. */
static sbl_status refuse_unit(const char *path, const sbl_ledger_facts *ledger, uint64_t rows, sbl_error *err)
{
    char theirs[64] = "";
    char ours[80] = "no schema names a unit here";
    if (ledger->by_person)
        (void)snprintf(theirs, sizeof theirs, ", up to %llu of its rows counting",
                       (unsigned long long)ledger->rows_per_unit);
    if (rows != 0)
        (void)snprintf(ours, sizeof ours, "by the schema at most %llu rows of a person count",
                       (unsigned long long)rows);
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_LEDGER_UNIT, NULL,
                         "ledger %s adds up the cost for a %s%s, and %s: use a separate ledger", path,
                         ledger->by_person ? "person" : "row", theirs, ours);
}

/* Is the ledger one of this run's relation and unit, to which a charge can be written? */
static sbl_status check_kind(const sbl_ledger_view *ledger, const char *path, const sbl_publish_facts *facts,
                             const sbl_layout *layout, sbl_error *err)
{
    if (ledger->facts.neighbours != facts->neighbours)
        return sbl_fail(
            err, SBL_EINPUT,
            "ledger %s is for %s neighbours, not %s: the costs of one data set are added under one relation",
            path, sbl_neighbours_name(ledger->facts.neighbours), sbl_neighbours_name(facts->neighbours));
    /* A record of a whole person adds up with any number of a person's rows. */
    if ((ledger->facts.by_person ? ledger->facts.rows_per_unit : 0) != layout->rows_per_unit &&
        !(ledger->facts.by_person && facts->rows_together != 0))
        return refuse_unit(path, &ledger->facts,
                           facts->rows_together != 0 ? facts->rows_together : layout->rows_per_unit, err);
    if (ledger->next[0] != '\0')
        return sbl_fail(err, SBL_EBUDGET, "ledger %s is closed: ledger %s succeeds it, so charge that one",
                        path, ledger->next);
    if (ledger->torn)
        return sbl_fail(err, SBL_EBUDGET,
                        "ledger %s: its last line is torn, so all of its budget counts as spent until a "
                        "repair records the cost of that line",
                        path);
    return SBL_OK;
}

sbl_data_places sbl_publish_places(const sbl_publish *publish)
{
    const sbl_publish_facts *facts = &publish->facts;
    return (sbl_data_places){facts->input, facts->tables, facts->table_count};
}

sbl_status sbl_publish_choose_ledger(sbl_publish *publish, sbl_error *err)
{
    const sbl_data_places places = sbl_publish_places(publish);
    sbl_text_clear(&publish->ledger_choice.path);
    return sbl_ledger_choose(&publish->ledger_choice, publish->facts.ledger, &places, publish->facts.release,
                             err);
}

/* ---- what would still fit ---- */

#define DIGITS_SHOWN 3

/* Totals with all releases of a run of this epsilon added, none of which costs less than this. false: such a run does not exist. */
static bool add_run(sbl_totals *totals, const sbl_publish_facts *facts, uint64_t draws, double epsilon)
{
    sbl_charge charge = {0};
    double mu = 0.0;
    bool good = true;
    if (sbl_publish_mechanism(facts) == SBL_DISCRETE_GAUSSIAN) {
        good = sbl_release_mu(&mu, epsilon, facts->delta - facts->keys_delta, draws, NULL) == SBL_OK &&
               sbl_fixed96_from_double_up(&charge.mu2, nextafter(mu * mu, INFINITY), NULL) == SBL_OK &&
               sbl_fixed96_from_double_up(&charge.delta, facts->keys_delta, NULL) == SBL_OK;
        charge.draws = draws;
        totals->gaussian_releases += facts->rounds;
    } else {
        good = sbl_fixed96_from_double_up(&charge.eps0, epsilon, NULL) == SBL_OK;
    }
    totals->releases += facts->rounds;
    return good && sbl_charge_add(&totals->charge, &charge, NULL) == SBL_OK;
}

/* Without a limit nothing is refused, unless no statement at all would be left: the certificate would say NONE. */
static sbl_status check_precision(const sbl_ledger_view *ledger, const sbl_totals *totals,
                                  const sbl_publish_facts *facts, sbl_error *err)
{
    double delta = facts->delta, epsilon = 0.0;
    if (sbl_budget_has_limit(&ledger->budget) || strcmp(ledger->budget.epsilon, "inf") == 0) return SBL_OK;
    if (delta == 0.0) (void)sbl_text_to_double(&delta, ledger->budget.delta);
    const sbl_status status = sbl_totals_epsilon(&epsilon, totals, delta, err);
    if (status != SBL_OK || isfinite(epsilon)) return status;
    return sbl_fail(err, SBL_EBUDGET,
                    "no epsilon holds at this delta, because the finite precision of the noise may add more "
                    "than that: use a smaller epsilon");
}

static bool would_fit(const sbl_ledger_view *ledger, const sbl_publish_facts *facts, uint64_t draws,
                      double epsilon)
{
    sbl_totals totals = ledger->totals;
    return epsilon > 0.0 && add_run(&totals, facts, draws, epsilon) &&
           sbl_budget_check(&ledger->budget, &totals, NULL) == SBL_OK &&
           check_precision(ledger, &totals, facts, NULL) == SBL_OK;
}

/* The largest epsilon, cut to a few digits, of a run like this one that the ledger still allows; 0: there is none. */
static double epsilon_left(const sbl_ledger_view *ledger, const sbl_publish_facts *facts, uint64_t draws)
{
    double least = 0.0, most = facts->epsilon;
    for (int step = 0; step < 60; step++) {
        const double middle = least + (most - least) / 2.0;
        if (would_fit(ledger, facts, draws, middle))
            least = middle;
        else
            most = middle;
    }
    if (!(least > 0.0)) return 0.0;
    const double unit = pow(10.0, floor(log10(least)) - (DIGITS_SHOWN - 1));
    for (double whole = floor(least / unit); whole > 0.0; whole--) {
        char text[32];
        double shown = 0.0;
        (void)snprintf(text, sizeof text, "%de%d", (int)whole, (int)floor(log10(least)) - (DIGITS_SHOWN - 1));
        (void)sbl_text_to_double(&shown, text);
        if (would_fit(ledger, facts, draws, shown)) return shown;
    }
    return 0.0;
}

/* The budget's refusal, with what could be asked for instead. */
static sbl_status refuse_cost(const sbl_publish *publish, const sbl_ledger_view *ledger,
                              const sbl_layout *layout, const sbl_error *reason, sbl_error *err)
{
    char left[SBL_DOUBLE_TEXT_SIZE], delta[SBL_DOUBLE_TEXT_SIZE];
    const sbl_publish_facts *facts = &publish->facts;
    const char *path = publish->ledger_choice.path.data;
    const double epsilon = epsilon_left(ledger, facts, draws_of(facts, layout));
    if (publish->count > 0) /* what a run has begun is not asked for again */
        return sbl_fail(err, SBL_EBUDGET, "ledger %s: %s", path, reason->message);
    if (!(epsilon > 0.0))
        return sbl_fail(err, SBL_EBUDGET, "ledger %s: %s; nothing is left for such a run", path,
                        reason->message);
    return sbl_fail(err, SBL_EBUDGET, "ledger %s: %s; epsilon %s at delta %s would still fit", path,
                    reason->message, sbl_double_to_text(left, epsilon),
                    sbl_double_to_text(delta, facts->delta));
}

/* The same limits that the ledger holds again when it is charged. */
static sbl_status check_policy(const sbl_publish *publish, const sbl_ledger_view *ledger, const char *path,
                               const sbl_totals *totals, sbl_error *err)
{
    sbl_error reason;
    const sbl_status status = sbl_ledger_policy_check(&publish->policy, &ledger->facts.past, totals, &reason);
    return status == SBL_OK ? SBL_OK
                            : sbl_fail(err, status, "policy %s, ledger %s: %s", publish->facts.policy, path,
                                       reason.message);
}

sbl_status sbl_publish_check_ledger(sbl_publish *publish, const uint64_t *multipliers,
                                    const sbl_layout *layout, sbl_error *err)
{
    const sbl_publish_facts *facts = &publish->facts;
    sbl_ledger_view ledger = {0};
    sbl_charge charge;
    sbl_u128 joint;
    sbl_error reason;
    sbl_status status = SBL_OK;
    if (!publish->ledger_choice.is_there) SBL_TRY(sbl_publish_choose_ledger(publish, err));
    if (!publish->ledger_choice.is_there) {
        const sbl_store_entry place = sbl_ledger_chosen(&publish->ledger_choice);
        status = sbl_store_entry_check(place, false, err);
        if (status == SBL_OK || !sbl_store_entry_exists(place)) return status;
        SBL_TRY(sbl_publish_choose_ledger(publish, err)); /* it was made in between */
    }
    const sbl_store_entry book = sbl_ledger_chosen(&publish->ledger_choice);
    SBL_TRY(sbl_ledger_read_to_charge(&ledger, book, err));
    SBL_TRY(check_kind(&ledger, book.name, facts, layout, err));
    sbl_totals totals = ledger.totals;
    SBL_TRY(sbl_layout_charge(&charge, &joint, layout, sbl_publish_mechanism(facts), facts->neighbours,
                              multipliers, err));
    SBL_TRY(sbl_charge_add(&totals.charge, &charge, err));
    totals.releases++;
    if (sbl_publish_mechanism(facts) == SBL_DISCRETE_GAUSSIAN) totals.gaussian_releases++;
    status = sbl_budget_check(&ledger.budget, &totals, &reason);
    if (status == SBL_OK) SBL_TRY(check_policy(publish, &ledger, book.name, &totals, err));
    if (status == SBL_OK) status = check_precision(&ledger, &totals, facts, &reason);
    if (status == SBL_EBUDGET)
        status = refuse_cost(publish, &ledger, layout, &reason, err);
    else if (status != SBL_OK)
        status = sbl_fail(err, status, "ledger %s: %s", book.name, reason.message);
done:
    sbl_ledger_view_clear(&ledger);
    return status;
}
