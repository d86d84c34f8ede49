/* Every method and every kind of model that there is, one line each. */
#include <stdio.h>
#include <string.h>

#include "methods/method.h"
#include "options/options.h"
#include "sample/gauss_sampler.h"
#include "sample/marginals_sampler.h"
#include "sample/pairs_kind.h"
#include "sample/sampler.h"

extern const sbl_method sbl_method_pairs;
extern const sbl_method sbl_method_merf;
extern const sbl_method sbl_method_mepf;
extern const sbl_method sbl_method_marginals;
extern const sbl_method sbl_method_ron_gauss;
extern const sbl_method sbl_method_hp;

const sbl_method *const sbl_method_list[] = {
    &sbl_method_pairs,
    &sbl_method_mepf,
    &sbl_method_merf,
    &sbl_method_marginals,
    &sbl_method_ron_gauss,
    &sbl_method_hp,
    NULL,
};

const sbl_model_kind *const sbl_model_kinds[] = {
    &sbl_model_kind_pairs,
    &sbl_model_kind_generator,
    &sbl_model_kind_marginals,
    &sbl_model_kind_gauss,
    NULL,
};

static bool can(const sbl_method *method, sbl_data_kind data)
{
    return data == SBL_DATA_IMAGES ? method->images : method->tables;
}

static const sbl_method *search(const sbl_method *const *list, const char *name, sbl_data_kind data)
{
    for (; list != NULL && *list != NULL; list++)
        if (can(*list, data) && strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

sbl_status sbl_method_find(const sbl_method **method, const char *name, sbl_data_kind data,
                           const sbl_method *const *more, sbl_error *err)
{
    char names[160] = "auto";
    size_t length = 4;
    if (name == NULL || strcmp(name, "auto") == 0)
        name = sbl_method_of_auto(data == SBL_DATA_IMAGES ? SBL_IMAGES : SBL_TABLES, false);
    *method = search(sbl_method_list, name, data);
    if (*method == NULL) *method = search(more, name, data);
    if (*method != NULL) return SBL_OK;
    for (const sbl_method *const *m = sbl_method_list; *m != NULL; m++)
        if (can(*m, data) && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, ", %s", (*m)->name);
    return sbl_fail(err, SBL_EARG, "method '%.40s' is not one for %s: there are %s", name,
                    data == SBL_DATA_IMAGES ? "images" : "tables", names);
}
