#include <string.h>

#include "base/text.h"
#include "pipeline/method.h"

/* The first is the default. */
static const sbl_method *const methods[] = {
    &sbl_method_merf,
    &sbl_method_marginals,
    &sbl_method_ron_gauss,
};
#define METHOD_COUNT (sizeof methods / sizeof methods[0])

sbl_status sbl_method_find(const sbl_method **method, const char *name, sbl_error *err)
{
    sbl_text known = {0};
    *method = methods[0];
    if (name == NULL) return SBL_OK;
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        *method = methods[i];
        if (strcmp(name, methods[i]->name) == 0) return SBL_OK;
    }
    *method = NULL;
    for (size_t i = 0; i < METHOD_COUNT; i++)
        sbl_text_printf(&known, "%s%s", i == 0 ? "" : ", ", methods[i]->name);
    const sbl_status status = sbl_fail(err, SBL_EARG, "method '%.40s' is not one of: %s", name,
                                       known.failed ? "" : known.data);
    sbl_text_clear(&known);
    return status;
}
