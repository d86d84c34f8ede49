#include "pipeline/recipe.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "pipeline/method.h"

/* Where the label and the other categorical columns stand among the codec's codes. */
static sbl_status find_code_columns(sbl_recipe *recipe, sbl_error *err)
{
    const sbl_heads *heads = &recipe->codec.heads;
    size_t next = 0;
    recipe->label_column = SBL_NO_HEAD;
    recipe->classes = 1;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_CATEGORICAL) {
        recipe->label_column = heads->items[heads->label].index;
        recipe->classes = heads->class_count;
    }
    recipe->code_columns = sbl_alloc_array(heads->categorical_count, sizeof *recipe->code_columns);
    if (recipe->code_columns == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
    for (size_t k = 0; k < heads->categorical_count; k++)
        if (k != recipe->label_column) recipe->code_columns[next++] = k;
    return SBL_OK;
}

sbl_status sbl_recipe_shape(sbl_record_shape *shape, const sbl_recipe *recipe, sbl_error *err)
{
    const sbl_heads *heads = &recipe->codec.heads;
    size_t columns = 0;
    size_t *cardinalities = sbl_alloc_array(heads->categorical_count, sizeof *cardinalities);
    if (cardinalities == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
    for (size_t h = 0; h < heads->count; h++)
        if (heads->items[h].kind == SBL_HEAD_CATEGORICAL &&
            heads->items[h].index != recipe->label_column)
            cardinalities[columns++] = heads->items[h].cardinality;
    const sbl_status status = sbl_record_shape_init(shape, heads->numeric_count, cardinalities,
                                                    columns, recipe->classes, err);
    sbl_free(cardinalities);
    return status;
}

/* {"method": plan, "schema": schema}, canonical; owned by the caller. */
static sbl_status join_text(char **text, const sbl_recipe *recipe, const char *plan, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *method = NULL;
    json_t *schema = NULL;
    json_t *both = NULL;
    char *schema_text = sbl_schema_json(recipe->schema);
    if (schema_text == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
        goto done;
    }
    SBL_TRY(sbl_json_parse(&method, plan, strlen(plan), "the plan", err));
    SBL_TRY(sbl_json_parse(&schema, schema_text, strlen(schema_text), "the schema", err));
    both = json_pack("{s:O, s:O}", "method", method, "schema", schema);
    *text = both != NULL ? sbl_json_canonical(both) : NULL;
    if (*text == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
done:
    json_decref(method);
    json_decref(schema);
    json_decref(both);
    sbl_free(schema_text);
    return status;
}

/* What follows from schema and plan, whichever way they came. */
static sbl_status finish(sbl_recipe *recipe, sbl_error *err)
{
    sbl_block blocks[SBL_RECIPE_MAX_BLOCKS] = {0};
    sbl_layout layout = {
        .blocks = blocks, .classes = recipe->classes, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_status status = SBL_OK;
    SBL_TRY(recipe->method->finish(recipe, err));
    recipe->share = 1.0;
    recipe->method->describe(recipe, &layout);
    SBL_TRY(join_text(&recipe->text, recipe, recipe->method->text(recipe), err));
    SBL_TRY(sbl_sha256(layout.plan_hash, recipe->text, strlen(recipe->text), NULL, 0, err));
    SBL_TRY(sbl_layout_validate(&layout, err));
    SBL_TRY(sbl_layout_copy(&recipe->layout, &layout, err));
done:
    return status;
}

sbl_status sbl_recipe_build(sbl_recipe *recipe, sbl_schema *schema,
                            const sbl_synth_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    memset(recipe, 0, sizeof *recipe);
    recipe->schema = schema;
    SBL_TRY(sbl_method_find(&recipe->method, options->method, err));
    SBL_TRY(sbl_codec_init(&recipe->codec, schema, err));
    SBL_TRY(find_code_columns(recipe, err));
    SBL_TRY(recipe->method->plan(recipe, options, err));
    SBL_TRY(finish(recipe, err));
done:
    if (status != SBL_OK) sbl_recipe_clear(recipe);
    return status;
}

/* The method's part of a release's plan. */
static sbl_status parse_method(sbl_recipe *recipe, const json_t *root, const char *where,
                               sbl_error *err)
{
    json_t *object;
    const char *name;
    char *text = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_object(&object, root, "method", where, err));
    SBL_TRY(sbl_json_get_string(&name, object, "method", where, err));
    SBL_TRY(sbl_method_find(&recipe->method, name, err));
    text = sbl_json_canonical(object);
    if (text == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    else
        status = recipe->method->parse(recipe, text, where, err);
done:
    sbl_free(text);
    return status;
}

static sbl_status parse_schema(sbl_recipe *recipe, const json_t *root, const char *where,
                               sbl_error *err)
{
    json_t *object;
    sbl_status status = sbl_json_get_object(&object, root, "schema", where, err);
    if (status != SBL_OK) return status;
    char *text = sbl_json_canonical(object);
    if (text == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    status = sbl_schema_parse(&recipe->schema, text, strlen(text), where, err);
    sbl_free(text);
    return status;
}

sbl_status sbl_recipe_parse(sbl_recipe *recipe, const char *text, const char *where, sbl_error *err)
{
    json_t *root = NULL;
    sbl_status status = SBL_OK;
    memset(recipe, 0, sizeof *recipe);
    SBL_TRY(sbl_json_parse(&root, text, strlen(text), where, err));
    SBL_TRY(parse_schema(recipe, root, where, err));
    SBL_TRY(sbl_codec_init(&recipe->codec, recipe->schema, err));
    SBL_TRY(find_code_columns(recipe, err));
    SBL_TRY(parse_method(recipe, root, where, err));
    SBL_TRY(finish(recipe, err));
    /* A plan that does not give back itself was not written by this version. */
    if (strcmp(recipe->text, text) != 0)
        status =
            sbl_fail(err, SBL_EINPUT, "%s holds a plan of another version of this program", where);
done:
    json_decref(root);
    if (status != SBL_OK) sbl_recipe_clear(recipe);
    return status;
}

void sbl_recipe_clear(sbl_recipe *recipe)
{
    sbl_layout_clear(&recipe->layout);
    if (recipe->method != NULL) recipe->method->clear(recipe);
    sbl_codec_clear(&recipe->codec);
    sbl_schema_free(recipe->schema);
    sbl_free(recipe->code_columns);
    sbl_free(recipe->text);
    memset(recipe, 0, sizeof *recipe);
}

sbl_status sbl_recipe_next(sbl_recipe *second, const sbl_recipe *first, const sbl_release *release,
                           sbl_error *err)
{
    char *plan = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    memset(second, 0, sizeof *second);
    SBL_TRY(first->method->next(&plan, first, release, err));
    SBL_TRY(join_text(&text, first, plan, err));
    SBL_TRY(sbl_recipe_parse(second, text, "the second release's plan", err));
done:
    sbl_free(text);
    sbl_free(plan);
    return status;
}
