/* SPDX-License-Identifier: Apache-2.0 */
/* ask: one release that answers the questions of the options, each by a feature of its own
 * (records/features/answers.c). Questions share mu^2 in proportion to their weights. What a plan says of widths
 * comes from after/answers. */
#include "run/methods/ask.h"

#include <math.h>
#include <string.h>

#include "after/answers/answers.h"
#include "base/alloc.h"
#include "door/privatise/privatise.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "public/questions/question.h"

static const sbl_option questions_option =
    SBL_SETTING(SBL_SETTING_QUESTIONS, SBL_OPTION_TEXT, "JSON", SBL_TABLES, SBL_STEPS_PLAN,
                "the questions that are answered, as one JSON object", SBL_STANDARD_WORDS("none"));
static const sbl_option *const own_options[] = {&questions_option, &sbl_option_expect_rows, NULL};

bool sbl_options_ask_questions(const sbl_synth_options *options)
{
    return options->method != NULL && strcmp(options->method, sbl_method_ask.name) == 0;
}

/* More groups than records: most would be empty, whatever the data. rows: public or declared; 0: neither. */
static sbl_status check_cells(const sbl_question *question, uint64_t rows, sbl_error *err)
{
    return rows == 0 || question->cells <= rows
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "a question has %zu groups, more than the %llu rows: leave a column out",
                          question->cells, (unsigned long long)rows);
}

static sbl_status add_question(sbl_plan *next, const json_t *object, size_t number, const sbl_facts *facts,
                               uint64_t rows, sbl_error *err)
{
    sbl_question question;
    SBL_CHECK(sbl_question_read(&question, object, facts, err));
    SBL_CHECK(check_cells(&question, rows, err));
    return sbl_plan_add(next, SBL_ANSWER_FEATURE, sbl_question_parameters(&question, number, facts),
                        sqrt(question.weight), err);
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    const char *text = sbl_setting_given(options, SBL_SETTING_QUESTIONS);
    json_t *object = NULL, *list = NULL;
    sbl_status status = SBL_OK;
    (void)rounds;
    if (count > 0) return SBL_OK;
    if (text == NULL) return sbl_fail(err, SBL_EARG, "no question was asked");
    SBL_TRY(sbl_json_parse(&object, text, strlen(text), "the questions", err));
    SBL_TRY(sbl_json_get_array(&list, object, "questions", "the questions", err));
    if (json_array_size(list) < 1 || json_array_size(list) > SBL_MOST_QUESTIONS)
        SBL_FAIL(err, SBL_EARG, "ask 1 to %d questions", SBL_MOST_QUESTIONS);
    for (size_t i = 0; i < json_array_size(list); i++)
        SBL_TRY(add_question(next, json_array_get(list, i), i + 1, facts, options->expected_rows, err));
    SBL_TRY(sbl_plan_set(next, SBL_PLAN_DELTA, json_real(sbl_delta_of_options(options, 0)), err));
done:
    json_decref(object);
    return status == SBL_EINPUT ? SBL_EARG : status;
}

/* ---- what a plan says ---- */

/* The noise that each block of the release will have, in units of its features; (noisy blocks), sbl_free. NULL: not
 * known. */
static double *find_noise(const sbl_layout *layout, const sbl_round *first, uint64_t n,
                          const sbl_synth_options *options)
{
    const size_t count = sbl_layout_noisy_blocks(layout);
    sbl_sensitivity *sensitivities = sbl_alloc_array(count, sizeof *sensitivities);
    uint64_t *multipliers = sbl_alloc_array(count, sizeof *multipliers);
    double *noise = sbl_alloc_array(count, sizeof *noise);
    double mu = 0.0;
    const bool known =
        sensitivities != NULL && multipliers != NULL && noise != NULL &&
        sbl_gdp_mu(&mu, options->epsilon, sbl_delta_of_options(options, n), NULL) == SBL_OK &&
        sbl_layout_sensitivities(sensitivities, layout, SBL_DISCRETE_GAUSSIAN, options->neighbours, NULL) ==
            SBL_OK &&
        sbl_choose_multipliers(multipliers, SBL_DISCRETE_GAUSSIAN, options->neighbours, sensitivities,
                               first->features.weights, count, mu * sqrt(first->plan.share), NULL) == SBL_OK;
    for (size_t i = 0; known && i < count; i++)
        noise[i] = ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multipliers[i] /
                   layout->blocks[sbl_layout_noisy_block(layout, i)].scale;
    sbl_free(sensitivities);
    sbl_free(multipliers);
    if (known) return noise;
    sbl_free(noise);
    return NULL;
}

/* The noise of the blocks of one question. */
static sbl_question_noise noise_of(const sbl_layout *layout, const double *noise, size_t number)
{
    char name[2][SBL_BLOCK_NAME_SIZE];
    sbl_question_noise found = {0};
    sbl_question_block(name[0], number, NULL);
    sbl_question_block(name[1], number, "products");
    for (size_t i = 0; i < sbl_layout_noisy_blocks(layout); i++) {
        const char *block = layout->blocks[sbl_layout_noisy_block(layout, i)].name;
        if (strcmp(block, name[0]) == 0) found.deviation = noise[i];
        if (strcmp(block, name[1]) == 0) found.products = noise[i];
    }
    return found;
}

static json_t *explain_question(sbl_text *text, const sbl_facts *facts, const sbl_plan_item *item,
                                const sbl_layout *layout, const double *noise, uint64_t n)
{
    sbl_question question;
    size_t number;
    const char *unit;
    sbl_text words = {0};
    json_t *object = NULL;
    if (sbl_question_of_parameters(&question, &number, item->parameters, facts, NULL) != SBL_OK) return NULL;
    const sbl_question_noise own = noise_of(layout, noise, number);
    const double width = sbl_answer_width(&unit, &question, facts, &own, n);
    sbl_question_describe(&words, item->parameters);
    const char *name = words.failed ? "?" : words.data;
    if (text != NULL)
        sbl_text_printf(text, "  %s: %zu answer%s, each within %.4g %s\n", name,
                        question.width != 0 ? question.width - 1 : question.cells,
                        question.width == 0 && question.cells == 1 ? "" : "s", width, unit);
    else
        object = json_pack("{s:s, s:I, s:f, s:s}", "question", name, "groups", (json_int_t)question.cells,
                           "half_width", width, "unit", unit);
    sbl_text_clear(&words);
    return object;
}

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    const sbl_layout *layout = &first->features.layout;
    double *noise = find_noise(layout, first, n, options);
    json_t *list = json_array();
    if (noise == NULL) goto done;
    if (text != NULL)
        sbl_text_printf(text,
                        "\nhalf the width of 95 %% intervals for this table, with %llu rows spread evenly "
                        "over the groups\n",
                        (unsigned long long)n);
    for (size_t i = 0; i < first->plan.count; i++) {
        const sbl_plan_item *item = &first->plan.items[i];
        if (strcmp(item->feature, SBL_ANSWER_FEATURE) != 0) continue;
        json_t *one = explain_question(text, facts, item, layout, noise, n);
        if (one != NULL) list = sbl_json_append(list, one);
    }
    if (object != NULL && list != NULL) (void)json_object_set(object, "questions", list);
done:
    json_decref(list);
    sbl_free(noise);
}

static const char *const also_public[] = {"the questions, and the weight of each", NULL};

const sbl_method sbl_method_ask = {
    .name = "ask",
    .tables = true,
    .wants_rows = true,
    .options = own_options,
    .also_public = also_public,
    .plan = plan,
    .explain = explain,
};

const sbl_method *const sbl_method_ask_list[] = {&sbl_method_ask, NULL};
