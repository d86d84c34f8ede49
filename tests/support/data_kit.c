/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind data_kit.h: schemas, random and hostile records, and parameters for every
 * feature. A new feature gets its lines in data_fits(), data_variants() and data_parameters(). */
#include "support/data_kit.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "public/features/activation_shapes.h"
#include "public/questions/question.h"
#include "public/rows/projection.h"
#include "records/features/counts.h"
#include "records/features/hermite.h"
#include "records/features/leaves.h"
#include "records/features/marginal_counts.h"
#include "records/features/orthogonal.h"
#include "records/features/rff.h"
#include "support/cmocka_all.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- facts ---- */

#define AGE                                                                                \
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9," \
    "\"required\":true}}"
#define INCOME                                                                                     \
    "{\"name\":\"income\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":99999}," \
    "\"semblance\":{\"transform\":\"log\"}}"
#define POWER                                                                                \
    "{\"name\":\"power\",\"type\":\"number\",\"constraints\":{\"minimum\":-1,\"maximum\":1," \
    "\"required\":true}}"
#define SICK                                                                             \
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"]," \
    "\"required\":true}}"
#define WARD "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}}"
#define DRUG                                                                                      \
    "{\"name\":\"drug\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\",\"y\",\"z\",\"u\"]," \
    "\"required\":true}}"

static const char *const schemas[] = {
    [DATA_LABELLED] = "{\"fields\":[" AGE "," SICK "," INCOME "," POWER "," WARD
                      "],\"semblance\":{\"label\":\"sick\",\"task\":\"classification\"}}",
    [DATA_REGRESSION] = "{\"fields\":[" AGE "," POWER "," WARD "," DRUG
                        "],\"semblance\":{\"label\":\"power\",\"task\":\"regression\"}}",
    [DATA_NUMBERS] = "{\"fields\":[" AGE "," POWER
                     ",{\"name\":\"dose\",\"type\":\"number\",\"constraints\":{\"minimum\":0,"
                     "\"maximum\":50,\"required\":true}}]}",
    [DATA_CATEGORIES] = "{\"fields\":[" SICK "," WARD "," DRUG "]}",
    [DATA_RULES] = "{\"fields\":[{\"name\":\"id\",\"semblance\":{\"role\":\"id\",\"id\":\"P-####\"}}," AGE
                   ",{\"name\":\"later\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":40,"
                   "\"required\":true}},{\"name\":\"sum\",\"type\":\"integer\",\"constraints\":{"
                   "\"minimum\":0,\"maximum\":99,\"required\":true}}," WARD
                   "],\"semblance\":{\"constraints\":[\"age <= later\",\"later - age <= 20\","
                   "\"sum = age + later\"]}}",
};

static void table_facts(sbl_facts *facts, const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, strlen(text), "s.json", &err) != SBL_OK ||
        sbl_facts_of_table(facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

static void image_facts(sbl_facts *facts, size_t height, size_t width, size_t channels, size_t classes,
                        const char *const *names)
{
    sbl_image_facts images;
    assert_int_equal(sbl_image_facts_init(&images, height, width, channels, classes, names, NULL), SBL_OK);
    assert_int_equal(sbl_facts_of_images(facts, &images, false, NULL), SBL_OK);
    sbl_image_facts_clear(&images);
}

void data_facts(sbl_facts *facts, data_case which)
{
    static const char *const names[] = {"cat", "dog", "7"};
    if (which == DATA_DIGITS)
        image_facts(facts, 5, 4, 1, 3, names);
    else if (which == DATA_COLOURS)
        image_facts(facts, 3, 3, 3, 0, NULL);
    else
        table_facts(facts, schemas[which]);
    /* A network that is read in no time. */
    facts->encoder_path = SBL_TEST_SOURCE_DIR "/support/tiny.safetensors";
}

/* ---- records ---- */

static double number(sbl_model_rng *rng, bool hostile)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -3, 7, 1e300, -0.0, 1e-320};
    if (hostile && sbl_model_rng_below(rng, 2) == 0) return odd[sbl_model_rng_below(rng, COUNT(odd))];
    return sbl_model_rng_uniform(rng);
}

static uint32_t code(sbl_model_rng *rng, size_t count, bool hostile)
{
    if (hostile && sbl_model_rng_below(rng, 2) == 0)
        return sbl_model_rng_below(rng, 2) == 0 ? UINT32_MAX : (uint32_t)count;
    return (uint32_t)sbl_model_rng_below(rng, count);
}

static void table_row(data_records *records, const sbl_facts *facts, size_t r, sbl_model_rng *rng,
                      bool hostile)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind == SBL_HEAD_NUMERIC)
            records->numeric[r * heads->numeric_count + head->index] = number(rng, hostile);
        else
            records->codes[r * heads->categorical_count + head->index] =
                code(rng, head->cardinality, hostile);
    }
    for (size_t i = 0; i < facts->columns; i++)
        records->misfits[r * facts->columns + i] = (uint8_t)sbl_model_rng_below(rng, hostile ? 256 : 2);
    if (facts->label_column != SBL_NO_HEAD)
        records->labels[r] = records->codes[r * heads->categorical_count + facts->label_column];
}

static void image_row(data_records *records, const sbl_facts *facts, size_t r, sbl_model_rng *rng,
                      bool hostile)
{
    for (size_t i = 0; i < facts->shape.numeric; i++)
        records->pixels[r * facts->shape.numeric + i] =
            hostile ? (uint8_t)(sbl_model_rng_below(rng, 2) * 255) : (uint8_t)sbl_model_rng_below(rng, 256);
    if (facts->classes > 1) records->labels[r] = code(rng, facts->classes, hostile);
    records->misfits[r] = (uint8_t)sbl_model_rng_below(rng, hostile ? 256 : 2);
}

void data_records_make(data_records *records, const sbl_facts *facts, size_t rows, uint64_t seed,
                       bool hostile)
{
    const bool images = facts->kind == SBL_DATA_IMAGES;
    *records = (data_records){0};
    if (images) {
        records->pixels = sbl_alloc_array(rows, facts->shape.numeric);
    } else {
        records->numeric = sbl_alloc_array(rows * facts->heads.numeric_count, sizeof *records->numeric);
        records->codes = sbl_alloc_array(rows * facts->heads.categorical_count, sizeof *records->codes);
    }
    records->misfits = sbl_alloc_array(rows, facts->columns);
    if (facts->classes > 1) records->labels = sbl_alloc_array(rows, sizeof *records->labels);
    for (size_t r = 0; r < rows; r++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, r);
        (images ? image_row : table_row)(records, facts, r, &rng, hostile);
    }
    records->all =
        (sbl_records){records->numeric,          .codes = records->codes,     .pixels = records->pixels,
                      .labels = records->labels, .misfits = records->misfits, .rows = rows};
}

void data_records_clear(data_records *records)
{
    sbl_free(records->numeric);
    sbl_free(records->codes);
    sbl_free(records->pixels);
    sbl_free(records->labels);
    sbl_free(records->misfits);
    *records = (data_records){0};
}

sbl_records data_slice(const sbl_records *all, const sbl_facts *facts, size_t first, size_t rows)
{
    sbl_records slice = {.rows = rows};
    if (all->numeric) slice.numeric = all->numeric + first * facts->heads.numeric_count;
    if (all->codes) slice.codes = all->codes + first * facts->heads.categorical_count;
    if (all->pixels) slice.pixels = all->pixels + first * facts->shape.numeric;
    if (all->labels) slice.labels = all->labels + first;
    if (all->misfits) slice.misfits = all->misfits + first * facts->columns;
    return slice;
}

/* ---- parameters ---- */

bool data_fits(const char *feature, const sbl_facts *facts)
{
    const bool table = facts->kind == SBL_DATA_TABLE;
    if (strcmp(feature, "rff") == 0) return table;
    if (strcmp(feature, "onehot") == 0) return facts->shape.categorical > 0;
    if (strcmp(feature, "orthogonal") == 0) return !table;
    if (strcmp(feature, "total") == 0) return true;
    if (strcmp(feature, "cells") == 0) return table;
    if (strcmp(feature, "ball") == 0) return table;
    if (strcmp(feature, "tables") == 0 || strcmp(feature, "leaves") == 0) return table;
    if (strcmp(feature, "histories") == 0) return false; /* records are persons: tests/histories */
    if (strcmp(feature, "persons") == 0) return sbl_facts_rows_per_unit(facts) != 0;
    if (strcmp(feature, "health") == 0) return true;
    if (strcmp(feature, "means") == 0) return table && facts->shape.numeric > 0;
    if (strcmp(feature, SBL_ANSWER_FEATURE) == 0) return table;
    if (strcmp(feature, "hermite") == 0) return facts->shape.numeric > 0;
    if (strcmp(feature, "hermite-product") == 0) return true;
    if (strcmp(feature, SBL_PERCEPTUAL) == 0) return !table;
    if (strcmp(feature, SBL_MOMENTS) == 0 || strcmp(feature, SBL_SIGNED_MOMENTS) == 0 ||
        strcmp(feature, SBL_POOLED_MOMENTS) == 0)
        return !table;
    fail_msg("tests/support/data_kit.c has no parameters for feature '%s'", feature);
    return false;
}

/* Variants whose number has a second bit, or is 1 for `rff`, have this matrix where there are two numbers. */
static const sbl_metric metric = {.count = 2, .columns = {0, 1}, .factor = {{3}, {-1, 2}}};

/* More frequencies than the kernels take at a time, and not whole panels of them. */
static json_t *rff_parameters(size_t variant, const sbl_facts *facts)
{
    static const double scales[] = {0.1, 0.4}, deviations[] = {0.3, 1.2, 0.6};
    static const double lengths[64] = {0.05, 0, 0.3};
    sbl_rff_rule rule = {.scales = scales,
                         .scale_count = COUNT(scales),
                         .code_deviations = deviations,
                         .code_deviation_count = COUNT(deviations),
                         .seed = UINT64_MAX};
    if (variant == 1 && facts->shape.numeric >= 2 && facts->shape.numeric <= COUNT(lengths)) {
        rule.lengths = lengths;
        rule.length_count = facts->shape.numeric;
        rule.metric = metric;
    }
    return sbl_rff_parameters(&rule, 1046, 0.5);
}

/* Two blocks of 32 frequencies, the second one used in part. */
static json_t *orthogonal_parameters(void)
{
    static const double scales[] = {0.3, 0.6};
    return sbl_orthogonal_parameters(
        &(sbl_orthogonal_rule){.frequencies = 37, .scales = scales, .scale_count = COUNT(scales), .seed = 5});
}

/* clip; the first release of normalise; its second one, which knows a centre. */
static json_t *ball_parameters(size_t variant, const sbl_facts *facts)
{
    sbl_unit_record record;
    sbl_ron_plan plan;
    sbl_ron_options options = {.dimensions = 2, .counts = true, .split = {0.5, 0.25, 1}, .seed = 9};
    sbl_error err = {0};
    if (variant > 0) {
        options.geometry = SBL_RON_NORMALISE;
        options.split.first_share = 0.5;
    }
    /* Images have no such record: that of any table will do. */
    sbl_facts table = {0};
    if (facts->kind != SBL_DATA_TABLE) table_facts(&table, schemas[DATA_NUMBERS]);
    assert_int_equal(
        sbl_ron_record(&record, facts->kind == SBL_DATA_TABLE ? facts : &table, 0.5, variant == 0, &err),
        SBL_OK);
    const size_t width = record.dimensions + (record.target != SBL_NO_TARGET ? 1 : 0);
    double *means = sbl_alloc_array(record.shape.classes * width, sizeof *means);
    double *sizes = sbl_alloc_array(record.shape.classes, sizeof *sizes);
    for (size_t i = 0; i < record.shape.classes * width; i++) means[i] = 0.1 * sin((double)i);
    for (size_t c = 0; c < record.shape.classes; c++) sizes[c] = 10.5 + (double)c;
    const sbl_ron_centre centre = {means, sizes, 40.25};
    if (sbl_ron_plan_build(&plan, &record, &options, variant == 2 ? &centre : NULL, &err) != SBL_OK)
        fail_msg("%s", err.message);
    json_t *parameters = sbl_ron_parameters(&plan);
    sbl_ron_plan_clear(&plan);
    sbl_unit_record_clear(&record);
    sbl_facts_clear(&table);
    sbl_free(means);
    sbl_free(sizes);
    return parameters;
}

/* The cells themselves, or halves of them. */
static void add_map(sbl_pairs_plan *plan, const sbl_bins *cells, size_t column, bool halves)
{
    uint32_t of[4096];
    const size_t count = cells->columns[column].count;
    assert_true(count >= 2 && count <= COUNT(of));
    for (size_t c = 0; c < count; c++) of[c] = (uint32_t)(halves ? 2 * c / count : c);
    const sbl_pairs_map map = {halves ? SBL_PAIRS_GROUPS : SBL_PAIRS_FINE, .column = (uint32_t)column,
                               .cells = halves ? 2 : (uint32_t)count, .of = of};
    assert_int_equal(sbl_pairs_plan_add_map(plan, NULL, &map, count, NULL), SBL_OK);
}

/* Every column on its own, and each with the next at half the precision: two blocks. */
static json_t *tables_parameters(const sbl_facts *facts)
{
    sbl_facts table = {0};
    sbl_bins cells;
    sbl_pairs_plan plan = {0};
    if (facts->kind != SBL_DATA_TABLE) table_facts(&table, schemas[DATA_NUMBERS]);
    const sbl_facts *of = facts->kind == SBL_DATA_TABLE ? facts : &table;
    assert_int_equal(sbl_bins_init_joint(&cells, of->schema, &of->heads, 24, 32, 8, NULL), SBL_OK);
    const double precision = 1.0 / (double)(2 * cells.count);
    for (size_t k = 0; k < cells.count; k++) {
        add_map(&plan, &cells, k, false);
        add_map(&plan, &cells, k, true);
        assert_int_equal(
            sbl_pairs_plan_add_table(&plan, (uint32_t)(2 * k), SBL_PAIRS_NO_MAP, precision, NULL), SBL_OK);
        if (k > 0)
            assert_int_equal(sbl_pairs_plan_add_table(&plan, (uint32_t)(2 * k - 1), (uint32_t)(2 * k + 1),
                                                      precision / 2, NULL),
                             SBL_OK);
    }
    json_t *parameters = sbl_tables_parameters(&plan, &cells);
    sbl_pairs_plan_clear(&plan);
    sbl_bins_clear(&cells);
    sbl_facts_clear(&table);
    return parameters;
}

/* Every column but the target asked once on each path, the odd codes going left: from the root on, so that
 * the last leaves are as deep as there are columns; or one leaf, where depth is 0. */
static void add_tree(sbl_trees *trees, uint32_t target, size_t depth)
{
    uint64_t odd[64];
    memset(odd, 0xaa, sizeof odd);
    assert_int_equal(sbl_trees_begin(trees, target, NULL), SBL_OK);
    for (uint32_t j = 0; j < trees->column_count && depth > 0; j++) {
        if (j == trees->targets[target].column) continue;
        uint64_t set[64];
        const size_t words = sbl_tree_set_words(trees->codes[j]);
        memcpy(set, odd, sizeof set);
        if (trees->codes[j] % 64 != 0) set[words - 1] &= (UINT64_C(1) << (trees->codes[j] % 64)) - 1;
        assert_int_equal(sbl_trees_split(trees, j, set, NULL), SBL_OK);
        assert_int_equal(sbl_trees_leaf(trees, NULL), SBL_OK);
        depth--;
    }
    assert_int_equal(sbl_trees_leaf(trees, NULL), SBL_OK);
}

/* Trees for the last column and for the first: of one leaf, of one split, of all columns. */
static json_t *leaves_parameters(const sbl_facts *facts)
{
    sbl_facts table = {0};
    sbl_bins cells;
    sbl_pairs_plan codes = {0};
    sbl_trees trees;
    uint32_t sizes[64];
    uint16_t of[4096];
    if (facts->kind != SBL_DATA_TABLE) table_facts(&table, schemas[DATA_NUMBERS]);
    const sbl_facts *from = facts->kind == SBL_DATA_TABLE ? facts : &table;
    assert_int_equal(sbl_bins_init_joint(&cells, from->schema, &from->heads, 24, 32, 8, NULL), SBL_OK);
    assert_true(cells.count <= 64);
    for (size_t k = 0; k < cells.count; k++) {
        add_map(&codes, &cells, k, k % 2 == 0);
        sizes[k] = codes.maps[k].cells;
        assert_true(sizes[k] <= 4096);
    }
    assert_int_equal(sbl_trees_init(&trees, sizes, cells.count, NULL), SBL_OK);
    for (uint32_t end = 0; end < 2; end++) {
        const uint32_t column = end == 0 ? (uint32_t)cells.count - 1 : 0;
        for (uint32_t v = 0; v < sizes[column]; v++) of[v] = (uint16_t)(end == 0 ? v : v / 2);
        assert_int_equal(sbl_trees_add_target(&trees, column,
                                              end == 0 ? sizes[column] : (sizes[column] + 1) / 2, of, NULL),
                         SBL_OK);
        for (size_t depth = 0; depth <= cells.count; depth++) add_tree(&trees, end, depth);
    }
    json_t *parameters = sbl_leaves_parameters(&trees, &codes, &cells);
    sbl_trees_clear(&trees);
    sbl_pairs_plan_clear(&codes);
    sbl_bins_clear(&cells);
    sbl_facts_clear(&table);
    return parameters;
}

/* By tables of levels; by the clip; both again with a metric. Several functions, and columns that have some of them. */
static json_t *hermite_parameters(size_t variant, const sbl_facts *facts, bool product)
{
    static const sbl_hermite_function functions[] = {{0.1, 8, 6.6}, {0.4, 2, 2.9}, {1, 0, 1}};
    const sbl_hermite_options options = {
        variant % 2 == 1,
        .level_count = facts->kind == SBL_DATA_IMAGES ? 256 : 12,
        .pull = 0.5,
        .functions = functions,
        .function_count = COUNT(functions),
        .metric =
            variant >= 2 && facts->kind == SBL_DATA_TABLE && facts->shape.numeric >= 2 ? &metric : NULL};
    const size_t d = facts->shape.numeric, last = d + facts->shape.categorical - 1;
    json_t *columns = json_array();
    for (size_t i = 0; i < d && variant == 0; i++)
        assert_int_equal(json_array_append_new(columns, product ? json_integer((int)(i % 2))
                                                                : json_pack("[i, i]", 0, (int)(i % 3))),
                         0);
    if (!product) return sbl_hermite_parameters(&options, columns);
    json_t *subsets = json_pack("[[i, i], [i], [i, i, i]]", 0, (int)last, 1, (int)last, 0, 1);
    return sbl_hermite_product_parameters(&options, columns, subsets);
}

/* Both activations of the encoder, or the last one; and a third variant, of an input that is resampled
 * and, of moments, with layers alike and mirror images. */
static json_t *encoded_parameters(const char *feature, size_t variant, const sbl_facts *facts)
{
    static const uint64_t layers[] = {1, 2};
    static const double scales[] = {0.2, 0.8};
    sbl_facts images = {0};
    sbl_encoded encoded;
    if (facts->kind != SBL_DATA_IMAGES) data_facts(&images, DATA_DIGITS);
    const sbl_facts *of = facts->kind == SBL_DATA_IMAGES ? facts : &images;
    const bool moments = strcmp(feature, SBL_PERCEPTUAL) != 0;
    const bool last = variant == 1, other = variant == 2;
    const sbl_encoded_ask ask = {layers + last, .layer_count = last ? 1 : 2, .side = other ? 24 : 0,
                                 .alike = other && moments, .mirrored = other && moments};
    assert_int_equal(sbl_encoded_choose(&encoded, of, &ask, NULL), SBL_OK);
    json_t *parameters = moments ? sbl_moments_parameters(&encoded, last ? 1 : 2)
                                 : sbl_perceptual_parameters(&encoded, 74, scales, COUNT(scales), 5);
    sbl_encoded_clear(&encoded);
    sbl_facts_clear(&images);
    return parameters;
}

/* A count, a sum, a mean, a regression: of the first number and all categories and numbers that are read as they
 * are declared. A table without numbers has counts, and one without categories no groups. */
static json_t *answer_parameters(size_t variant, const sbl_facts *facts)
{
    const char *const names[] = {"count", "sum", "mean", "regress"};
    sbl_facts table = {0};
    if (facts->kind != SBL_DATA_TABLE) table_facts(&table, schemas[DATA_NUMBERS]);
    const sbl_facts *of = facts->kind == SBL_DATA_TABLE ? facts : &table;
    json_t *groups = json_array(), *terms = json_array();
    const char *value = NULL;
    for (size_t c = 0; c < of->schema->column_count; c++) {
        const sbl_column *column = &of->schema->columns[c];
        if (!sbl_facts_fit_column(of, c)) continue;
        if (column->kind == SBL_COLUMN_NUMBER && value == NULL) {
            value = column->name;
            continue;
        }
        if (column->kind == SBL_COLUMN_CATEGORY) json_array_append_new(groups, json_string(column->name));
        json_array_append_new(terms, json_string(column->name));
    }
    if (value == NULL) variant = 0;
    json_t *parameters = json_pack("{s:I}", "number", (json_int_t)1);
    if (variant == 0)
        json_object_set(parameters, names[0], groups);
    else
        json_object_set_new(parameters, names[variant], json_string(value));
    if (variant == 1 || variant == 2) json_object_set(parameters, "by", groups);
    if (variant == 3) json_object_set(parameters, "on", terms);
    json_decref(groups);
    json_decref(terms);
    sbl_facts_clear(&table);
    return parameters;
}

size_t data_variants(const char *feature)
{
    if (strcmp(feature, SBL_ANSWER_FEATURE) == 0) return 4;
    if (strcmp(feature, SBL_MOMENTS) == 0 || strcmp(feature, SBL_POOLED_MOMENTS) == 0) return 3;
    if (strcmp(feature, "hermite-product") == 0) return 4;
    if (strcmp(feature, "hermite") == 0 || strcmp(feature, "rff") == 0) return 2;
    return strcmp(feature, "ball") == 0 ? 3 : strcmp(feature, "health") == 0 ? 2 : 1;
}

json_t *data_parameters(const char *feature, size_t variant, const sbl_facts *facts)
{
    json_t *parameters = strcmp(feature, "rff") == 0                ? rff_parameters(variant, facts)
                         : strcmp(feature, "orthogonal") == 0       ? orthogonal_parameters()
                         : strcmp(feature, "cells") == 0            ? sbl_bins_parameters(8, 16)
                         : strcmp(feature, "ball") == 0             ? ball_parameters(variant, facts)
                         : strcmp(feature, "tables") == 0           ? tables_parameters(facts)
                         : strcmp(feature, "leaves") == 0           ? leaves_parameters(facts)
                         : strcmp(feature, SBL_ANSWER_FEATURE) == 0 ? answer_parameters(variant, facts)
                         : strcmp(feature, "health") == 0           ? sbl_health_parameters(variant == 1)
                         : strcmp(feature, "hermite") == 0         ? hermite_parameters(variant, facts, false)
                         : strcmp(feature, "hermite-product") == 0 ? hermite_parameters(variant, facts, true)
                         : strcmp(feature, SBL_MOMENTS) == 0 || strcmp(feature, SBL_SIGNED_MOMENTS) == 0 ||
                                 strcmp(feature, SBL_POOLED_MOMENTS) == 0 ||
                                 strcmp(feature, SBL_PERCEPTUAL) == 0
                             ? encoded_parameters(feature, variant, facts)
                             : json_object();
    assert_non_null(parameters);
    return parameters;
}
