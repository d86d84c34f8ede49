/* Reading a plan back: rebuild it from its facts, then demand the same bytes. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "features/plan.h"

static sbl_status read_list(double *values, size_t *count, const json_t *root, const char *name,
                            const char *where, sbl_error *err)
{
    json_t *list;
    sbl_status status = sbl_json_get_array(&list, root, name, where, err);
    if (status != SBL_OK) return status;
    *count = json_array_size(list);
    if (*count > SBL_PLAN_MAX_SCALES)
        return sbl_fail(err, SBL_EINPUT, "%s: field '%s' is too long", where, name);
    for (size_t i = 0; i < *count; i++) values[i] = json_number_value(json_array_get(list, i));
    return SBL_OK;
}

static sbl_status read_shape(sbl_record_shape *shape, const json_t *root, const char *where,
                             sbl_error *err)
{
    uint64_t numeric, classes;
    json_t *list;
    size_t *cardinalities = NULL;
    sbl_status status;
    SBL_TRY(sbl_json_get_u64(&numeric, root, "numeric", where, err));
    SBL_TRY(sbl_json_get_u64(&classes, root, "classes", where, err));
    SBL_TRY(sbl_json_get_array(&list, root, "cardinalities", where, err));
    size_t count = json_array_size(list);
    cardinalities = sbl_alloc_array(count, sizeof *cardinalities);
    if (!cardinalities) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a plan");
        goto done;
    }
    for (size_t k = 0; k < count; k++)
        cardinalities[k] = (size_t)json_integer_value(json_array_get(list, k));
    SBL_TRY(sbl_record_shape_init(shape, numeric, cardinalities, count, classes, err));
done:
    sbl_free(cardinalities);
    return status;
}

static sbl_status read_options(sbl_merf_plan_options *options, const json_t *root, const char *where,
                               sbl_error *err)
{
    uint64_t features;
    const char *seed;
    sbl_status status;
    SBL_TRY(sbl_json_get_u64(&features, root, "features", where, err));
    SBL_TRY(sbl_json_get_double(&options->joint_share, root, "joint_share", where, err));
    SBL_TRY(sbl_json_get_double(&options->onehot_weight, root, "onehot_weight", where, err));
    SBL_TRY(sbl_json_get_bool(&options->counts, root, "counts", where, err));
    SBL_TRY(sbl_json_get_string(&seed, root, "seed", where, err));
    options->features = features;
    if (!sbl_text_to_u64(&options->seed, seed))
        return sbl_fail(err, SBL_EINPUT, "%s: field 'seed' is not a number", where);
    SBL_TRY(read_list(options->scales, &options->scale_count, root, "scales", where, err));
    SBL_TRY(read_list(options->code_deviations, &options->code_deviation_count, root,
                      "code_deviations", where, err));
done:
    return status;
}

sbl_status sbl_merf_plan_parse(sbl_merf_plan *plan, const char *json, const char *where, sbl_error *err)
{
    json_t *root = NULL;
    sbl_record_shape shape = {0};
    sbl_merf_plan_options options = {0};
    sbl_status status;
    const char *method;
    *plan = (sbl_merf_plan){0};
    SBL_TRY(sbl_json_parse(&root, json, strlen(json), where, err));
    SBL_TRY(sbl_json_get_string(&method, root, "method", where, err));
    if (strcmp(method, "merf") != 0) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the plan is not one of method merf", where);
        goto done;
    }
    SBL_TRY(read_shape(&shape, root, where, err));
    SBL_TRY(read_options(&options, root, where, err));
    SBL_TRY(sbl_merf_plan_build(plan, &shape, &options, err));
    if (strcmp(plan->json, json) != 0) {
        sbl_merf_plan_clear(plan);
        status = sbl_fail(err, SBL_EINPUT,
                          "%s: the plan holds facts that this version does not know", where);
    }
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    sbl_record_shape_clear(&shape);
    json_decref(root);
    return status;
}
