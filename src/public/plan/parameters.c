/* SPDX-License-Identifier: Apache-2.0 */
/* Strict readers of a feature's JSON parameters: the number of members must be exact, so that a
 * plan from a newer version is refused instead of half understood. */
#include "public/plan/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

sbl_status sbl_parameters_are(const json_t *parameters, size_t count, const char *feature, sbl_error *err)
{
    return json_object_size(parameters) == count
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know",
                          feature);
}

sbl_status sbl_parameters_reals(double **values, size_t *count, const json_t *parameters, const char *name,
                                size_t most, const char *feature, sbl_error *err)
{
    json_t *list;
    sbl_status status = SBL_OK;
    *values = NULL;
    SBL_TRY(sbl_json_get_array(&list, parameters, name, feature, err));
    *count = json_array_size(list);
    if (*count < 1 || *count > most)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s': '%s' must be a list of 1 to %zu numbers", feature, name,
                 most);
    SBL_ALLOC(*values, *count, "a plan");
    for (size_t i = 0; i < *count; i++) (*values)[i] = json_number_value(json_array_get(list, i));
done:
    return status;
}

static sbl_status read_seed(uint64_t *seed, const json_t *parameters, const char *feature, sbl_error *err)
{
    const char *text;
    const sbl_status status = sbl_json_get_string(&text, parameters, "seed", feature, err);
    if (status != SBL_OK) return status;
    return sbl_text_to_u64(seed, text)
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "feature '%s': 'seed' is not a whole number", feature);
}

sbl_status sbl_parameters_frequencies(size_t *frequencies, uint64_t *seed, const json_t *parameters,
                                      const char *feature, sbl_error *err)
{
    uint64_t features;
    SBL_CHECK(sbl_json_get_u64(&features, parameters, "features", feature, err));
    SBL_CHECK(read_seed(seed, parameters, feature, err));
    if (features < 2 || features > 1000000 || features % 2 != 0)
        return sbl_fail(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    *frequencies = features / 2;
    return SBL_OK;
}

sbl_status sbl_parameters_scales_check(const double *values, size_t count, const char *what, sbl_error *err)
{
    if (count < 1) return sbl_fail(err, SBL_EARG, "no %s is given", what);
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 1e-3 && values[i] <= 1e3))
            return sbl_fail(err, SBL_EARG, "%s %zu is not between 0.001 and 1000", what, i);
    return SBL_OK;
}

void sbl_fourier_describe(sbl_block *block, double *weight, const char *name, size_t frequencies)
{
    const double norm = sqrt((double)frequencies);
    *block = (sbl_block){.width = 2 * frequencies, .group = 2, .per_class = true, .bound2 = SBL_GRID_BOUND2};
    memcpy(block->name, name, strlen(name) + 1);
    block->scale = sbl_block_scale(block->width, block->bound2, norm);
    *weight = 1 / norm / block->scale;
}

json_t *sbl_parameters_from_reals(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) list = sbl_json_append(list, json_real(values[i]));
    return list;
}

json_t *sbl_parameters_from_seed(uint64_t seed)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return json_string(text);
}
