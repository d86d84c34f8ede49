#include "pipeline/recipe.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

const char *sbl_method_name(sbl_method method)
{
    return method == SBL_METHOD_MARGINALS ? "marginals" : "merf";
}

static sbl_status read_method(sbl_method *method, const char *name, sbl_error *err)
{
    *method = SBL_METHOD_MERF;
    if (name == NULL || strcmp(name, "merf") == 0) return SBL_OK;
    *method = SBL_METHOD_MARGINALS;
    if (strcmp(name, "marginals") == 0) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "method '%.40s' is not one of: merf, marginals", name);
}

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

/* The record as networks see it: the classification label is the class, not a column. */
static sbl_status record_shape(sbl_record_shape *shape, const sbl_recipe *recipe, sbl_error *err)
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

static sbl_status plan_merf(sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err)
{
    sbl_record_shape shape = {0};
    sbl_plan_options plan_options;
    sbl_status status = record_shape(&shape, recipe, err);
    if (status != SBL_OK) return status;
    sbl_plan_options_init(&plan_options, &shape);
    if (options->features != 0) plan_options.features = options->features;
    plan_options.seed = options->seed;
    /* Under add-remove n is not public: the counts are where it comes from. */
    plan_options.counts = recipe->classes > 1 || options->neighbours == SBL_ADD_REMOVE;
    status = sbl_plan_build(&recipe->merf, &shape, &plan_options, err);
    sbl_record_shape_clear(&shape);
    return status;
}

static sbl_status plan_marginals(sbl_recipe *recipe, const sbl_synth_options *options,
                                 sbl_error *err)
{
    sbl_marginals_options plan_options;
    sbl_marginals_options_init(&plan_options);
    if (options->bins != 0) plan_options.bins = options->bins;
    return sbl_marginals_plan_build(&recipe->marginals, recipe->schema, &recipe->codec.heads,
                                    &plan_options, err);
}

/* A unit of feature b is scale_b grid units and m_b times that in the release: equal weights per
 * feature unit are multipliers in the proportion weight_b / scale_b. */
static void describe_merf(sbl_recipe *recipe, sbl_block *blocks)
{
    for (size_t b = 0; b < recipe->merf.block_count; b++) {
        const sbl_feature_block *feature = &recipe->merf.blocks[b];
        sbl_block *block = &blocks[b];
        (void)snprintf(block->name, sizeof block->name, "%s", feature->name);
        block->width = feature->width;
        block->group = feature->group;
        block->per_class = feature->per_class;
        block->nonnegative = feature->nonnegative;
        block->bound2 = feature->bound2;
        block->bound1 = feature->norm == 0.0 ? feature->bound2 : 0; /* ones: both norms are K */
        block->scale = feature->norm == 0.0
                           ? 1.0
                           : sbl_layout_scale(feature->width, feature->bound2, feature->norm);
        recipe->weights[b] = feature->weight / block->scale;
    }
    recipe->weights[recipe->merf.block_count] = recipe->merf.counts_weight;
}

static void describe_marginals(sbl_recipe *recipe, sbl_block *block)
{
    const sbl_marginals_block *planned = &recipe->marginals.block;
    (void)snprintf(block->name, sizeof block->name, "%s", planned->name);
    block->width = planned->width;
    block->per_class = planned->per_class;
    block->nonnegative = planned->nonnegative;
    block->bound2 = planned->bound2;
    block->bound1 = planned->bound1;
    block->scale = planned->scale;
    recipe->weights[0] = 1.0;
}

/* {"method": plan, "schema": schema}, canonical. */
static sbl_status write_text(sbl_recipe *recipe, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *method = NULL;
    json_t *schema = NULL;
    json_t *both = NULL;
    char *schema_text = sbl_schema_json(recipe->schema);
    const char *plan =
        recipe->method == SBL_METHOD_MERF ? recipe->merf.json : recipe->marginals.json;
    if (schema_text == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
        goto done;
    }
    SBL_TRY(sbl_json_parse(&method, plan, strlen(plan), "the plan", err));
    SBL_TRY(sbl_json_parse(&schema, schema_text, strlen(schema_text), "the schema", err));
    both = json_pack("{s:O, s:O}", "method", method, "schema", schema);
    recipe->text = both != NULL ? sbl_json_canonical(both) : NULL;
    if (recipe->text == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory for a recipe");
done:
    json_decref(method);
    json_decref(schema);
    json_decref(both);
    sbl_free(schema_text);
    return status;
}

/* A plan from a file must be one for its schema: everything after this trusts its sizes. */
static sbl_status check_merf_shape(const sbl_recipe *recipe, sbl_error *err)
{
    sbl_record_shape shape = {0};
    const sbl_record_shape *planned = &recipe->merf.shape;
    const sbl_status status = record_shape(&shape, recipe, err);
    if (status != SBL_OK) return status;
    bool same = shape.numeric == planned->numeric && shape.categorical == planned->categorical &&
                shape.classes == planned->classes;
    for (size_t k = 0; same && k < shape.categorical; k++)
        same = shape.cardinalities[k] == planned->cardinalities[k];
    sbl_record_shape_clear(&shape);
    return same ? SBL_OK : sbl_fail(err, SBL_EINPUT, "the plan is not one for its schema");
}

static sbl_status check_marginals_cells(const sbl_recipe *recipe, sbl_error *err)
{
    const sbl_cells *cells = &recipe->marginals.cells;
    const sbl_heads *heads = &recipe->codec.heads;
    return cells->numeric_count == heads->numeric_count &&
                   cells->categorical_count == heads->categorical_count &&
                   cells->classes == recipe->classes
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "the plan is not one for its schema");
}

/* What follows from schema and plan, whichever way they came. */
static sbl_status finish(sbl_recipe *recipe, sbl_error *err)
{
    sbl_block blocks[SBL_PLAN_MAX_BLOCKS] = {0};
    const bool merf = recipe->method == SBL_METHOD_MERF;
    sbl_layout layout = {.blocks = blocks,
                         .block_count = merf ? recipe->merf.block_count : 1,
                         .classes = recipe->classes,
                         .counts = merf && recipe->merf.options.counts,
                         .rows_cap = SBL_ROWS_CAP_DEFAULT};
    sbl_status status = SBL_OK;
    if (merf) {
        SBL_TRY(check_merf_shape(recipe, err));
        describe_merf(recipe, blocks);
    } else {
        SBL_TRY(check_marginals_cells(recipe, err));
        describe_marginals(recipe, blocks);
    }
    if (merf && sbl_plan_find(&recipe->merf, SBL_FEATURE_RFF) != NULL)
        SBL_TRY(sbl_plan_rff(&recipe->rff, &recipe->merf, err));
    SBL_TRY(write_text(recipe, err));
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
    SBL_TRY(read_method(&recipe->method, options->method, err));
    SBL_TRY(sbl_codec_init(&recipe->codec, schema, err));
    SBL_TRY(find_code_columns(recipe, err));
    SBL_TRY(recipe->method == SBL_METHOD_MERF ? plan_merf(recipe, options, err)
                                              : plan_marginals(recipe, options, err));
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
    SBL_TRY(read_method(&recipe->method, name, err));
    text = sbl_json_canonical(object);
    if (text == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory while reading %s", where);
    else if (recipe->method == SBL_METHOD_MERF)
        status = sbl_plan_parse(&recipe->merf, text, where, err);
    else
        status = sbl_marginals_plan_parse(&recipe->marginals, text, where, err);
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
    sbl_rff_clear(&recipe->rff);
    sbl_plan_clear(&recipe->merf);
    sbl_marginals_plan_clear(&recipe->marginals);
    sbl_codec_clear(&recipe->codec);
    sbl_schema_free(recipe->schema);
    sbl_free(recipe->code_columns);
    sbl_free(recipe->text);
    memset(recipe, 0, sizeof *recipe);
}
