/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of tables and images, and their JSON. Where a schema has constraints, the schema that is
 * fitted is made here from the one that was declared, and everything else (heads, shape, code
 * columns) follows from the fitted one. */
#include "public/plan/facts.h"

#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules.h"
#include "public/schema/package.h"

/* Where the label and the other categorical columns stand among the codes, and how the record looks
 * without the label. */
static sbl_status find_columns(sbl_facts *facts, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    size_t others = 0;
    size_t *cardinalities = NULL;
    sbl_status status = SBL_OK;
    for (size_t h = 0; h < heads->count; h++) facts->columns += heads->items[h].indicator ? 0 : 1;
    facts->label_column = SBL_NO_HEAD;
    facts->classes = 1;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_CATEGORICAL) {
        facts->label_column = heads->items[heads->label].index;
        facts->classes = heads->class_count;
    }
    SBL_ALLOC(cardinalities, heads->categorical_count, "the facts of a table");
    SBL_ALLOC(facts->code_columns, heads->categorical_count, "the facts of a table");
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind != SBL_HEAD_CATEGORICAL || head->index == facts->label_column) continue;
        cardinalities[others] = head->cardinality;
        facts->code_columns[others++] = head->index;
    }
    SBL_TRY(sbl_record_shape_init(&facts->shape, heads->numeric_count, cardinalities, others, facts->classes,
                                  err));
done:
    sbl_free(cardinalities);
    return status;
}

bool sbl_facts_fit_column(const sbl_facts *facts, size_t column)
{
    if (facts->table_facts != NULL && column < facts->schema->column_count) {
        const size_t table = sbl_schema_table_of(facts->schema, column);
        return sbl_facts_fit_column(&facts->table_facts[table], column - facts->schema->tables[table].first);
    }
    if (column >= facts->schema->column_count || facts->schema->columns[column].kind == SBL_COLUMN_IGNORED ||
        (facts->rules != NULL && sbl_rules_derives(facts->rules, column)))
        return false;
    for (size_t i = 0; i < sbl_rules_differences(facts->rules); i++)
        if (sbl_rules_difference(facts->rules, i).column == column) return false;
    return true;
}

/* What is fitted of a table where the schema has constraints. package: that it is table number `table` of; NULL:
 * it is alone. */
static sbl_status fit_rules(sbl_facts *facts, const sbl_schema *package, size_t table, sbl_error *err)
{
    const sbl_status status = package != NULL
                                  ? sbl_rules_new_linked(&facts->rules, facts->declared, package, table, err)
                                  : sbl_rules_new(&facts->rules, facts->declared, err);
    if (status != SBL_OK || facts->rules == NULL) return status;
    facts->schema = NULL;
    return sbl_rules_fitted(&facts->schema, facts->rules, facts->declared, err);
}

static sbl_status fit_tables(sbl_facts *facts, sbl_error *err);

static sbl_status make_facts(sbl_facts *facts, sbl_schema *schema, const sbl_schema *package, size_t table,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    *facts = (sbl_facts){.kind = SBL_DATA_TABLE, .schema = schema, .declared = schema};
    SBL_TRY(schema->table_count > 0 ? fit_tables(facts, err) : fit_rules(facts, package, table, err));
    SBL_TRY(sbl_heads_init(&facts->heads, facts->schema, err));
    SBL_TRY(find_columns(facts, err));
done:
    if (status != SBL_OK) sbl_facts_clear(facts);
    return status;
}

/* For linked tables: each table separately, and the fitted columns of all side by side. */
static sbl_status fit_tables(sbl_facts *facts, sbl_error *err)
{
    const sbl_schema *declared = facts->declared;
    const size_t count = declared->table_count;
    const sbl_schema **fitted = NULL;
    sbl_linked_table *tables = NULL;
    sbl_schema *own = NULL;
    bool computed = false;
    sbl_status status = SBL_OK;
    SBL_ALLOC(fitted, count, "the facts of tables");
    SBL_ALLOC(facts->table_facts, count, "the facts of tables");
    for (size_t t = 0; t < count; t++) {
        SBL_TRY(sbl_schema_copy(&own, declared->tables[t].schema, err));
        SBL_TRY(make_facts(&facts->table_facts[t], own, declared, t, err));
        if (sbl_facts_look_back(&facts->table_facts[t]))
            SBL_FAIL(
                err, SBL_EINPUT,
                "table '%s' has constraints with 'previous', which linked tables do not support: remove them",
                declared->tables[t].name);
        fitted[t] = facts->table_facts[t].schema;
        computed = computed || facts->table_facts[t].rules != NULL;
    }
    if (!computed) goto done;
    facts->schema = NULL;
    SBL_TRY(sbl_linked_tables_copy(&tables, declared, fitted, err));
    SBL_TRY(sbl_schema_widen(&facts->schema, tables, count, err));
done:
    sbl_free(fitted);
    return status;
}

sbl_status sbl_facts_of_table(sbl_facts *facts, sbl_schema *schema, sbl_error *err)
{
    return make_facts(facts, schema, NULL, 0, err);
}

sbl_status sbl_facts_of_images(sbl_facts *facts, const sbl_image_facts *images, bool balanced, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *facts = (sbl_facts){.kind = SBL_DATA_IMAGES,
                         .classes = sbl_image_facts_groups(images),
                         .label_column = SBL_NO_HEAD,
                         .columns = 1,
                         .balanced = balanced && images->classes > 1};
    SBL_TRY(sbl_image_facts_copy(&facts->images, images, err));
    SBL_TRY(sbl_record_shape_init(&facts->shape, sbl_image_facts_size(images), NULL, 0, facts->classes, err));
done:
    if (status != SBL_OK) sbl_facts_clear(facts);
    return status;
}

void sbl_facts_clear(sbl_facts *facts)
{
    sbl_record_shape_clear(&facts->shape);
    sbl_heads_clear(&facts->heads);
    sbl_rules_free(facts->rules);
    for (size_t t = 0; facts->table_facts != NULL && t < facts->declared->table_count; t++)
        sbl_facts_clear(&facts->table_facts[t]);
    sbl_free(facts->table_facts);
    if (facts->declared != facts->schema) sbl_schema_free(facts->declared);
    sbl_schema_free(facts->schema);
    sbl_free(facts->code_columns);
    sbl_image_facts_clear(&facts->images);
    *facts = (sbl_facts){0};
}

bool sbl_facts_look_back(const sbl_facts *facts) { return sbl_rules_look_back(facts->rules); }

uint64_t sbl_facts_rows_per_unit(const sbl_facts *facts)
{
    return facts->schema != NULL ? facts->schema->rows_per_unit : 0;
}

/* ---- JSON ---- */

static json_t *table_to_json(const sbl_facts *facts)
{
    json_t *schema = sbl_schema_to_json(facts->declared);
    return schema != NULL ? json_pack("{s:s, s:o}", "kind", "table", "schema", schema) : NULL;
}

json_t *sbl_facts_to_json(const sbl_facts *facts)
{
    if (facts->kind == SBL_DATA_TABLE) return table_to_json(facts);
    json_t *images = sbl_image_facts_to_json(&facts->images);
    return images != NULL
               ? json_pack("{s:s, s:b, s:o}", "kind", "images", "balanced", facts->balanced, "images", images)
               : NULL;
}

static sbl_status table_from_json(sbl_facts *facts, const json_t *object, const char *where, sbl_error *err)
{
    json_t *fields;
    sbl_schema *schema = NULL;
    sbl_status status = sbl_json_get_object(&fields, object, "schema", where, err);
    if (status != SBL_OK) return status;
    char *text = sbl_json_canonical(fields);
    if (text == NULL) return sbl_no_memory(err, where);
    status = sbl_schema_parse(&schema, text, strlen(text), where, err);
    sbl_free(text);
    return status == SBL_OK ? sbl_facts_of_table(facts, schema, err) : status;
}

static sbl_status images_from_json(sbl_facts *facts, const json_t *object, const char *where, sbl_error *err)
{
    sbl_image_facts images = {0};
    bool balanced;
    json_t *fields;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_bool(&balanced, object, "balanced", where, err));
    SBL_TRY(sbl_json_get_object(&fields, object, "images", where, err));
    SBL_TRY(sbl_image_facts_from_json(&images, fields, where, err));
    SBL_TRY(sbl_facts_of_images(facts, &images, balanced, err));
done:
    sbl_image_facts_clear(&images);
    return status;
}

sbl_status sbl_facts_from_json(sbl_facts *facts, const json_t *object, const char *where, sbl_error *err)
{
    const char *kind;
    *facts = (sbl_facts){0};
    const sbl_status status = sbl_json_get_string(&kind, object, "kind", where, err);
    if (status != SBL_OK) return status;
    if (strcmp(kind, "table") == 0) return table_from_json(facts, object, where, err);
    if (strcmp(kind, "images") == 0) return images_from_json(facts, object, where, err);
    return sbl_fail(err, SBL_EINPUT, "%s: field 'kind' is neither 'table' nor 'images'", where);
}
