/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of models share: metadata in and out (plan, rows, persons, replicate, certificate), the kind
 * found by its name, and the checks before a draw. Tensors are the kind's own. */
#include "after/model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "base/text.h"

#define FORMAT "semblance.model"
#define REPLICATE "1"      /* in the metadata of a replicate's model; others have none */
#define FORMAT_VERSION "3" /* before, each method had a format of its own */

sbl_status sbl_model_new(sbl_model **model, const sbl_model_kind *kind, const sbl_plan *plan, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_model *made;
    *model = NULL;
    SBL_ALLOC(made, 1, "a model");
    made->kind = kind;
    made->rows = 1.0;
    SBL_TRY(sbl_plan_parse(&made->plan, &made->facts, plan->text, "the plan", err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    return status;
}

void sbl_model_free(sbl_model *model)
{
    if (model == NULL) return;
    if (model->state != NULL) model->kind->free(model->state);
    sbl_plan_clear(&model->plan);
    sbl_facts_clear(&model->facts);
    sbl_free(model->persons);
    sbl_free(model->certificate);
    sbl_free(model);
}

sbl_status sbl_model_set_certificate(sbl_model *model, const char *certificate, sbl_error *err)
{
    sbl_free(model->certificate);
    model->certificate = NULL;
    return certificate != NULL ? sbl_copy_text(&model->certificate, certificate, "a model", err) : SBL_OK;
}

sbl_status sbl_model_set_persons(sbl_model *model, const double *shares, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    double total = 0.0;
    bool good = count != 0 && count == sbl_facts_rows_per_unit(&model->facts);
    for (size_t j = 0; j < count; j++) {
        good = good && shares[j] >= 0.0;
        total += shares[j];
    }
    if (!good || !(fabs(total - 1.0) < 1e-6))
        SBL_FAIL(err, SBL_EINPUT, "the model has no shares of persons by number of rows");
    SBL_RESIZE(model->persons, count, "a model");
    memcpy(model->persons, shares, count * sizeof *shares);
done:
    return status;
}

/* ---- the file ---- */

/* The shares as one text, numbers apart by blanks, as every metadata value is a text. */
static json_t *persons_to_json(const sbl_model *model)
{
    sbl_text text = {0};
    char number[SBL_DOUBLE_TEXT_SIZE];
    for (size_t j = 0; j < sbl_facts_rows_per_unit(&model->facts); j++)
        sbl_text_printf(&text, "%s%s", j == 0 ? "" : " ", sbl_double_to_text(number, model->persons[j]));
    json_t *value = text.failed ? NULL : json_string(text.data);
    sbl_text_clear(&text);
    return value;
}

static sbl_status read_persons(sbl_model *model, const json_t *metadata, const char *path, sbl_error *err)
{
    const uint64_t count = sbl_facts_rows_per_unit(&model->facts);
    double shares[SBL_ROWS_PER_UNIT_MAX];
    const char *text;
    if (count == 0 || model->kind->whole_units) return SBL_OK;
    sbl_status status = sbl_json_get_string(&text, metadata, "persons", path, err);
    if (status != SBL_OK) return status;
    for (uint64_t j = 0; j < count; j++) {
        char number[SBL_DOUBLE_TEXT_SIZE] = "";
        const size_t length = strcspn(text, " ");
        if (length < sizeof number) memcpy(number, text, length);
        if (!sbl_text_to_double(&shares[j], number)) shares[j] = -1.0;
        text += length + (text[length] != '\0');
    }
    if (*text != '\0') shares[0] = -1.0;
    return sbl_model_set_persons(model, shares, count, err) == SBL_OK
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT,
                          "%s: field 'persons' must hold the shares of persons by number of rows", path);
}

static json_t *make_metadata(const sbl_model *model)
{
    char rows[32];
    (void)snprintf(rows, sizeof rows, "%.0f", model->rows < 1.0 ? 1.0 : model->rows);
    json_t *metadata =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", FORMAT, FORMAT_VERSION, "kind", model->kind->name, "data",
                  sbl_data_kind_name(model->facts.kind), "plan", model->plan.text, "rows", rows);
    if (model->certificate != NULL)
        metadata = sbl_json_put(metadata, "certificate", json_string(model->certificate));
    if (model->device[0] != '\0') metadata = sbl_json_put(metadata, "device", json_string(model->device));
    if (model->persons != NULL) metadata = sbl_json_put(metadata, "persons", persons_to_json(model));
    if (model->replicate) metadata = sbl_json_put(metadata, "replicate", json_string(REPLICATE));
    return metadata;
}

const char *sbl_model_trained_on(const sbl_model *model)
{
    if (!model->kind->trained) return NULL;
    return model->device[0] != '\0' ? model->device : SBL_DEVICE_CPU;
}

sbl_status sbl_model_save(const sbl_model *model, sbl_store_entry to, bool overwrite, sbl_error *err)
{
    json_t *metadata = make_metadata(model);
    if (metadata == NULL) return sbl_no_memory(err, "a model file");
    const sbl_status status = model->kind->save(model->state, to, metadata, overwrite, err);
    json_decref(metadata);
    return status;
}

static sbl_status find_kind(const sbl_model_kind **kind, const json_t *metadata, const char *path,
                            const sbl_model_kind *const *kinds, sbl_error *err)
{
    const char *version = json_string_value(json_object_get(metadata, FORMAT));
    const char *name = json_string_value(json_object_get(metadata, "kind"));
    if (version == NULL || strcmp(version, FORMAT_VERSION) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not a model file, or was written by an incompatible version",
                        path);
    for (; name != NULL && *kinds != NULL; kinds++)
        if (strcmp((*kinds)->name, name) == 0) {
            *kind = *kinds;
            return SBL_OK;
        }
    return sbl_fail(err, SBL_EINPUT, "%s: this version does not know the kind of model in the file", path);
}

static sbl_status read_metadata(sbl_model *model, const json_t *metadata, const char *path, sbl_error *err)
{
    const char *plan;
    const char *data;
    const char *rows;
    const char *certificate = json_string_value(json_object_get(metadata, "certificate"));
    const char *device = json_string_value(json_object_get(metadata, "device"));
    const char *replicate = json_string_value(json_object_get(metadata, "replicate"));
    uint64_t number;
    SBL_CHECK(sbl_json_get_string(&plan, metadata, "plan", path, err));
    SBL_CHECK(sbl_json_get_string(&data, metadata, "data", path, err));
    SBL_CHECK(sbl_json_get_string(&rows, metadata, "rows", path, err));
    SBL_CHECK(sbl_plan_parse(&model->plan, &model->facts, plan, path, err));
    if (!sbl_text_to_u64(&number, rows) || number < 1)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'rows' must be a whole number above 0", path);
    if (strcmp(data, sbl_data_kind_name(model->facts.kind)) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'data' contradicts the plan", path);
    model->rows = (double)number;
    if (device != NULL) (void)snprintf(model->device, sizeof model->device, "%s", device);
    SBL_CHECK(read_persons(model, metadata, path, err));
    if (replicate != NULL && strcmp(replicate, REPLICATE) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: field 'replicate' must be %s if it is given", path, REPLICATE);
    model->replicate = replicate != NULL;
    return sbl_model_set_certificate(model, certificate, err);
}

static sbl_status from_file(sbl_model **model, const sbl_safetensors *file, const char *where,
                            const sbl_model_kind *const *kinds, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_model *made;
    SBL_ALLOC(made, 1, "a model");
    SBL_TRY(find_kind(&made->kind, file->metadata, where, kinds, err));
    SBL_TRY(read_metadata(made, file->metadata, where, err));
    SBL_TRY(made->kind->load(made, file, where, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    return status;
}

sbl_status sbl_model_load(sbl_model **model, sbl_store_entry from, const sbl_model_kind *const *kinds,
                          sbl_error *err)
{
    sbl_safetensors file = {0};
    *model = NULL;
    sbl_status status = sbl_safetensors_load(&file, from, err);
    if (status == SBL_OK) status = from_file(model, &file, from.name, kinds, err);
    sbl_safetensors_clear(&file);
    return status;
}

sbl_status sbl_model_decode(sbl_model **model, const uint8_t *bytes, size_t size, const char *where,
                            const sbl_model_kind *const *kinds, sbl_error *err)
{
    sbl_safetensors file = {0};
    *model = NULL;
    sbl_status status = sbl_safetensors_decode(&file, bytes, size, where, err);
    if (status == SBL_OK) status = from_file(model, &file, where, kinds, err);
    sbl_safetensors_clear(&file);
    return status;
}

/* ---- drawing ---- */

sbl_status sbl_model_seed(sbl_model *model, uint64_t seed, sbl_error *err)
{
    const sbl_status status = model->kind->seed(model, seed, err);
    model->seeded = status == SBL_OK;
    return status;
}

sbl_status sbl_model_draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows,
                          size_t wanted, sbl_error *err)
{
    if (!model->seeded) return sbl_fail(err, SBL_EARG, "the model has no seed to draw with");
    if (wanted != SBL_ANY_CLASS && wanted >= model->facts.classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    if (model->fixed_count > 0 && !model->kind->fixes)
        return sbl_fail(err, SBL_EARG, "a model of kind '%s' cannot draw rows with fixed columns",
                        model->kind->name);
    return model->kind->draw(model, drawn, first, rows, wanted, err);
}

const sbl_facts *sbl_model_output(const sbl_model *model)
{
    return model->kind->output != NULL ? model->kind->output(model) : &model->facts;
}
