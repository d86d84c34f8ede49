#include "pipeline/ron_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "gauss/gauss_fit.h"
#include "model/gauss_model.h"
#include "sample/gauss_sampler.h"

sbl_status sbl_ron_make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                        const char *certificate, const sbl_synth_options *options, sbl_error *err)
{
    sbl_gauss_model model = {0};
    double rows;
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_gauss_fit(&model, &rows, &sbl_ron_of(recipe)->plan, release, err));
    metadata = sbl_model_metadata(recipe, certificate, rows);
    if (metadata == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_gauss_model_save(&model, path, metadata, options->overwrite, err));
done:
    json_decref(metadata);
    sbl_gauss_model_clear(&model);
    return status;
}

typedef struct drawer {
    sbl_gauss_model model;
    uint64_t seed;
    /* The projected table: p1, p2, ... and the label. */
    sbl_schema *schema;
    sbl_codec codec;
    size_t target; /* its place among the codec's numbers, or SBL_NO_HEAD */
    /* Room for some rows. */
    uint32_t *labels;
    uint32_t *columns; /* (rows, K): codes without the label */
    double *numbers;   /* (rows, W): projected coordinates */
    size_t room_rows;
} drawer;

/* ---- the projected table's schema ---- */

static json_t *coordinate_field(size_t number)
{
    char name[32];
    (void)snprintf(name, sizeof name, "p%zu", number);
    return json_pack("{s:s, s:s, s:{s:i, s:i, s:b}}", "name", name, "type", "number", "constraints",
                     "minimum", -1, "maximum", 1, "required", 1);
}

/* Coordinates within [-1, 1], then the label's own field. */
static json_t *projected_fields(const json_t *schema, const char *label, size_t coordinates)
{
    json_t *fields = json_array();
    const json_t *field;
    size_t i;
    for (i = 1; i <= coordinates; i++) (void)json_array_append_new(fields, coordinate_field(i));
    json_array_foreach(json_object_get(schema, "fields"), i, field)
    {
        const char *name = json_string_value(json_object_get(field, "name"));
        if (label != NULL && name != NULL && strcmp(name, label) == 0)
            (void)json_array_append_new(fields, json_deep_copy(field));
    }
    return fields;
}

static sbl_status projected_schema(sbl_schema **projected, const sbl_schema *schema,
                                   size_t coordinates, sbl_error *err)
{
    char *text = sbl_schema_json(schema);
    json_t *whole = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const char *label = schema->label != SBL_NO_COLUMN ? schema->columns[schema->label].name : NULL;
    json_t *object = json_pack("{s:o, s:O}", "fields", projected_fields(whole, label, coordinates),
                               "semblance", json_object_get(whole, "semblance"));
    char *written = object != NULL ? sbl_json_canonical(object) : NULL;
    sbl_status status = SBL_OK;
    if (written == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    else
        status = sbl_schema_parse(projected, written, strlen(written), "the projected schema", err);
    sbl_free(written);
    json_decref(object);
    json_decref(whole);
    sbl_free(text);
    return status;
}

static sbl_status open_projected(drawer *d, const sbl_recipe *recipe, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(projected_schema(&d->schema, recipe->schema, d->model.width - d->model.targets, err));
    SBL_TRY(sbl_codec_init(&d->codec, d->schema, err));
    const sbl_heads *heads = &d->codec.heads;
    d->target = SBL_NO_HEAD;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_NUMERIC)
        d->target = heads->items[heads->label].index;
done:
    return status;
}

/* ---- opening and drawing ---- */

/* The tensors must be those of the recipe: drawing trusts the recipe's sizes. */
static bool fits(const sbl_gauss_model *model, const sbl_ron_plan *plan)
{
    json_t *own = sbl_unit_record_to_json(&model->record);
    json_t *planned = sbl_unit_record_to_json(&plan->record);
    const bool projected = plan->options.space == SBL_RON_PROJECTED;
    const bool same = own != NULL && json_equal(own, planned) && model->projected == projected &&
                      model->width == (projected ? plan->moments : plan->width);
    json_decref(own);
    json_decref(planned);
    return same;
}

sbl_status sbl_ron_open(sbl_model *model, const char *path, uint64_t seed, sbl_error *err)
{
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    drawer *d = sbl_alloc_array(1, sizeof *d);
    model->state = d;
    if (d == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    d->seed = seed;
    SBL_TRY(sbl_gauss_model_load(&d->model, &metadata, path, err));
    SBL_TRY(sbl_model_read_metadata(model, metadata, path, err));
    if (!fits(&d->model, &sbl_ron_of(&model->recipe)->plan)) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the Gaussians are not those of its schema", path);
        goto done;
    }
    if (d->model.projected) SBL_TRY(open_projected(d, &model->recipe, err));
done:
    json_decref(metadata);
    return status;
}

const sbl_codec *sbl_ron_output(const sbl_model *model)
{
    const drawer *d = model->state;
    return d->model.projected ? &d->codec : &model->recipe.codec;
}

static sbl_status make_room(drawer *d, size_t rows, sbl_error *err)
{
    if (rows <= d->room_rows) return SBL_OK;
    sbl_free(d->labels);
    sbl_free(d->columns);
    sbl_free(d->numbers);
    d->room_rows = 0;
    d->labels = sbl_alloc_array(rows, sizeof *d->labels);
    d->columns = sbl_alloc_array(d->model.record.shape.categorical, rows * sizeof *d->columns);
    d->numbers = sbl_alloc_array(d->model.width, rows * sizeof *d->numbers);
    if (d->labels == NULL || d->columns == NULL || d->numbers == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    d->room_rows = rows;
    return SBL_OK;
}

/* Coordinates, then the label: a number that is the first of the model's, or the class. */
static void place_projected(const drawer *d, double *numeric, uint32_t *codes, size_t rows)
{
    const sbl_heads *heads = &d->codec.heads;
    const size_t width = d->model.width;
    for (size_t r = 0; r < rows; r++) {
        const double *from = d->numbers + r * width;
        double *to = numeric + r * heads->numeric_count;
        memcpy(to, from + d->model.targets, (width - d->model.targets) * sizeof *to);
        if (d->target != SBL_NO_HEAD) to[d->target] = from[0];
        for (size_t k = 0; k < heads->categorical_count; k++)
            codes[r * heads->categorical_count + k] = 0;
        if (heads->label != SBL_NO_HEAD && d->target == SBL_NO_HEAD)
            codes[r * heads->categorical_count + heads->items[heads->label].index] = d->labels[r];
    }
}

static void place_original(const drawer *d, const sbl_recipe *recipe, uint32_t *codes, size_t rows)
{
    const size_t all = recipe->codec.heads.categorical_count;
    const size_t others = d->model.record.shape.categorical;
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < others; k++)
            codes[r * all + recipe->code_columns[k]] = d->columns[r * others + k];
        if (recipe->label_column != SBL_NO_HEAD)
            codes[r * all + recipe->label_column] = d->labels[r];
    }
}

sbl_status sbl_ron_draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                        size_t rows, size_t wanted, sbl_error *err)
{
    drawer *d = model->state;
    sbl_status status = SBL_OK;
    SBL_TRY(make_room(d, rows, err));
    SBL_TRY(sbl_gauss_draw(&d->model, d->model.projected ? d->numbers : numeric, d->columns,
                           d->labels, d->seed, first, rows, wanted, err));
    if (d->model.projected)
        place_projected(d, numeric, codes, rows);
    else
        place_original(d, &model->recipe, codes, rows);
done:
    return status;
}

void sbl_ron_close(sbl_model *model)
{
    drawer *d = model->state;
    if (d == NULL) return;
    sbl_gauss_model_clear(&d->model);
    sbl_codec_clear(&d->codec);
    sbl_schema_free(d->schema);
    sbl_free(d->labels);
    sbl_free(d->columns);
    sbl_free(d->numbers);
    sbl_free(d);
}
