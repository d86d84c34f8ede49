#include "features/image_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define PLAN_VERSION 1
#define GRID_BOUND2 (UINT64_C(1) << 56) /* norm bound 2^28 grid units */

void sbl_image_plan_options_init(sbl_image_plan_options *options, const sbl_image_facts *facts)
{
    *options = (sbl_image_plan_options){
        .features = 10000, .scales = {0.3, 0.6}, .scale_count = 2, .counts = facts->classes > 1};
}

static sbl_status check_options(const sbl_image_plan_options *options, sbl_error *err)
{
    if (options->features < 2 || options->features > 1000000 || options->features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    if (options->scale_count < 1 || options->scale_count > SBL_PLAN_MAX_SCALES)
        return sbl_fail(err, SBL_EARG, "give 1 to %d length scales", SBL_PLAN_MAX_SCALES);
    for (size_t i = 0; i < options->scale_count; i++)
        if (!(options->scales[i] >= 1e-3 && options->scales[i] <= 1e3))
            return sbl_fail(err, SBL_EARG, "length scale %zu is not between 0.001 and 1000", i);
    return SBL_OK;
}

/* Each pair (cos, sin) is held to its share of the bound, as in a table's plan. */
static sbl_feature_block rff_block(size_t features)
{
    const size_t frequencies = features / 2;
    double norm = sqrt((double)frequencies);
    return (sbl_feature_block){.kind = SBL_FEATURE_RFF,
                               .name = "rff",
                               .width = features,
                               .group = 2,
                               .per_class = true,
                               .bound2 = GRID_BOUND2,
                               .norm = norm,
                               .weight = 1 / norm};
}

static json_t *method_to_json(const sbl_image_plan *plan)
{
    const sbl_image_plan_options *options = &plan->options;
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    json_t *scales = json_array();
    for (size_t i = 0; scales && i < options->scale_count; i++)
        json_array_append_new(scales, json_real(options->scales[i]));
    return json_pack(
        "{s:s, s:i, s:s, s:I, s:o, s:b, s:b, s:f, s:s, s:{s:s, s:I, s:I, s:b, s:I, s:f, s:f}}",
        "method", "merf", "version", PLAN_VERSION, "frequencies", "orthogonal", "features",
        (json_int_t)options->features, "scales", scales, "counts", options->counts, "balanced",
        options->balanced, "counts_weight", plan->counts_weight, "seed", seed, "block", "name",
        plan->block.name, "width", (json_int_t)plan->block.width, "group",
        (json_int_t)plan->block.group, "per_class", plan->block.per_class, "bound2",
        (json_int_t)plan->block.bound2, "norm", plan->block.norm, "weight", plan->block.weight);
}

static sbl_status write_json(sbl_image_plan *plan, sbl_error *err)
{
    json_t *root = json_pack("{s:o, s:o}", "images", sbl_image_facts_to_json(&plan->facts),
                             "method", method_to_json(plan));
    plan->json = root ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    if (!plan->json) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    return sbl_sha256(plan->hash, plan->json, strlen(plan->json), NULL, 0, err);
}

sbl_status sbl_image_plan_build(sbl_image_plan *plan, const sbl_image_facts *facts,
                                const sbl_image_plan_options *options, sbl_error *err)
{
    sbl_status status;
    *plan = (sbl_image_plan){.options = *options};
    SBL_TRY(check_options(options, err));
    SBL_TRY(sbl_image_facts_copy(&plan->facts, facts, err));
    plan->block = rff_block(options->features);
    plan->counts_weight = 1; /* free beside a signed block, as in a table's plan */
    SBL_TRY(write_json(plan, err));
done:
    if (status != SBL_OK) sbl_image_plan_clear(plan);
    return status;
}

static sbl_status read_options(sbl_image_plan_options *options, const json_t *method,
                               const char *where, sbl_error *err)
{
    uint64_t features;
    const char *seed;
    json_t *scales;
    sbl_status status;
    SBL_TRY(sbl_json_get_u64(&features, method, "features", where, err));
    SBL_TRY(sbl_json_get_bool(&options->counts, method, "counts", where, err));
    SBL_TRY(sbl_json_get_bool(&options->balanced, method, "balanced", where, err));
    SBL_TRY(sbl_json_get_string(&seed, method, "seed", where, err));
    SBL_TRY(sbl_json_get_array(&scales, method, "scales", where, err));
    options->features = features;
    options->scale_count = json_array_size(scales);
    if (!sbl_text_to_u64(&options->seed, seed) || options->scale_count > SBL_PLAN_MAX_SCALES)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'seed' or 'scales' is not of a plan", where);
    for (size_t i = 0; i < options->scale_count; i++)
        options->scales[i] = json_number_value(json_array_get(scales, i));
done:
    return status;
}

sbl_status sbl_image_plan_parse(sbl_image_plan *plan, const char *json, const char *where,
                                sbl_error *err)
{
    json_t *root = NULL, *images, *method;
    sbl_image_facts facts = {0};
    sbl_image_plan_options options = {0};
    sbl_status status;
    *plan = (sbl_image_plan){0};
    SBL_TRY(sbl_json_parse(&root, json, strlen(json), where, err));
    SBL_TRY(sbl_json_get_object(&images, root, "images", where, err));
    SBL_TRY(sbl_json_get_object(&method, root, "method", where, err));
    SBL_TRY(sbl_image_facts_from_json(&facts, images, where, err));
    SBL_TRY(read_options(&options, method, where, err));
    SBL_TRY(sbl_image_plan_build(plan, &facts, &options, err));
    if (strcmp(plan->json, json) != 0) {
        sbl_image_plan_clear(plan);
        status = sbl_fail(err, SBL_EINPUT,
                          "%s: the plan holds facts that this version does not know", where);
    }
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    sbl_image_facts_clear(&facts);
    json_decref(root);
    return status;
}

void sbl_image_plan_clear(sbl_image_plan *plan)
{
    sbl_image_facts_clear(&plan->facts);
    sbl_free(plan->json);
    *plan = (sbl_image_plan){0};
}

bool sbl_image_plan_is(const char *json)
{
    json_t *root = json_loads(json, 0, NULL);
    const bool is = json_object_get(root, "images") != NULL;
    json_decref(root);
    return is;
}

sbl_status sbl_image_plan_frequencies(sbl_orthogonal *frequencies, const sbl_image_plan *plan,
                                      sbl_error *err)
{
    const sbl_orthogonal_rule rule = {.frequencies = plan->options.features / 2,
                                      .scales = plan->options.scales,
                                      .scale_count = plan->options.scale_count,
                                      .seed = plan->options.seed};
    return sbl_orthogonal_init(frequencies, sbl_image_facts_size(&plan->facts), &rule, err);
}
