/* SPDX-License-Identifier: Apache-2.0 */
/* Noise on a class's mean embedding follows from the budget and the sensitivity of the release (docs/mechanisms/merf.md);
 * the blocks that belong to the run, health and persons, change it by a few per cent and are left out. */
#include "run/methods/merf_features.h"

#include <math.h>
#include <string.h>

#include "public/options/option_values.h"
#include "public/plan/bounds.h"
#include "run/methods/network_method.h"

#define LEAST_CHOSEN 128 /* half of the frequencies are one panel, which sees codes at every length scale */
#define MOST_CHOSEN 1000000
#define ROWS "rows" /* the setting: the number of records that the plan is made for */

bool sbl_features_are_auto(const sbl_synth_options *options)
{
    const char *given = sbl_setting_given(options, sbl_option_features.name);
    return given != NULL && strcmp(given, sbl_option_features.choices[0]) == 0;
}

sbl_status sbl_features_check_rows(const sbl_synth_options *options, sbl_data_kinds kind, uint64_t rows,
                                   sbl_error *err)
{
    if (!sbl_features_are_auto(options)) return SBL_OK;
    if (kind == SBL_IMAGES && options->neighbours == SBL_ADD_REMOVE)
        return sbl_fail(err, SBL_EARG,
                        "features auto needs a number of images, which is private under add-remove: give "
                        "features as a number");
    if (rows != 0) return SBL_OK;
    return sbl_fail(err, SBL_EARG,
                    "features auto needs a number of rows: give expect-rows, or features as a number");
}

/* For the largest change by one row, with unit weights; a person counts once for each row that it may have. */
static double sensitivity(const sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options)
{
    const double rows = fmax((double)sbl_facts_rows_per_unit(facts), 1.0);
    const double onehot = facts->kind == SBL_DATA_TABLE && facts->shape.categorical > 0 ? 1.0 : 0.0;
    const bool private_n = !sbl_rows_are_public(options->neighbours, sbl_facts_rows_per_unit(facts));
    const double counts = next->counts || (facts->balanced && private_n) ? 1.0 : 0.0;
    if (options->neighbours == SBL_ADD_REMOVE) return rows * sqrt(1.0 + onehot + counts);
    return rows * sqrt(2.0 * onehot + fmax(4.0, 2.0 + 2.0 * counts));
}

static sbl_status choose(size_t *features, sbl_plan *next, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    const uint64_t n = options->expected_rows;
    double mu;
    SBL_CHECK(sbl_features_check_rows(options, sbl_kinds_of(facts), n, err));
    SBL_CHECK(sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), err));
    const double noise = sensitivity(next, facts, options) / (mu * sqrt(next->share));
    *features = sbl_bound_balance(noise * (double)facts->classes / (double)n, LEAST_CHOSEN, MOST_CHOSEN);
    return sbl_plan_set(next, ROWS, json_integer((json_int_t)n), err);
}

sbl_status sbl_merf_features(size_t *features, sbl_plan *next, const sbl_facts *facts,
                             const sbl_synth_options *options, sbl_error *err)
{
    if (sbl_features_are_auto(options)) return choose(features, next, facts, options, err);
    *features = (size_t)sbl_setting_whole(options, &sbl_option_features, sbl_kinds_of(facts));
    if (*features % 2 == 0) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "features must be %s", sbl_option_features.range->words);
}

void sbl_merf_assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first)
{
    const json_t *rows = json_object_get(first->plan.settings, ROWS);
    const json_t *features = json_object_get(first->plan.items[0].parameters, "features");
    if (rows == NULL) return;
    sbl_text_printf(text, "the number of random features, %lld, chosen for %lld %s",
                    (long long)json_integer_value(features), (long long)json_integer_value(rows),
                    facts->kind == SBL_DATA_IMAGES ? "images" : "rows");
}
