/* What a fit would release, before any record is read; and what a schema's columns become. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/method.h"
#include "pipeline/publish.h"
#include "pipeline/recipe.h"
#include "semblance/synth.h"
#include "table/diagnose.h"

/* Noise of standard deviation deviation / n on a mean of norm at most 1, over all its coordinates.
 */
typedef struct block_facts {
    const char *name;
    size_t values;
    double deviation; /* of the noise on one value, in feature units of the sum */
    double share;     /* expected norm of the noise on the block's means, over their largest norm */
} block_facts;

/* Noisy block i (accumulate/layout.h). */
static block_facts describe_block(const sbl_layout *layout, size_t i, uint64_t multiplier,
                                  uint64_t n)
{
    const size_t b = sbl_layout_noisy_block(layout, i);
    const bool counts = b == layout->block_count;
    const sbl_block *block = counts ? NULL : &layout->blocks[b];
    block_facts facts = {.name = counts ? "counts" : block->name};
    const double norm = counts ? 1.0 : sqrt((double)block->bound2) / block->scale;
    facts.values = counts ? layout->classes : sbl_block_values(layout, b);
    facts.deviation =
        ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)multiplier / (counts ? 1.0 : block->scale);
    facts.share = facts.deviation * sqrt((double)facts.values) / ((double)n * norm);
    return facts;
}

static json_t *blocks_to_json(const sbl_layout *layout, const uint64_t *multipliers, size_t count,
                              uint64_t n)
{
    json_t *list = json_array();
    for (size_t b = 0; b < count; b++) {
        const block_facts facts = describe_block(layout, b, multipliers[b], n);
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f}", "name", facts.name, "values",
                                              (json_int_t)facts.values, "noise_deviation",
                                              facts.deviation, "noise_share", facts.share));
    }
    return list;
}

static double worst_share(const sbl_layout *layout, const uint64_t *multipliers, uint64_t n)
{
    double worst = 0.0;
    const size_t blocks = sbl_layout_noisy_blocks(layout) - (layout->counts ? 1 : 0);
    for (size_t b = 0; b < blocks; b++)
        worst = fmax(worst, describe_block(layout, b, multipliers[b], n).share);
    return worst;
}

static void write_text(sbl_text *text, const sbl_recipe *recipe, const uint64_t *multipliers,
                       size_t count, uint64_t n, const sbl_synth_options *options)
{
    const sbl_layout *layout = &recipe->layout;
    const bool images = recipe->schema == NULL;
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    char delta[SBL_DOUBLE_TEXT_SIZE];
    sbl_text_printf(text, "method     %s\n", recipe->method->name);
    sbl_text_printf(text, "guarantee  epsilon %s, delta %s, %s neighbours\n",
                    sbl_double_to_text(epsilon, options->epsilon),
                    sbl_double_to_text(delta, options->pure ? 0.0 : options->delta),
                    sbl_neighbours_name(options->neighbours));
    sbl_text_printf(text, "rows       %llu, %zu class%s\n", (unsigned long long)n, layout->classes,
                    layout->classes == 1 ? "" : "es");
    sbl_text_printf(text, "\n%s of\n",
                    recipe->more ? "the first of two releases" : "one joint release");
    sbl_text_printf(text, "  %-16s %10s  %16s  %s\n", "block", "values", "noise (std)",
                    "noise in the means, share of the signal's bound");
    for (size_t b = 0; b < count; b++) {
        const block_facts facts = describe_block(layout, b, multipliers[b], n);
        sbl_text_printf(text, "  %-16s %10zu  %16.4g  %.3g\n", facts.name, facts.values,
                        facts.deviation, facts.share);
    }
    size_t bytes = 0;
    for (size_t b = 0; b < layout->block_count; b++) bytes += 8 * sbl_block_values(layout, b);
    sbl_text_printf(text, "\nsums take %.1f MB for each thread; %s are streamed\n",
                    (double)bytes / 1e6, images ? "images" : "rows");
    if (worst_share(layout, multipliers, n) > 0.5)
        sbl_text_printf(text,
                        "WARNING: at this epsilon %llu %s are few: noise will drown much of "
                        "the signal; take a larger epsilon%s\n",
                        (unsigned long long)n, images ? "images" : "rows",
                        images ? "" : " or the method marginals");
    if (recipe->method->explain != NULL) recipe->method->explain(text, NULL, recipe, n, options);
    if (!options->pure && options->delta > 1.0 / (double)n)
        sbl_text_printf(text, "WARNING: delta %s is above 1/n\n",
                        sbl_double_to_text(delta, options->delta));
}

static char *write_json(const sbl_recipe *recipe, const uint64_t *multipliers, size_t count,
                        uint64_t n, const sbl_synth_options *options)
{
    json_t *plan = json_loads(recipe->text, 0, NULL);
    json_t *root =
        json_pack("{s:s, s:f, s:f, s:s, s:I, s:I, s:o, s:o}", "method", recipe->method->name,
                  "epsilon", options->epsilon, "delta", options->pure ? 0.0 : options->delta,
                  "neighbours", sbl_neighbours_name(options->neighbours), "n", (json_int_t)n,
                  "classes", (json_int_t)recipe->layout.classes, "blocks",
                  blocks_to_json(&recipe->layout, multipliers, count, n), "plan", plan);
    if (root != NULL && recipe->method->explain != NULL)
        recipe->method->explain(NULL, root, recipe, n, options);
    char *text = root != NULL ? sbl_json_pretty(root) : NULL;
    json_decref(root);
    return text;
}

sbl_status sbl_recipe_show(char **text, const sbl_recipe *recipe, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err)
{
    uint64_t multipliers[SBL_RECIPE_MAX_WEIGHTS];
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    sbl_publish_request request = {.neighbours = options->neighbours,
                                   .epsilon = options->epsilon,
                                   .delta = options->pure ? 0.0 : options->delta,
                                   .share = 1.0,
                                   .other_values = recipe->other_values,
                                   .weights = recipe->weights};
    /* Of two releases, as a fit does: what would be refused for the whole budget is refused. */
    SBL_TRY(sbl_publish_multipliers(multipliers, &recipe->layout, &request, err));
    request.share = recipe->share;
    SBL_TRY(sbl_publish_multipliers(multipliers, &recipe->layout, &request, err));
    const size_t count = sbl_layout_noisy_blocks(&recipe->layout);
    if (json) {
        *text = write_json(recipe, multipliers, count, n, options);
    } else {
        write_text(&words, recipe, multipliers, count, n, options);
        *text = words.failed ? NULL : words.data;
        if (*text != NULL) words = (sbl_text){0};
    }
    if (*text == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory for a plan");
done:
    sbl_text_clear(&words);
    return status;
}

sbl_status sbl_synth_plan(char **text, const char *schema_path, uint64_t n, bool json,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_recipe recipe = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    if (n == 0) return sbl_fail(err, SBL_EARG, "the number of rows must be at least 1");
    SBL_TRY(sbl_schema_read(&schema, schema_path, err));
    SBL_TRY(sbl_recipe_build(&recipe, schema, options, err));
    SBL_TRY(sbl_recipe_show(text, &recipe, n, json, options, err));
done:
    sbl_recipe_clear(&recipe);
    return status;
}

sbl_status sbl_schema_check(char **text, const char *schema_path, const char *input, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_diagnosis diagnosis = {0};
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    SBL_TRY(sbl_schema_read(&schema, schema_path, err));
    sbl_schema_describe(&words, schema);
    if (input != NULL) {
        SBL_TRY(sbl_table_diagnose(&diagnosis, input, schema, NULL, err));
        sbl_text_printf(&words, "\n");
        sbl_diagnosis_describe(&words, &diagnosis, schema);
    }
    if (words.failed) {
        status = sbl_fail(err, SBL_EMEM, "out of memory");
        goto done;
    }
    *text = words.data;
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    sbl_diagnosis_clear(&diagnosis);
    sbl_schema_free(schema);
    return status;
}
