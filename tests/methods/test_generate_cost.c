/* SPDX-License-Identifier: Apache-2.0 */
/* What a generator is said to cost, by clocks that stand still but for a second at each question. */
#include "after/sample/sampler.h"
#include "run/pipeline/rounds.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/option_kit.h"

static double now, used;

double __wrap_sbl_seconds(void);
double __wrap_sbl_seconds(void) { return now++; }

double __wrap_sbl_processor_seconds(void);
double __wrap_sbl_processor_seconds(void) { return used++; }

static sbl_fit_cost cost_of(data_case which)
{
    sbl_synth_options options;
    sbl_facts facts;
    sbl_rounds rounds;
    sbl_fit_cost cost = {0};
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    options.method = "merf";
    options.epsilon = 1;
    options.threads = 1;
    give(&options, "features", "64");
    give(&options, "steps", "12");
    give(&options, "batch", "32");
    give(&options, "hidden", "8");
    data_facts(&facts, which);
    if (sbl_rounds_begin(&rounds, &facts, &options, &err) != SBL_OK ||
        rounds.method->cost(&cost, &facts, &rounds.items[0], 1000, &options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    return cost;
}

/* A second passes while some records are drawn, and all of them are counted. */
TEST(drawing_a_record_is_timed_of_images_and_of_tables)
{
    const sbl_fit_cost images = cost_of(DATA_DIGITS);
    const sbl_fit_cost colours = cost_of(DATA_COLOURS);
    const sbl_fit_cost table = cost_of(DATA_LABELLED);
    assert_true(images.draw_seconds == 1.0 / SBL_IMAGE_RUN);
    assert_true(images.draw_processor == 1.0 / SBL_IMAGE_RUN);
    assert_true(colours.draw_seconds == 1.0 / SBL_IMAGE_RUN);
    assert_true(table.draw_seconds == 1.0 / 1024 && table.draw_processor == 1.0 / 1024);
}
