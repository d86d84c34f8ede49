/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussians of a model as tensors, with their public facts as one JSON text in the metadata;
 * what is loaded is checked for shapes, finite numbers and shares that add up to 1. */
#include "after/model/gauss_model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_fields.h"

#define FACTS "semblance.gauss"
#define SUM_TOLERANCE 1e-3 /* of shares stored as float32 */
#define TENSORS 4

sbl_status sbl_gauss_model_init(sbl_gauss_model *model, const sbl_unit_record *record, bool projected,
                                size_t width, size_t latents, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *model = (sbl_gauss_model){.projected = projected,
                               .targets = record->target != SBL_NO_TARGET ? 1 : 0,
                               .width = width,
                               .latents = latents,
                               .stretch = 1.0};
    SBL_TRY(sbl_unit_record_init(&model->record, &record->shape, record->target, record->target_radius,
                                 record->centred, err));
    const size_t classes = record->shape.classes;
    SBL_POOL(&model->pool, model->means, classes, width, "a model of Gaussians");
    SBL_POOL(&model->pool, model->factors, classes * latents, width, "a model of Gaussians");
    SBL_POOL(&model->pool, model->shares, classes, 1, "a model of Gaussians");
    SBL_POOL(&model->pool, model->offsets, classes, record->shape.onehot, "a model of Gaussians");
done:
    if (status != SBL_OK) sbl_gauss_model_clear(model);
    return status;
}

void sbl_gauss_model_clear(sbl_gauss_model *model)
{
    sbl_unit_record_clear(&model->record);
    sbl_pool_clear(&model->pool);
    *model = (sbl_gauss_model){0};
}

/* ---- the file ---- */

#define AT(member) SBL_JSON_AT(sbl_gauss_model, member)
static const sbl_json_field fact_fields[] = {
    {"projected", SBL_JSON_BOOL, AT(projected)},
    {"width", SBL_JSON_WHOLE, AT(width)},
    {"latents", SBL_JSON_WHOLE, AT(latents)},
    {"stretch", SBL_JSON_REAL, AT(stretch)},
    {0},
};
#undef AT

/* Public facts that the tensors need; canonical text, or NULL. */
static char *facts_text(const sbl_gauss_model *model)
{
    json_t *facts = sbl_json_fields_write(json_object(), model, fact_fields);
    facts = sbl_json_put(facts, "record", sbl_unit_record_to_json(&model->record));
    char *text = facts != NULL ? sbl_json_canonical(facts) : NULL;
    json_decref(facts);
    return text;
}

/* Returns how many there are. */
static size_t list_tensors(sbl_tensor tensors[TENSORS], const sbl_gauss_model *model)
{
    const size_t classes = model->record.shape.classes;
    const size_t onehot = model->record.shape.onehot;
    const sbl_tensor all[TENSORS] = {
        {"means", 2, {classes, model->width}, model->means, SBL_TENSOR_F32},
        {"factors", 2, {classes * model->latents, model->width}, model->factors, SBL_TENSOR_F32},
        {"class_shares", 1, {classes, 0}, model->shares, SBL_TENSOR_F32},
        {"offsets", 2, {classes, onehot}, model->offsets, SBL_TENSOR_F32},
    };
    memcpy(tensors, all, sizeof all);
    return onehot != 0 ? TENSORS : TENSORS - 1;
}

sbl_status sbl_gauss_model_save(const sbl_gauss_model *model, sbl_store_entry to, json_t *metadata,
                                bool overwrite, sbl_error *err)
{
    sbl_tensor tensors[TENSORS];
    const size_t count = list_tensors(tensors, model);
    char *facts = facts_text(model);
    sbl_status status = SBL_OK;
    if (facts == NULL || json_object_set_new(metadata, FACTS, json_string(facts)) != 0)
        SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_TRY(sbl_safetensors_save(to, tensors, count, metadata, overwrite, err));
done:
    sbl_free(facts);
    return status;
}

static bool is_model(const sbl_gauss_model *model)
{
    const size_t classes = model->record.shape.classes;
    double total = 0.0;
    bool good = true;
    for (size_t c = 0; c < classes; c++) {
        good = good && model->shares[c] >= 0.0F;
        total += (double)model->shares[c];
    }
    good = good && sbl_all_finite(model->means, classes * model->width);
    good = good && sbl_all_finite(model->factors, classes * model->latents * model->width);
    good = good && sbl_all_finite(model->offsets, classes * model->record.shape.onehot);
    return good && fabs(total - 1.0) <= SUM_TOLERANCE;
}

static sbl_status read_facts(sbl_gauss_model *model, const char *text, const char *path, sbl_error *err)
{
    json_t *facts = NULL;
    json_t *object;
    sbl_gauss_model said = {0}; /* its sizes alone */
    sbl_unit_record record = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&facts, text, strlen(text), path, err));
    SBL_TRY(sbl_json_get_object(&object, facts, "record", path, err));
    SBL_TRY(sbl_unit_record_from_json(&record, object, path, err));
    SBL_TRY(sbl_json_fields_read(&said, facts, fact_fields, path, err));
    const size_t targets = record.target != SBL_NO_TARGET ? 1 : 0;
    const size_t most = record.dimensions + targets;
    if (said.width <= targets || said.width > most || said.latents > said.width || said.latents < 1 ||
        (!said.projected && said.width != most) || !(said.stretch > 0.0))
        SBL_FAIL(err, SBL_EINPUT, "%s: the sizes in the model do not match", path);
    SBL_TRY(sbl_gauss_model_init(model, &record, said.projected, said.width, said.latents, err));
    model->stretch = said.stretch;
done:
    sbl_unit_record_clear(&record);
    json_decref(facts);
    return status;
}

static sbl_status read_tensors(sbl_gauss_model *model, const sbl_safetensors *file, const char *where,
                               sbl_error *err)
{
    sbl_tensor tensors[TENSORS];
    const size_t count = list_tensors(tensors, model);
    SBL_CHECK(sbl_safetensors_read(file, tensors, count, where, err));
    if (!is_model(model))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: the model's shares do not sum to 1, or a number in "
                        "it is not finite",
                        where);
    return SBL_OK;
}

sbl_status sbl_gauss_model_read(sbl_gauss_model *model, const sbl_safetensors *file, const char *where,
                                sbl_error *err)
{
    const char *facts;
    *model = (sbl_gauss_model){0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_string(&facts, file->metadata, FACTS, where, err));
    SBL_TRY(read_facts(model, facts, where, err));
    SBL_TRY(read_tensors(model, file, where, err));
done:
    if (status != SBL_OK) sbl_gauss_model_clear(model);
    return status;
}
