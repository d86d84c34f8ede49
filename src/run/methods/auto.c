/* SPDX-License-Identifier: Apache-2.0 */
/* Why no other method for wide tables of numbers, where the pairs drown in noise: on a split of gfe's
 * training table (302 columns, 15,085 rows) ron-gauss was off by .56 (epsilon 1) and .78 (.2) in single
 * columns, where pairs had .02: docs/mechanisms/pairs.md, "Which course". */
#include "run/methods/auto.h"

#include <stdio.h>

#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "run/methods/pairs_setup.h"

static sbl_status by_name(const sbl_method **method, const char *name, const sbl_facts *facts, sbl_error *err)
{
    return sbl_method_find(method, name, facts->kind, NULL, err);
}

sbl_status sbl_auto_choose(const sbl_method **method, char why[SBL_WHY_SIZE], const sbl_facts *facts,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_outlook look;
    why[0] = '\0';
    if (facts->kind == SBL_DATA_IMAGES) {
        (void)snprintf(why, SBL_WHY_SIZE,
                       "auto takes mepf: the data are images (method merf is the quick one)");
        return by_name(method, "mepf", facts, err);
    }
    const bool rows = !sbl_setting_is(options, &sbl_option_histories, SBL_TABLES, "on");
    if (facts->table_facts != NULL) {
        if (rows)
            return sbl_fail(err, SBL_EARG,
                            "rows of linked tables cannot be fitted alone: leave out 'histories off'");
        (void)snprintf(why, SBL_WHY_SIZE,
                       "auto takes histories: tables are linked, and child rows belong to their parent");
        return by_name(method, "histories", facts, err);
    }
    if (sbl_facts_rows_per_unit(facts) != 0 && !options->pure && !rows) {
        (void)snprintf(why, SBL_WHY_SIZE,
                       "auto takes histories: the schema names a unit, whose rows belong together");
        return by_name(method, "histories", facts, err);
    }
    if (options->pure) {
        (void)snprintf(why, SBL_WHY_SIZE, "auto takes marginals: delta is to be 0");
        return by_name(method, "marginals", facts, err);
    }
    const sbl_status status = sbl_pairs_look(&look, facts, options, err);
    if (status != SBL_OK) return status;
    if (look.bytes > look.limit) {
        (void)snprintf(why, SBL_WHY_SIZE, "auto takes marginals: pairs of %zu columns may take %.0f GB",
                       look.columns, (double)look.bytes / 1e9);
        return by_name(method, "marginals", facts, err);
    }
    if (look.forest) {
        (void)snprintf(why, SBL_WHY_SIZE,
                       "auto takes forest, for %zu columns and %.0f rows: as pairs, but a probe of "
                       "trees decides between precise tables of pairs and forests",
                       look.columns, look.rows);
        return by_name(method, "forest", facts, err);
    }
    (void)snprintf(why, SBL_WHY_SIZE, "auto takes pairs, for %zu columns and %.0f rows: %s", look.columns,
                   look.rows, look.words);
    return by_name(method, "pairs", facts, err);
}
