/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the method for one plan after another, adds the blocks that belong to the run and not to
 * the method (health, rows per person), and writes the shares into every plan, so that the
 * rounds can be rebuilt from releases alone. The plans of a schema that is discovered have
 * nothing added to them: they are made again from the releases and compared. A release whose
 * blocks are not those of its plan is refused. */
#include "run/pipeline/rounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/options/option_values.h"
#include "records/accumulate/key_tally.h"
#include "run/methods/discover.h"
#include "run/pipeline/health.h"

/* Relative weight of the block that counts rows per unit: it costs the square of this, 2 %, of what the
 * other blocks of its release cost together. */
#define UNIT_WEIGHT 0.14

static void free_asked(sbl_asked *asked)
{
    if (asked == NULL) return;
    sbl_facts_clear(&asked->facts);
    sbl_free(asked->probes);
    sbl_free(asked);
}

static void clear_round(sbl_round *round)
{
    sbl_features_clear(&round->features);
    sbl_plan_clear(&round->plan);
    sbl_release_free(round->release);
    free_asked(round->asked);
    if (round->kept != NULL) sbl_model_free(round->kept->model);
    sbl_free(round->kept);
    *round = (sbl_round){0};
}

void sbl_rounds_clear(sbl_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++) clear_round(&rounds->items[i]);
    sbl_free(rounds->items);
    *rounds = (sbl_rounds){0};
}

static sbl_status append(sbl_round **round, sbl_rounds *rounds, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_RESIZE(rounds->items, rounds->count + 1, "a plan");
    *round = &rounds->items[rounds->count++];
    **round = (sbl_round){0};
done:
    return status;
}

/* Every plan states what each round may spend, so that a run can be resumed. */
static json_t *shares_to_json(const sbl_rounds *rounds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rounds->most; i++) list = sbl_json_append(list, json_real(rounds->shares[i]));
    return list;
}

/* As the last plan has them: a round may have divided the rest anew. */
static sbl_status read_shares(sbl_rounds *rounds, const char *where, sbl_error *err)
{
    json_t *list;
    const sbl_plan *last = &rounds->items[rounds->count - 1].plan;
    const sbl_status status = sbl_json_get_array(&list, last->settings, "shares", where, err);
    if (status != SBL_OK) return status;
    rounds->most = json_array_size(list);
    if (rounds->most > SBL_MOST_ROUNDS || rounds->most < rounds->count)
        return sbl_fail(err, SBL_EINPUT, "%s: the plan has more rounds than there can be", where);
    for (size_t i = 0; i < rounds->most; i++) rounds->shares[i] = json_number_value(json_array_get(list, i));
    return SBL_OK;
}

/* Shares that a method may ask for: positive, and no more than the whole together. */
static sbl_status check_shares(const sbl_rounds *rounds, sbl_error *err)
{
    double total = 0.0;
    bool good = rounds->most >= 1 && rounds->most <= SBL_MOST_ROUNDS;
    for (size_t i = 0; good && i < rounds->most; i++) {
        good = rounds->shares[i] > 0.0;
        total += rounds->shares[i];
    }
    return good && total <= 1.0 + 1e-12
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "the shares of the rounds of '%s' do not fit a budget",
                          rounds->method->name);
}

/* The rest of the run is divided anew, by the releases so far: what was left is divided, no more, so that no
 * answer of a release changes what the run spends in all. */
static sbl_status divide_rest(sbl_plan *plan, sbl_rounds *rounds, sbl_error *err)
{
    const size_t before = rounds->count;
    double left = 0.0, sum = 0.0;
    bool good = before > 0 && before + plan->rest_count <= SBL_MOST_ROUNDS;
    for (size_t i = before; i < rounds->most; i++) left += rounds->shares[i];
    for (size_t i = 0; i < plan->rest_count; i++) {
        good = good && plan->rest[i] > 0.0;
        sum += plan->rest[i];
    }
    if (!good)
        return sbl_fail(err, SBL_EINTERNAL, "method '%s' divides the rest of its budget wrongly",
                        rounds->method->name);
    for (size_t i = 0; i < plan->rest_count; i++) rounds->shares[before + i] = left * (plan->rest[i] / sum);
    rounds->most = before + plan->rest_count;
    plan->share = rounds->shares[before];
    return check_shares(rounds, err);
}

/* The method's plan of the next round, with what belongs to the run. No feature: there is none. */
static sbl_status plan_round(sbl_plan *plan, sbl_rounds *rounds, const sbl_synth_options *options,
                             sbl_error *err)
{
    const size_t before = rounds->count;
    const bool health = before == 0 && sbl_health_wanted(rounds->facts, options);
    if (before == rounds->most) return SBL_OK;
    plan->share = health ? rounds->first_share : rounds->shares[before];
    SBL_CHECK(rounds->method->plan(plan, rounds->facts, options, rounds->items, before, err));
    if (plan->count == 0) return SBL_OK;
    if (plan->rest_count > 0) SBL_CHECK(divide_rest(plan, rounds, err));
    /* How many rows units have, once in a run: where one row counts, all have one, and of whole
     * persons the method's own features say it. */
    if (before == 0 && !rounds->method->whole_units && sbl_facts_rows_per_unit(rounds->facts) > 1)
        SBL_CHECK(sbl_plan_add(plan, "persons", json_object(), UNIT_WEIGHT, err));
    if (health)
        SBL_CHECK(
            sbl_health_add(plan, rounds->shares[0], rounds->facts, rounds->method->features, options, err));
    return sbl_plan_set(plan, "shares", shares_to_json(rounds), err);
}

/* The same where a schema is discovered: what is asked of the cells, and new shares. */
static sbl_status ask_round(sbl_asked **asked, sbl_plan *plan, sbl_rounds *rounds,
                            const sbl_synth_options *options, sbl_error *err)
{
    const size_t before = rounds->count;
    sbl_status status = SBL_OK;
    SBL_ALLOC(*asked, 1, "a plan");
    SBL_TRY(rounds->method->ask(*asked, plan, rounds->facts, options, rounds->items, before, err));
    memcpy(rounds->shares + before, (*asked)->shares, (*asked)->rounds * sizeof *rounds->shares);
    rounds->most = before + (*asked)->rounds;
done:
    return status;
}

/* What is summed or, of texts, tallied. */
static sbl_status make_features(sbl_round *round, const sbl_rounds *rounds, sbl_error *err)
{
    const sbl_asked *asked = round->asked;
    sbl_status status = SBL_OK;
    if (asked == NULL || asked->text_count == 0)
        return sbl_features_make(&round->features, &round->plan,
                                 asked != NULL ? &asked->facts : rounds->facts, rounds->method->features,
                                 err);
    SBL_ALLOC(round->features.weights, 1, "a plan");
    round->features.weights[0] = 1.0;
    SBL_TRY(sbl_key_tally_layout(&round->features.layout, asked->text_count, asked->survival_bits,
                                 round->plan.hash, err));
done:
    return status;
}

sbl_status sbl_rounds_next(bool *more, sbl_rounds *rounds, const sbl_synth_options *options, sbl_error *err)
{
    sbl_round next = {0};
    sbl_round *round = NULL;
    sbl_status status = SBL_OK;
    *more = false;
    SBL_TRY(sbl_plan_init(&next.plan, rounds->method->name, err));
    next.plan.round = rounds->before + rounds->count + 1;
    SBL_TRY(rounds->method->ask != NULL ? ask_round(&next.asked, &next.plan, rounds, options, err)
                                        : plan_round(&next.plan, rounds, options, err));
    if (next.plan.count == 0) goto done;
    SBL_TRY(sbl_plan_finish(&next.plan, next.asked != NULL ? &next.asked->facts : rounds->facts, err));
    SBL_ALLOC(next.kept, 1, "a plan");
    SBL_TRY(append(&round, rounds, err));
    *round = next;
    next = (sbl_round){0};
    SBL_TRY(make_features(round, rounds, err));
    *more = true;
done:
    clear_round(&next);
    return status;
}

sbl_status sbl_rounds_begin(sbl_rounds *rounds, const sbl_facts *facts, const sbl_synth_options *options,
                            sbl_error *err)
{
    return sbl_rounds_begin_after(rounds, facts, 0, 1.0, options, err);
}

sbl_status sbl_rounds_begin_discovery(sbl_rounds *rounds, const sbl_facts *header,
                                      const sbl_synth_options *options, sbl_error *err)
{
    bool more;
    *rounds = (sbl_rounds){.method = &sbl_method_discover, .facts = header, .scale = 1.0};
    const sbl_status status = sbl_rounds_next(&more, rounds, options, err);
    if (status != SBL_OK) sbl_rounds_clear(rounds);
    return status;
}

sbl_status sbl_rounds_begin_after(sbl_rounds *rounds, const sbl_facts *facts, size_t before, double scale,
                                  const sbl_synth_options *options, sbl_error *err)
{
    bool more = false;
    sbl_status status = SBL_OK;
    *rounds = (sbl_rounds){.facts = facts, .before = before, .scale = scale, .most = 1, .shares = {1.0}};
    rounds->by_auto = options->method == NULL || strcmp(options->method, "auto") == 0;
    SBL_TRY(rounds->by_auto
                ? sbl_auto_choose(&rounds->method, rounds->why, facts, options, err)
                : sbl_method_find(&rounds->method, options->method, facts->kind, options->more_methods, err));
    if (facts->table_facts != NULL && !rounds->method->whole_units)
        SBL_FAIL(err, SBL_EARG,
                 "method '%s' makes one table, and the schema describes linked tables: use method histories",
                 rounds->method->name);
    if (options->pure && !rounds->method->pure)
        SBL_FAIL(err, SBL_EARG,
                 "a pure guarantee (delta 0) needs bounds in the L1 norm, which method '%s' does not have",
                 rounds->method->name);
    if (rounds->method->rounds != NULL)
        SBL_TRY(rounds->method->rounds(rounds->shares, &rounds->most, facts, options, err));
    SBL_TRY(check_shares(rounds, err));
    if (sbl_health_wanted(facts, options)) {
        const double whole = rounds->shares[0];
        sbl_health_take_share(rounds->shares, rounds->most, options->pure);
        rounds->first_share = scale * whole * (1.0 - sbl_health_part(options->pure));
    }
    for (size_t i = 0; i < rounds->most; i++) rounds->shares[i] *= scale;
    SBL_TRY(sbl_rounds_next(&more, rounds, options, err));
    if (!more) status = sbl_fail(err, SBL_EARG, "method '%s' releases nothing", rounds->method->name);
done:
    if (status != SBL_OK) sbl_rounds_clear(rounds);
    return status;
}

/* ---- from releases ---- */

static sbl_status read_round(sbl_rounds *rounds, sbl_facts *facts, sbl_release **release, const char *where,
                             sbl_error *err)
{
    sbl_round *round = NULL;
    sbl_facts again = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(append(&round, rounds, err));
    round->release = *release;
    *release = NULL;
    SBL_ALLOC(round->kept, 1, "a plan");
    SBL_TRY(sbl_plan_parse(&round->plan, &again, round->release->plan, where, err));
    if (round->plan.round != rounds->before + rounds->count)
        SBL_FAIL(err, SBL_EINPUT, "%s is release %zu of its run, not release %zu", where, round->plan.round,
                 rounds->before + rounds->count);
    if (rounds->count == 1) {
        *facts = again;
        again = (sbl_facts){0};
    } else if (strcmp(round->plan.method, rounds->items[0].plan.method) != 0) {
        status = sbl_fail(err, SBL_EINPUT, "%s belongs to another run", where);
    }
done:
    sbl_facts_clear(&again);
    return status;
}

/* A release is what its plan says, or drawing conclusions from it would trust wrong sizes. */
static sbl_status check_release(const sbl_round *round, const char *where, sbl_error *err)
{
    const sbl_layout *layout = &round->features.layout;
    const sbl_release *release = round->release;
    const size_t count = sbl_layout_noisy_blocks(layout);
    bool same = release->classes == layout->classes && release->block_count == count;
    for (size_t i = 0; same && i < count; i++) {
        const size_t b = sbl_layout_noisy_block(layout, i);
        if (b == layout->block_count) continue;
        same = strcmp(release->blocks[i].name, layout->blocks[b].name) == 0 &&
               release->blocks[i].width == layout->blocks[b].width &&
               sbl_release_columns(release, &release->blocks[i]) ==
                   sbl_block_columns(&layout->blocks[b], layout->classes) &&
               release->blocks[i].pairwise == layout->blocks[b].pairwise &&
               release->blocks[i].scale == layout->blocks[b].scale;
    }
    return same ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s: the release does not match its plan", where);
}

static sbl_status is_of_discovery(bool *is, const sbl_release *release, const char *where, sbl_error *err)
{
    sbl_plan plan = {0};
    sbl_facts facts = {0};
    const sbl_status status = sbl_plan_parse(&plan, &facts, release->plan, where, err);
    *is = status == SBL_OK && strcmp(plan.method, sbl_method_discover.name) == 0;
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return status;
}

sbl_status sbl_rounds_count_discovery(size_t *count, sbl_release *const *releases, size_t release_count,
                                      const char *where, sbl_error *err)
{
    bool is = true;
    for (*count = 0; *count < release_count; (*count)++) {
        if (releases[*count] == NULL) continue;
        SBL_CHECK(is_of_discovery(&is, releases[*count], where, err));
        if (!is) break;
    }
    return SBL_OK;
}

sbl_status sbl_rounds_replay(bool *more, sbl_rounds *rounds, sbl_release **releases, size_t count,
                             const sbl_synth_options *options, const char *where, sbl_error *err)
{
    *more = true;
    for (size_t i = 0; i < count; i++) {
        sbl_round *round = &rounds->items[rounds->count - 1];
        if (!*more || strcmp(releases[i]->plan, round->plan.text) != 0)
            return sbl_fail(err, SBL_EINPUT,
                            "%s: release %zu was planned for other data, or with other options", where,
                            i + 1);
        round->release = releases[i];
        releases[i] = NULL;
        SBL_CHECK(sbl_rounds_next(more, rounds, options, err));
    }
    return SBL_OK;
}

sbl_status sbl_rounds_of_releases(sbl_rounds *rounds, sbl_facts *facts, sbl_release **releases, size_t count,
                                  const sbl_synth_options *options, const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t discovered = 0;
    *rounds = (sbl_rounds){.facts = facts, .scale = 1.0, .most = SBL_MOST_ROUNDS};
    *facts = (sbl_facts){0};
    SBL_TRY(sbl_rounds_count_discovery(&discovered, releases, count, where, err));
    if (discovered == count)
        SBL_FAIL(err, SBL_EINPUT,
                 "%s discovered a schema, and the run has no release after that: resume it with the data",
                 where);
    rounds->before = discovered;
    for (size_t i = discovered; i < count; i++) SBL_TRY(read_round(rounds, facts, &releases[i], where, err));
    facts->encoder_path = sbl_setting_given(options, SBL_SETTING_ENCODER);
    SBL_TRY(sbl_method_find(&rounds->method, rounds->items[0].plan.method, facts->kind, options->more_methods,
                            err));
    SBL_TRY(read_shares(rounds, where, err));
    SBL_TRY(check_shares(rounds, err));
    for (size_t i = 0; i < rounds->count; i++) {
        sbl_round *round = &rounds->items[i];
        SBL_TRY(sbl_features_make(&round->features, &round->plan, facts, rounds->method->features, err));
        SBL_TRY(check_release(round, where, err));
    }
done:
    for (size_t i = discovered; i < count; i++) {
        sbl_release_free(releases[i]);
        releases[i] = NULL;
    }
    if (status == SBL_EARG) status = SBL_EINPUT;
    if (status != SBL_OK) {
        sbl_rounds_clear(rounds);
        sbl_facts_clear(facts);
    }
    return status;
}

sbl_status sbl_rounds_of_plan(sbl_rounds *rounds, sbl_facts *facts, const char *plan, const char *why,
                              const sbl_synth_options *options, const char *where, sbl_error *err)
{
    sbl_round *round = NULL;
    sbl_status status = SBL_OK;
    *rounds = (sbl_rounds){.facts = facts, .scale = 1.0, .most = SBL_MOST_ROUNDS};
    *facts = (sbl_facts){0};
    rounds->by_auto = why[0] != '\0';
    (void)snprintf(rounds->why, sizeof rounds->why, "%s", why);
    SBL_TRY(append(&round, rounds, err));
    SBL_TRY(sbl_plan_parse(&round->plan, facts, plan, where, err));
    if (round->plan.round != 1)
        SBL_FAIL(err, SBL_EINPUT, "%s is the plan of round %zu, not of the first", where, round->plan.round);
    facts->encoder_path = sbl_setting_given(options, SBL_SETTING_ENCODER);
    SBL_TRY(sbl_method_find(&rounds->method, round->plan.method, facts->kind, options->more_methods, err));
    SBL_TRY(read_shares(rounds, where, err));
    SBL_TRY(check_shares(rounds, err));
    SBL_TRY(sbl_features_make(&round->features, &round->plan, facts, rounds->method->features, err));
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    if (status != SBL_OK) {
        sbl_rounds_clear(rounds);
        sbl_facts_clear(facts);
    }
    return status;
}

sbl_status sbl_rounds_are_all(sbl_rounds *rounds, const char *where, sbl_error *err)
{
    bool more = false;
    const size_t count = rounds->count;
    sbl_synth_options none;
    sbl_synth_options_init(&none);
    if (rounds->method->follows != NULL) {
        more = rounds->method->follows(rounds->items, count);
    } else {
        SBL_CHECK(sbl_rounds_next(&more, rounds, &none, err));
        if (more) clear_round(&rounds->items[--rounds->count]);
    }
    if (!more) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s: the run stopped after %zu of its releases: resume it with the data",
                    where, count);
}

sbl_status sbl_rounds_same_facts(const sbl_rounds *rounds, const sbl_facts *planned, const char *where,
                                 sbl_error *err)
{
    json_t *own = sbl_facts_to_json(rounds->facts);
    json_t *theirs = sbl_facts_to_json(planned);
    const bool same = own != NULL && json_equal(own, theirs);
    json_decref(own);
    json_decref(theirs);
    return same ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s is a release of data with another schema", where);
}
