#include "features/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define PLAN_VERSION 1
#define GRID_BOUND2 (UINT64_C(1) << 56) /* norm bound 2^28 grid units */

void sbl_merf_plan_options_init(sbl_merf_plan_options *options, const sbl_record_shape *shape)
{
    *options = (sbl_merf_plan_options){.features = 2000,
                                  .scales = {0.05, 0.1, 0.2, 0.4, 0.8},
                                  .scale_count = 5,
                                  .code_deviations = {0.15, 0.3, 0.6, 1.2},
                                  .code_deviation_count = 4,
                                  .joint_share = 0.5,
                                  .onehot_weight = 1,
                                  .counts = shape->classes > 1};
}

static sbl_feature_block rff_block(const sbl_merf_plan_options *options)
{
    const size_t frequencies = options->features / 2;
    double norm = sqrt((double)frequencies);
    return (sbl_feature_block){.kind = SBL_FEATURE_RFF,
                               .name = "rff",
                               .width = options->features,
                               .group = 2,
                               .per_class = true,
                               .bound2 = GRID_BOUND2,
                               .norm = norm,
                               .weight = 1 / norm};
}

static sbl_feature_block onehot_block(const sbl_record_shape *shape, double weight)
{
    double columns = (double)shape->categorical;
    return (sbl_feature_block){.kind = SBL_FEATURE_ONEHOT,
                               .name = "onehot",
                               .width = shape->onehot,
                               .per_class = true,
                               .nonnegative = true,
                               .bound2 = shape->categorical,
                               .weight = weight / sqrt(columns)};
}

static json_t *block_to_json(const sbl_feature_block *block)
{
    return json_pack("{s:s, s:I, s:I, s:b, s:b, s:I, s:f, s:f}", "name", block->name, "width",
                     (json_int_t)block->width, "group", (json_int_t)block->group, "per_class",
                     block->per_class, "nonnegative", block->nonnegative, "bound2",
                     (json_int_t)block->bound2, "norm", block->norm, "weight", block->weight);
}

/* Takes the reference; false when out of memory. */
static bool put(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static json_t *reals(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real(values[i]));
    return list;
}

static bool put_lists(json_t *root, const sbl_merf_plan *plan)
{
    const sbl_merf_plan_options *options = &plan->options;
    json_t *cardinalities = json_array(), *blocks = json_array();
    bool good = true;
    for (size_t k = 0; k < plan->shape.categorical; k++)
        good &= json_array_append_new(cardinalities,
                                      json_integer((json_int_t)plan->shape.cardinalities[k])) == 0;
    for (size_t b = 0; b < plan->block_count; b++)
        good &= json_array_append_new(blocks, block_to_json(&plan->blocks[b])) == 0;
    good &= put(root, "cardinalities", cardinalities);
    good &= put(root, "scales", reals(options->scales, options->scale_count));
    good &= put(root, "code_deviations",
                reals(options->code_deviations, options->code_deviation_count));
    good &= put(root, "blocks", blocks);
    return good;
}

static sbl_status write_json(sbl_merf_plan *plan, sbl_error *err)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)plan->options.seed);
    json_t *root = json_pack(
        "{s:s, s:i, s:I, s:I, s:I, s:f, s:f, s:b, s:f, s:s}", "method", "merf", "version",
        PLAN_VERSION, "numeric", (json_int_t)plan->shape.numeric, "classes",
        (json_int_t)plan->shape.classes, "features", (json_int_t)plan->options.features,
        "joint_share", plan->options.joint_share, "onehot_weight", plan->options.onehot_weight,
        "counts", plan->options.counts, "counts_weight", plan->counts_weight, "seed", seed);
    bool good = root && put_lists(root, plan);
    plan->json = good ? sbl_json_canonical(root) : NULL;
    json_decref(root);
    if (!plan->json) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    return sbl_sha256(plan->hash, plan->json, strlen(plan->json), NULL, 0, err);
}

static sbl_status check_list(const double *values, size_t count, const char *what, sbl_error *err)
{
    if (count < 1 || count > SBL_PLAN_MAX_SCALES)
        return sbl_fail(err, SBL_EARG, "give 1 to %d %ss", SBL_PLAN_MAX_SCALES, what);
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 1e-3 && values[i] <= 1e3))
            return sbl_fail(err, SBL_EARG, "%s %zu is not between 0.001 and 1000", what, i);
    return SBL_OK;
}

static sbl_status check_options(const sbl_merf_plan_options *options, sbl_error *err)
{
    sbl_status status;
    if (options->features < 2 || options->features > 1000000 || options->features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    if (!(options->joint_share >= 0 && options->joint_share <= 1))
        return sbl_fail(err, SBL_EARG, "joint_share is not between 0 and 1");
    SBL_TRY(check_list(options->scales, options->scale_count, "length scale", err));
    SBL_TRY(
        check_list(options->code_deviations, options->code_deviation_count, "code deviation", err));
    if (!(options->onehot_weight >= 1e-3 && options->onehot_weight <= 1e3))
        return sbl_fail(err, SBL_EARG, "onehot_weight is not between 0.001 and 1000");
done:
    return status;
}

sbl_status sbl_merf_plan_build(sbl_merf_plan *plan, const sbl_record_shape *shape,
                          const sbl_merf_plan_options *options, sbl_error *err)
{
    *plan = (sbl_merf_plan){.options = *options};
    sbl_status status = check_options(options, err);
    if (status != SBL_OK) return status;
    SBL_TRY(sbl_record_shape_copy(&plan->shape, shape, err));
    plan->blocks[plan->block_count++] = rff_block(options);
    if (shape->categorical > 0)
        plan->blocks[plan->block_count++] = onehot_block(shape, options->onehot_weight);
    /* Beside a signed block a record that keeps its label moves the sums further than one that
     * changes it; the counts fit into the difference. */
    plan->counts_weight = 1;
    SBL_TRY(write_json(plan, err));
done:
    if (status != SBL_OK) sbl_merf_plan_clear(plan);
    return status;
}

void sbl_merf_plan_clear(sbl_merf_plan *plan)
{
    sbl_record_shape_clear(&plan->shape);
    sbl_free(plan->json);
    *plan = (sbl_merf_plan){0};
}

const sbl_feature_block *sbl_merf_plan_find(const sbl_merf_plan *plan, sbl_feature_kind kind)
{
    for (size_t b = 0; b < plan->block_count; b++)
        if (plan->blocks[b].kind == kind) return &plan->blocks[b];
    return NULL;
}

sbl_status sbl_merf_plan_rff(sbl_rff *rff, const sbl_merf_plan *plan, sbl_error *err)
{
    const size_t frequencies = plan->options.features / 2;
    const sbl_merf_plan_options *options = &plan->options;
    sbl_rff_rule rule = {.frequencies = options->features / 2,
                         .scales = options->scales,
                         .scale_count = options->scale_count,
                         .code_deviations = options->code_deviations,
                         .code_deviation_count = options->code_deviation_count,
                         .joint = (size_t)(options->joint_share * (double)frequencies),
                         .seed = options->seed};
    return sbl_rff_init(rff, &plan->shape, &rule, err);
}
