#include "model/gauss_model.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "tensors/safetensors.h"

#define FORMAT "semblance.format"
#define FACTS "semblance.gauss"
#define SUM_TOLERANCE 1e-3 /* of shares stored as float32 */
#define TENSORS 4

static float *reals(size_t rows, size_t columns)
{
    size_t values;
    return sbl_size_mul(&values, rows, columns) ? sbl_alloc_array(values, sizeof(float)) : NULL;
}

sbl_status sbl_gauss_model_init(sbl_gauss_model *model, const sbl_unit_record *record,
                                bool projected, size_t width, size_t latents, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t rows;
    *model = (sbl_gauss_model){.projected = projected,
                               .targets = record->target != SBL_NO_TARGET ? 1 : 0,
                               .width = width,
                               .latents = latents,
                               .stretch = 1.0};
    SBL_TRY(sbl_unit_record_init(&model->record, &record->shape, record->target,
                                 record->target_radius, record->centred, err));
    const size_t classes = record->shape.classes;
    if (!sbl_size_mul(&rows, classes, latents)) rows = SIZE_MAX;
    model->means = reals(classes, width);
    model->factors = reals(rows, width);
    model->shares = reals(classes, 1);
    model->offsets = reals(classes, record->shape.onehot);
    if (model->means == NULL || model->factors == NULL || model->shares == NULL ||
        model->offsets == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model of Gaussians");
done:
    if (status != SBL_OK) sbl_gauss_model_clear(model);
    return status;
}

void sbl_gauss_model_clear(sbl_gauss_model *model)
{
    sbl_unit_record_clear(&model->record);
    sbl_free(model->means);
    sbl_free(model->factors);
    sbl_free(model->shares);
    sbl_free(model->offsets);
    *model = (sbl_gauss_model){0};
}

/* ---- the file ---- */

/* Public facts that the tensors need; canonical text, or NULL. */
static char *facts_text(const sbl_gauss_model *model)
{
    json_t *record = sbl_unit_record_to_json(&model->record);
    json_t *facts = record == NULL
                        ? NULL
                        : json_pack("{s:o, s:b, s:I, s:I, s:f}", "record", record, "projected",
                                    model->projected, "width", (json_int_t)model->width, "latents",
                                    (json_int_t)model->latents, "stretch", model->stretch);
    char *text = facts != NULL ? sbl_json_canonical(facts) : NULL;
    json_decref(facts);
    return text;
}

sbl_status sbl_gauss_model_save(const sbl_gauss_model *model, const char *path, const json_t *extra,
                                bool overwrite, sbl_error *err)
{
    const size_t classes = model->record.shape.classes;
    const size_t onehot = model->record.shape.onehot;
    const sbl_tensor tensors[TENSORS] = {
        {"means", 2, {classes, model->width}, model->means},
        {"factors", 2, {classes * model->latents, model->width}, model->factors},
        {"class_shares", 1, {classes, 0}, model->shares},
        {"offsets", 2, {classes, onehot}, model->offsets},
    };
    char *facts = facts_text(model);
    json_t *metadata = extra != NULL ? json_deep_copy(extra) : json_object();
    sbl_status status;
    if (facts == NULL || metadata == NULL ||
        json_object_set_new(metadata, FORMAT, json_string(SBL_GAUSS_FORMAT)) != 0 ||
        json_object_set_new(metadata, FACTS, json_string(facts)) != 0)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model file");
    else
        status = sbl_safetensors_save(path, tensors, onehot != 0 ? TENSORS : TENSORS - 1, metadata,
                                      overwrite, err);
    sbl_free(facts);
    json_decref(metadata);
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
    for (size_t i = 0; i < classes * model->width; i++) good = good && isfinite(model->means[i]);
    for (size_t i = 0; i < classes * model->latents * model->width; i++)
        good = good && isfinite(model->factors[i]);
    for (size_t i = 0; i < classes * model->record.shape.onehot; i++)
        good = good && isfinite(model->offsets[i]);
    return good && fabs(total - 1.0) <= SUM_TOLERANCE;
}

static sbl_status read_tensor(float *values, const sbl_safetensors *file, const char *name,
                              size_t rows, size_t columns, const char *path, sbl_error *err)
{
    const sbl_tensor *tensor = sbl_safetensors_find(file, name, rows, columns);
    if (tensor == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape", path,
                        name);
    memcpy(values, tensor->data, rows * (columns != 0 ? columns : 1) * sizeof *values);
    return SBL_OK;
}

static sbl_status read_facts(sbl_gauss_model *model, const char *text, const char *path,
                             sbl_error *err)
{
    json_t *facts = NULL;
    json_t *object;
    sbl_unit_record record = {0};
    bool projected;
    double stretch;
    uint64_t width;
    uint64_t latents;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_parse(&facts, text, strlen(text), path, err));
    SBL_TRY(sbl_json_get_object(&object, facts, "record", path, err));
    SBL_TRY(sbl_unit_record_from_json(&record, object, path, err));
    SBL_TRY(sbl_json_get_bool(&projected, facts, "projected", path, err));
    SBL_TRY(sbl_json_get_u64(&width, facts, "width", path, err));
    SBL_TRY(sbl_json_get_u64(&latents, facts, "latents", path, err));
    SBL_TRY(sbl_json_get_double(&stretch, facts, "stretch", path, err));
    const size_t targets = record.target != SBL_NO_TARGET ? 1 : 0;
    if (width <= targets || width > record.dimensions + targets || latents > width || latents < 1 ||
        (!projected && width != record.dimensions + targets) || !(stretch > 0.0)) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the model's sizes do not fit one another", path);
        goto done;
    }
    SBL_TRY(sbl_gauss_model_init(model, &record, projected, width, latents, err));
    model->stretch = stretch;
done:
    sbl_unit_record_clear(&record);
    json_decref(facts);
    return status;
}

static sbl_status read_model(sbl_gauss_model *model, const sbl_safetensors *file, const char *path,
                             sbl_error *err)
{
    const char *format;
    const char *facts;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, path, err));
    if (strcmp(format, SBL_GAUSS_FORMAT) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: this version reads model format '%s' only", path,
                        SBL_GAUSS_FORMAT);
    SBL_TRY(sbl_json_get_string(&facts, file->metadata, FACTS, path, err));
    SBL_TRY(read_facts(model, facts, path, err));
    const size_t classes = model->record.shape.classes;
    const size_t onehot = model->record.shape.onehot;
    SBL_TRY(read_tensor(model->means, file, "means", classes, model->width, path, err));
    SBL_TRY(read_tensor(model->factors, file, "factors", classes * model->latents, model->width,
                        path, err));
    SBL_TRY(read_tensor(model->shares, file, "class_shares", classes, 0, path, err));
    if (onehot != 0)
        SBL_TRY(read_tensor(model->offsets, file, "offsets", classes, onehot, path, err));
    if (!is_model(model))
        status = sbl_fail(err, SBL_EINPUT,
                          "%s: the model's shares do not sum to 1, or a number in "
                          "it is not finite",
                          path);
done:
    return status;
}

sbl_status sbl_gauss_model_load(sbl_gauss_model *model, json_t **extra, const char *path,
                                sbl_error *err)
{
    sbl_safetensors file;
    *model = (sbl_gauss_model){0};
    if (extra != NULL) *extra = NULL;
    sbl_status status = sbl_safetensors_load(&file, path, err);
    if (status != SBL_OK) return status;
    status = read_model(model, &file, path, err);
    if (status != SBL_OK)
        sbl_gauss_model_clear(model);
    else if (extra != NULL)
        *extra = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}
