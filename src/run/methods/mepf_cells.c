/* SPDX-License-Identifier: Apache-2.0 */
/* What is to come is read from the first plan, never from the options, so that a run that is resumed makes the same cells. */
#include "run/methods/mepf_cells.h"

#include "after/train/cell_centres.h"
#include "public/features/image_cells.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"

#define LATER "later_cells"
#define FIRST_STEPS 1000 /* of the first fit, at most */
#define FIRST_BATCH 500
#define IMAGES_OF_CELL 128 /* that are clustered, a cell */
#define LEAST_IMAGES 256   /* a class */
#define MOST_IMAGES 4096

static const sbl_option_range any_cells = {1, SBL_CELLS_MOST, false, "a whole number from 1 to 256, or auto"};
static const char *const words[] = {"auto", NULL};
static const sbl_option_range any_share = {0.01, 0.99, false, "a number from 0.01 to 0.99"};

const sbl_option sbl_option_cells = SBL_SETTING(
    "cells", SBL_OPTION_WHOLE, "K", SBL_IMAGES, SBL_STEPS_PLAN,
    "experimental: divide each class into K cells, found by clustering what a first fit draws; a "
    "second release has "
    "the means of each cell, which pays where noise is small; no early stopping then; auto: as many "
    "as the noise allows",
    .range = &any_cells, .choices = words, SBL_STANDARD_IMAGES("1"));
const sbl_option sbl_option_first_share =
    SBL_SETTING("first-share", SBL_OPTION_NUMBER, "S", SBL_IMAGES, SBL_STEPS_PLAN,
                "with cells: the part of the budget, as mu^2, of the first release", .range = &any_share,
                SBL_STANDARD_IMAGES("0.2"));

size_t sbl_mepf_cells_given(const sbl_synth_options *options)
{
    return (size_t)sbl_setting_whole(options, &sbl_option_cells, SBL_IMAGES);
}

double sbl_mepf_first_share(const sbl_synth_options *options)
{
    return sbl_setting_number(options, &sbl_option_first_share, SBL_IMAGES);
}

/* ---- the first plan ---- */

/* The options' own, and no more than a first fit needs: its figures are in the plan, so a run that is resumed has the same. */
static sbl_generate_length first_length(const sbl_facts *facts, const sbl_features *features,
                                        const sbl_synth_options *options)
{
    const sbl_generate_rule rule = sbl_mepf_rule(facts, features, options);
    sbl_generate_length length = sbl_generate_length_of(&rule, SBL_IMAGES, options, 0, true);
    if (length.steps > FIRST_STEPS) length.steps = FIRST_STEPS;
    if (length.batch > FIRST_BATCH) length.batch = FIRST_BATCH;
    return length;
}

static size_t clustered(size_t number)
{
    const size_t images = number * IMAGES_OF_CELL;
    const size_t enough = images < MOST_IMAGES ? images : MOST_IMAGES;
    return enough > LEAST_IMAGES ? enough : LEAST_IMAGES;
}

sbl_status sbl_mepf_cells_announce(sbl_plan *first, const sbl_facts *facts, const sbl_synth_options *options,
                                   const sbl_encoded_ask *ask, size_t number, size_t features, sbl_error *err)
{
    const sbl_features none = {0};
    const sbl_generate_length length = first_length(facts, &none, options);
    sbl_encoded encoded;
    SBL_CHECK(sbl_encoded_choose(&encoded, facts, ask, err));
    json_t *later =
        json_pack("{s:I, s:I, s:I, s:I, s:o, s:I}", "batch", (json_int_t)length.batch, "features",
                  (json_int_t)features, "images", (json_int_t)clustered(number), "number", (json_int_t)number,
                  "space", sbl_encoded_parameters(&encoded), "steps", (json_int_t)length.steps);
    sbl_encoded_clear(&encoded);
    return sbl_plan_set(first, LATER, later, err);
}

bool sbl_mepf_cells_follow(const sbl_round *first)
{
    return json_object_get(first->plan.settings, LATER) != NULL;
}

void sbl_mepf_cells_assume(sbl_text *text, const sbl_round *first)
{
    const json_t *later = json_object_get(first->plan.settings, LATER);
    if (later == NULL) return;
    sbl_text_printf(
        text, "%sthat each class has %lld cells, found by clustering what a fit to the first release draws",
        text->length > 0 ? "\n" : "", (long long)json_integer_value(json_object_get(later, "number")));
}

/* ---- the second ---- */

typedef struct later {
    size_t batch, features, images, number, steps;
    const json_t *space;
} later;

static sbl_status read_later(later *to, const sbl_round *first, sbl_error *err)
{
    static const char where[] = "the plan of the first release";
    const json_t *object = json_object_get(first->plan.settings, LATER);
    uint64_t batch, features, images, number, steps;
    SBL_CHECK(sbl_json_get_u64(&batch, object, "batch", where, err));
    SBL_CHECK(sbl_json_get_u64(&features, object, "features", where, err));
    SBL_CHECK(sbl_json_get_u64(&images, object, "images", where, err));
    SBL_CHECK(sbl_json_get_u64(&number, object, "number", where, err));
    SBL_CHECK(sbl_json_get_u64(&steps, object, "steps", where, err));
    *to = (later){(size_t)batch,  (size_t)features, (size_t)images,
                  (size_t)number, (size_t)steps,    json_object_get(object, "space")};
    const bool good = images >= 1 && images <= clustered(SBL_CELLS_MOST) && number >= 2 &&
                      number <= SBL_CELLS_MOST && steps >= 1 && batch >= 2;
    return good ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s: its cells are damaged", where);
}

sbl_mepf_cells_cost sbl_mepf_cells_add(const sbl_round *first)
{
    later by;
    if (!sbl_mepf_cells_follow(first) || read_later(&by, first, NULL) != SBL_OK)
        return (sbl_mepf_cells_cost){.number = 1};
    return (sbl_mepf_cells_cost){by.number, by.steps, by.batch, by.images};
}

sbl_status sbl_mepf_first_fit(const sbl_model **model, const sbl_facts *facts,
                              const sbl_synth_options *options, const sbl_round *first, sbl_error *err)
{
    later by;
    sbl_round_kept *kept = first->kept;
    if (kept == NULL) return sbl_fail(err, SBL_EINTERNAL, "the first fit has no place");
    if (kept->model == NULL) {
        SBL_CHECK(read_later(&by, first, err));
        sbl_generate_rule rule = sbl_mepf_rule(facts, &first->features, options);
        rule.exact_steps = by.steps;
        rule.exact_batch = by.batch;
        SBL_CHECK(
            sbl_generate_fit_by(&kept->model, facts, first, 1, options, (sbl_store_entry){0}, &rule, err));
    }
    *model = kept->model;
    return SBL_OK;
}

sbl_status sbl_mepf_cells_plan(sbl_plan *second, size_t *features, const sbl_facts *facts,
                               const sbl_synth_options *options, const sbl_round *first, sbl_error *err)
{
    const sbl_model *model;
    sbl_encoded encoded = {0};
    sbl_image_cells *cells = NULL;
    later by;
    sbl_status status = SBL_OK;
    SBL_TRY(read_later(&by, first, err));
    *features = by.features;
    SBL_TRY(sbl_mepf_first_fit(&model, facts, options, first, err));
    SBL_TRY(sbl_encoded_read(&encoded, facts, by.space, 4, "the cells", err));
    SBL_TRY(sbl_image_cells_new(&cells, facts, &encoded, by.number, err));
    SBL_TRY(sbl_cell_centres_find(cells, first->kept->model, by.images, options->seed, err));
    second->counts = true;
    SBL_TRY(sbl_plan_set(second, SBL_CELLS_SETTING, sbl_image_cells_to_json(cells), err));
done:
    sbl_image_cells_free(cells);
    return status;
}
