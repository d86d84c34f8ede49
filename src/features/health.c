/* [3] The feature `health`: a one for each column whose cell the reader marked as a misfit, and
 * under add-remove one per record. The marks come with the records; nothing is judged again
 * here. */
#include "features/health.h"

#include "accumulate/sum.h"
#include "base/memory.h"
#include "features/feature.h"
#include "features/parameters.h"

typedef struct health {
    const sbl_facts *facts; /* borrowed */
    size_t width;           /* K, or K + 1 with the total */
} health;

json_t *sbl_health_parameters(bool total) { return json_pack("{s:b}", "total", total); }

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    bool total = false;
    sbl_status status = SBL_OK;
    *made = NULL;
    SBL_TRY(sbl_parameters_are(parameters, 1, SBL_HEALTH, err));
    SBL_TRY(sbl_json_get_bool(&total, parameters, "total", SBL_HEALTH, err));
    health *h = *made = sbl_alloc_array(1, sizeof *h);
    if (h == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    *h = (health){.facts = facts, .width = facts->columns + (total ? 1 : 0)};
done:
    return status;
}

/* Ones: both norms of a record are at most the width. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const health *h = made;
    *block = (sbl_block){.name = SBL_HEALTH,
                         .width = h->width,
                         .nonnegative = true,
                         .bound2 = h->width,
                         .bound1 = h->width,
                         .scale = 1.0};
    *weight = 1.0;
}

static size_t workspace_bytes(const health *h)
{
    return h->width * sbl_slice_rows(h->facts) * sizeof(uint32_t);
}

static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    *workspace = sbl_alloc_array(workspace_bytes(made), 1);
    return *workspace != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few rows");
}

static void workspace_free(void *workspace, const void *made)
{
    sbl_free_wiped(workspace, workspace_bytes(made));
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const health *h = made;
    const size_t columns = h->facts->columns;
    uint32_t *entry = workspace;
    for (size_t r = 0; r < records->rows; r++) {
        const uint8_t *misfit = records->misfits != NULL ? records->misfits + r * columns : NULL;
        for (size_t k = 0; k < columns; k++)
            *entry++ = misfit != NULL && misfit[k] != 0 ? (uint32_t)k : SBL_NO_ENTRY;
        if (h->width > columns) *entry++ = (uint32_t)columns;
    }
    return sbl_sum_add_ones(sum, block, workspace, h->width, err);
}

const sbl_feature sbl_feature_health = {
    .name = SBL_HEALTH,
    .make = make,
    .free = sbl_free,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
};
