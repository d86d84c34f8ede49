/* SPDX-License-Identifier: Apache-2.0 */
/* [3] and [4] Turns the items of a plan into features, one layout and its weights; then passes the records
 * of a slice through each feature into the sum. Blocks with the same name are told apart by the number of
 * their feature. The block of persons is weighed against all others together. */
#include "records/features/features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/block.h"
#include "public/questions/question.h"
#include "records/accumulate/sum.h"
#include "records/features/cell_labels.h"
#include "records/features/feature.h"

static const sbl_feature *find(const sbl_feature *const *list, const char *name)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

static sbl_status make_item(sbl_feature_instance *item, const sbl_plan_item *planned, const sbl_facts *facts,
                            const sbl_feature *const *more, sbl_error *err)
{
    item->kind = find(sbl_feature_list, planned->feature);
    if (item->kind == NULL) item->kind = find(more, planned->feature);
    if (item->kind == NULL)
        return sbl_fail(err, SBL_EINPUT, "the plan has a feature '%s' that this version does not have",
                        planned->feature);
    const sbl_status status = item->kind->make(&item->made, facts, planned->parameters, err);
    if (status != SBL_OK) return status;
    item->block_count = item->kind->count != NULL ? item->kind->count(item->made) : 1;
    return SBL_OK;
}

/* Two blocks of the same name, for example because a plan has a feature twice: the later block gets the
 * number of its feature as a suffix, and so do the blocks formed from it. (With 2^16 features and equal
 * names, the layout would be refused.) */
static void name_apart(sbl_block *blocks, size_t b, size_t after, size_t number)
{
    char name[SBL_BLOCK_NAME_SIZE];
    if (sbl_block_find(blocks, b, blocks[b].name) == b) return;
    (void)snprintf(name, sizeof name, "%.*s.%hu", (int)sizeof name - 8, blocks[b].name,
                   (unsigned short)number);
    for (size_t i = b + 1; i < after; i++)
        if (strcmp(blocks[i].source, blocks[b].name) == 0) memcpy(blocks[i].source, name, sizeof name);
    memcpy(blocks[b].name, name, sizeof name);
}

/* The block of persons costs the same for every k, the others k^2 times the cost of one row. Its weight is
 * relative to the sum of theirs, so its share of the budget is the same in every plan. */
static void weigh_persons(const sbl_features *features, const sbl_block *blocks, size_t noisy,
                          const sbl_plan *plan, uint64_t rows_per_unit)
{
    double others = plan->counts ? plan->counts_weight * plan->counts_weight : 0.0;
    size_t persons = noisy;
    size_t i = 0;
    for (size_t b = 0; i < noisy; b++) {
        if (blocks[b].withheld) continue;
        if (blocks[b].kind == SBL_BLOCK_PERSONS)
            persons = i;
        else
            others += features->weights[i] * features->weights[i] * (double)blocks[b].bound2;
        i++;
    }
    if (persons < noisy) features->weights[persons] *= (double)rows_per_unit * sqrt(others);
}

/* The blocks side by side, and the weights of those that get noise. */
static void describe(sbl_features *features, sbl_block *blocks, const sbl_plan *plan, uint64_t rows_per_unit)
{
    size_t noisy = 0;
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        const size_t after = item->block + item->block_count;
        item->kind->describe(item->made, blocks + item->block, features->weights + noisy);
        for (size_t b = item->block; b < after; b++) {
            name_apart(blocks, b, after, i + 1);
            if (!blocks[b].withheld) features->weights[noisy++] *= plan->items[i].weight;
        }
    }
    features->weights[noisy] = plan->counts_weight;
    weigh_persons(features, blocks, noisy, plan, rows_per_unit);
}

/* Are its records whole persons? Then each counts once, whatever number of rows it has: one row of the
 * sum. A feature of rows would find none. */
static sbl_status find_units(uint64_t *rows_per_unit, sbl_features *features, const sbl_facts *facts,
                             sbl_error *err)
{
    const sbl_feature *whole = NULL;
    *rows_per_unit = sbl_facts_rows_per_unit(facts);
    for (size_t i = 0; i < features->count; i++)
        if (features->items[i].kind->whole_units) whole = features->items[i].kind;
    if (whole == NULL) return SBL_OK;
    if (*rows_per_unit == 0)
        return sbl_fail(
            err, SBL_EINPUT,
            "the plan has a feature '%s' of whole persons, but no column of the table identifies them",
            whole->name);
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature *kind = features->items[i].kind;
        if (!kind->whole_units && !kind->any_units)
            return sbl_fail(err, SBL_EINPUT,
                            "the plan mixes the feature '%s' of whole persons with '%s' of rows", whole->name,
                            kind->name);
    }
    *rows_per_unit = 1;
    features->whole_units = true;
    return SBL_OK;
}

static sbl_status lay_out(sbl_features *features, const sbl_plan *plan, const sbl_facts *facts,
                          size_t block_count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t cells = features->cells != NULL ? features->cells->number : 1;
    sbl_layout layout = {.block_count = block_count,
                         .classes = facts->classes * cells,
                         .counts = plan->counts,
                         .rows_cap = SBL_ROWS_CAP_DEFAULT};
    SBL_TRY(find_units(&layout.rows_per_unit, features, facts, err));
    SBL_ALLOC(layout.blocks, block_count, "a plan");
    SBL_ALLOC(features->weights, block_count + 1, "a plan");
    describe(features, layout.blocks, plan, layout.rows_per_unit);
    memcpy(layout.plan_hash, plan->hash, sizeof layout.plan_hash);
    SBL_TRY(sbl_layout_validate(&layout, err));
    SBL_TRY(sbl_layout_copy(&features->layout, &layout, err));
done:
    sbl_free(layout.blocks);
    return status;
}

/* An item with the encoder, the layers and the input of the cells: an image is seen once for both. */
static void find_seen(sbl_features *features)
{
    json_t *space = features->cells != NULL ? sbl_encoded_parameters(&features->cells->space.encoded) : NULL;
    for (size_t i = 0; i < features->count && space != NULL; i++) {
        const sbl_feature_instance *item = &features->items[i];
        json_t *own =
            item->kind->encoded != NULL ? sbl_encoded_parameters(item->kind->encoded(item->made)) : NULL;
        if (own != NULL && json_equal(own, space)) features->seen = item;
        json_decref(own);
    }
    json_decref(space);
}

sbl_status sbl_features_make(sbl_features *features, const sbl_plan *plan, const sbl_facts *facts,
                             const sbl_feature *const *more, sbl_error *err)
{
    size_t blocks = 0;
    sbl_status status = SBL_OK;
    *features = (sbl_features){0};
    SBL_ALLOC(features->items, plan->count, "a plan");
    for (size_t i = 0; i < plan->count; i++) {
        sbl_feature_instance *item = &features->items[features->count++];
        SBL_TRY(make_item(item, &plan->items[i], facts, more, err));
        item->block = blocks;
        blocks += item->block_count;
    }
    SBL_TRY(sbl_image_cells_read(&features->cells, facts, plan->settings, err));
    find_seen(features);
    SBL_TRY(lay_out(features, plan, facts, blocks, err));
done:
    if (status != SBL_OK) sbl_features_clear(features);
    return status;
}

void sbl_features_clear(sbl_features *features)
{
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        if (item->made != NULL && item->kind->free != NULL) item->kind->free(item->made);
    }
    sbl_free(features->items);
    sbl_free(features->weights);
    sbl_image_cells_free(features->cells);
    sbl_layout_clear(&features->layout);
    *features = (sbl_features){0};
}

const sbl_feature_instance *sbl_features_find(const sbl_features *features, const char *name)
{
    for (size_t i = 0; i < features->count; i++)
        if (strcmp(features->items[i].kind->name, name) == 0) return &features->items[i];
    return NULL;
}

/* ---- records to sums ---- */

struct sbl_feature_workspaces {
    const sbl_features *features;
    sbl_cell_labels *cells; /* NULL: the plan has none */
    void *workspaces[];     /* (features->count) */
};

static sbl_status workspace_new(void **workspace, const sbl_feature_instance *item, sbl_error *err)
{
    if (item->kind->workspace_new != NULL) return item->kind->workspace_new(workspace, item->made, err);
    if (item->kind->workspace_bytes == NULL) return SBL_OK;
    *workspace = sbl_alloc_array(item->kind->workspace_bytes(item->made), 1);
    return *workspace != NULL ? SBL_OK : sbl_no_memory(err, "the features of a few records");
}

sbl_status sbl_feature_workspaces_new(sbl_feature_workspaces **workspaces, const sbl_features *features,
                                      sbl_error *err)
{
    sbl_feature_workspaces *made =
        sbl_alloc_array(1, sizeof *made + features->count * sizeof made->workspaces[0]);
    *workspaces = made;
    if (made == NULL) return sbl_no_memory(err, "the features of a few records");
    made->features = features;
    if (features->cells != NULL) SBL_CHECK(sbl_cell_labels_new(&made->cells, features->cells, err));
    for (size_t i = 0; i < features->count; i++)
        SBL_CHECK(workspace_new(&made->workspaces[i], &features->items[i], err));
    return SBL_OK;
}

void sbl_feature_workspaces_free(sbl_feature_workspaces *workspaces)
{
    if (workspaces == NULL) return;
    sbl_cell_labels_free(workspaces->cells);
    for (size_t i = 0; i < workspaces->features->count; i++) {
        const sbl_feature_instance *item = &workspaces->features->items[i];
        if (item->kind->workspace_bytes != NULL)
            sbl_free_wiped(workspaces->workspaces[i], item->kind->workspace_bytes(item->made));
        else if (workspaces->workspaces[i] != NULL)
            item->kind->workspace_free(workspaces->workspaces[i], item->made);
    }
    sbl_free(workspaces);
}

sbl_status sbl_features_add(sbl_sum *sum, sbl_feature_workspaces *workspaces, const sbl_records *records,
                            sbl_error *err)
{
    const sbl_features *features = workspaces->features;
    if (records->rows > SBL_SLICE_ROWS)
        return sbl_fail(err, SBL_EINTERNAL, "more records at a time than fit a feature's workspace");
    const uint32_t *labels =
        workspaces->cells != NULL ? sbl_cell_labels_find(workspaces->cells, records) : records->labels;
    SBL_CHECK(sbl_sum_begin_unit_rows(sum, labels, records->unit_rows, records->rows, err));
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        if (item->kind->add == NULL) continue;
        SBL_CHECK(
            item == features->seen
                ? item->kind->add_points(sum, item->block, item->made, workspaces->workspaces[i],
                                         sbl_cell_labels_points(workspaces->cells), records->rows, err)
                : item->kind->add(sum, item->block, item->made, workspaces->workspaces[i], records, err));
    }
    return sbl_sum_end_rows(sum, err);
}

/* Every feature that there is, one line each. */

extern const sbl_feature sbl_feature_rff, sbl_feature_onehot, sbl_feature_orthogonal, sbl_feature_total,
    sbl_feature_cells, sbl_feature_ball, sbl_feature_means, sbl_feature_tables, sbl_feature_leaves,
    sbl_feature_histories, sbl_feature_persons, sbl_feature_health, sbl_feature_hermite,
    sbl_feature_hermite_product, sbl_feature_perceptual, sbl_feature_moments, sbl_feature_signed_moments,
    sbl_feature_pooled_moments, sbl_feature_answer;

const sbl_feature *const sbl_feature_list[] = {&sbl_feature_rff,
                                               &sbl_feature_onehot,
                                               &sbl_feature_orthogonal,
                                               &sbl_feature_total,
                                               &sbl_feature_cells,
                                               &sbl_feature_ball,
                                               &sbl_feature_means,
                                               &sbl_feature_tables,
                                               &sbl_feature_leaves,
                                               &sbl_feature_histories,
                                               &sbl_feature_persons,
                                               &sbl_feature_health,
                                               &sbl_feature_hermite,
                                               &sbl_feature_hermite_product,
                                               &sbl_feature_perceptual,
                                               &sbl_feature_moments,
                                               &sbl_feature_signed_moments,
                                               &sbl_feature_pooled_moments,
                                               &sbl_feature_answer,
                                               NULL};

/* Are its records whole persons? Features beside the list are not known here. */
static bool is_of_persons(const sbl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const sbl_feature *kind = find(sbl_feature_list, plan->items[i].feature);
        if (kind != NULL && kind->whole_units) return true;
    }
    return false;
}

/* Reads the parameters of a plan back into names of columns. Which tables make up block "tables.N"
 * is found by the same rule as in marginal_counts.c: levels in the order in which they first come. */

#define ENOUGH 200 /* bytes of names; what does not fit is counted */

/* Names with a plus between them. */
typedef struct names {
    sbl_text *text;
    size_t begin; /* of the text, before the first */
    size_t count;
    size_t left_out;
    const char *first, *second; /* the last ones: a column that is cut twice is named once */
} names;

static void add_name(names *n, const char *first, const char *second)
{
    if (n->count > 0 && first == n->first && second == n->second) return;
    n->first = first;
    n->second = second;
    if (n->count++ > 0 && n->text->length - n->begin > ENOUGH) {
        n->left_out++;
        return;
    }
    sbl_text_printf(n->text, "%s%s%s%s", n->count > 1 ? " + " : "", first, second != NULL ? " x " : "",
                    second != NULL ? second : "");
}

static void end_names(const names *n)
{
    if (n->left_out > 0) sbl_text_printf(n->text, " and %zu more", n->left_out);
    if (n->count == 0) sbl_text_printf(n->text, "no column");
}

static const char *name_of(const sbl_facts *facts, const sbl_head *head)
{
    return facts->schema->columns[head->column].name;
}

/* The name of fitted column number k, in the order of the schema: the columns of joint cells. */
static const char *column_name(const sbl_facts *facts, size_t k)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        if (!head->indicator && k-- == 0) return name_of(facts, head);
    }
    return "?";
}

static const json_t *parameters_of(const sbl_plan *plan, const char *feature)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->items[i].feature, feature) == 0) return plan->items[i].parameters;
    return NULL;
}

static const char *map_name(const json_t *parameters, json_int_t map, const sbl_facts *facts)
{
    const json_t *entry = json_array_get(json_object_get(parameters, "maps"), (size_t)map);
    const json_int_t column = json_integer_value(json_object_get(entry, "column"));
    return column_name(facts, (size_t)column);
}

/* Minus the level of a table, which is 0 to MOST_LEVEL; anything else counts as 0: no such plan is made. */
#define MOST_LEVEL 1024
static size_t level_of(const json_t *table)
{
    const json_int_t level = -json_integer_value(json_array_get(table, 2));
    return level >= 0 && level <= MOST_LEVEL ? (size_t)level : 0;
}

/* Tables of one level are one block, in the order in which levels come first (records/features/marginal_counts.c). */
static void name_tables(names *n, size_t number, const json_t *parameters, const sbl_facts *facts)
{
    const json_t *list = json_object_get(parameters, "tables");
    const size_t count = json_array_size(list);
    size_t block_of[MOST_LEVEL + 1] = {0}; /* by level; 0: none yet */
    size_t blocks = 0;
    for (size_t t = 0; t < count; t++) {
        const json_t *table = json_array_get(list, t);
        const json_int_t second = json_integer_value(json_array_get(table, 1));
        const size_t level = level_of(table);
        if (block_of[level] == 0) block_of[level] = ++blocks;
        if (block_of[level] != number) continue;
        add_name(n, map_name(parameters, json_integer_value(json_array_get(table, 0)), facts),
                 second < 0 ? NULL : map_name(parameters, second, facts));
    }
}

/* Trees of a forest, by the column counted with their leaves; the targets of several releases have one each. */
static void name_leaves(names *n, const json_t *parameters, const sbl_facts *facts)
{
    const json_t *list = json_object_get(parameters, "targets");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_int_t column = json_integer_value(json_object_get(json_array_get(list, i), "column"));
        add_name(n, "leaves of trees", column_name(facts, (size_t)column));
    }
}

static void name_keys(names *n, const json_t *parameters)
{
    const json_t *list = json_object_get(parameters, "columns");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        add_name(n, name != NULL ? name : "?", NULL);
    }
}

/* The question that a block answers, in words. */
static void name_question(names *n, size_t number, const sbl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const json_t *parameters = plan->items[i].parameters;
        if (strcmp(plan->items[i].feature, SBL_ANSWER_FEATURE) != 0) continue;
        if (json_integer_value(json_object_get(parameters, "number")) != (json_int_t)number) continue;
        sbl_question_describe(n->text, parameters);
        n->count++;
    }
}

/* Columns that have a head of this kind; those of an indicator are numbers that may be missing. */
static void name_heads(names *n, bool numeric, bool categorical, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        const bool wanted = head->kind == SBL_HEAD_NUMERIC ? numeric : categorical;
        if (wanted && !(head->indicator && numeric)) add_name(n, name_of(facts, head), NULL);
    }
}

/* The part of a block's name before its number, or all of it. */
static bool is_block(const char *block, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(block, name, length) == 0 && (block[length] == '\0' || block[length] == '.');
}

void sbl_block_describe(sbl_text *text, const char *block, const sbl_plan *plan, const sbl_facts *facts)
{
    const bool persons = is_of_persons(plan);
    const char *const fixed[][2] = {
        {"total", persons ? "number of persons" : "number of rows"},
        {SBL_PERSONS_BLOCK, "number of rows of a person"},
        {"histories.1", "columns of a person"},
        {"histories.2", "columns of events, with the person's and those of events before"},
        {"health",
         persons ? "persons of whose cells half do not fit, by column" : "cells that do not fit, by column"}};
    names n = {.text = text, .begin = text->length};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (is_block(block, fixed[i][0])) {
            sbl_text_printf(text, "%s", fixed[i][1]);
            return;
        }
    if (is_block(block, SBL_COUNTS_BLOCK))
        add_name(&n,
                 facts->classes > 1 ? facts->schema->columns[facts->schema->label].name : "number of rows",
                 NULL);
    else if (is_block(block, "keys"))
        name_keys(&n, parameters_of(plan, "keys"));
    else if (strncmp(block, "tables.", 7) == 0 && sbl_text_to_u64(&number, block + 7))
        name_tables(&n, number, parameters_of(plan, "tables"), facts);
    else if (sbl_question_of_block(block) != 0)
        name_question(&n, sbl_question_of_block(block), plan);
    else if (is_block(block, "leaves"))
        name_leaves(&n, parameters_of(plan, "leaves"), facts);
    else
        name_heads(&n, !is_block(block, "onehot"), !is_block(block, "means"), facts);
    end_names(&n);
}
