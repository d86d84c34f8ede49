/* SPDX-License-Identifier: Apache-2.0 */
/* Single records are copied, or drawn evenly from all there are; a part that the data does not have is NULL and passed over.
 *
 * The schemas of the made-up data sets have numbers, dates, categories, missing values, a label, a target and persons with several
 * rows between them; their records come from a fixed seed, so that two audits of one version test the same sums. A table that
 * is given is read by the real reader, up to a limit. */
#include "owner/audit/audit_records.h"

#include <string.h>

#include "base/random/model_rng.h"
#include "owner/audit/linked_neighbours.h"

/* ---- records ---- */

void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts)
{
    const size_t d = facts->kind == SBL_DATA_TABLE ? facts->heads.numeric_count : 0;
    const size_t k = facts->kind == SBL_DATA_TABLE ? facts->heads.categorical_count : 0;
    const size_t size = facts->shape.numeric;
    if (d != 0) memcpy(drawn->numeric + to * d, records->numeric + from * d, d * sizeof(double));
    if (k != 0) memcpy(drawn->codes + to * k, records->codes + from * k, k * sizeof(uint32_t));
    if (drawn->pixels != NULL) memcpy(drawn->pixels + to * size, records->pixels + from * size, size);
    if (drawn->labels != NULL) drawn->labels[to] = records->labels[from];
    if (drawn->units != NULL) drawn->units[to] = records->units[from];
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[to * facts->columns + i] =
            records->misfits != NULL ? records->misfits[from * facts->columns + i] : 0;
}

void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label)
{
    if (drawn->labels == NULL) return;
    drawn->labels[row] = label;
    if (facts->kind == SBL_DATA_TABLE)
        drawn->codes[row * facts->heads.categorical_count + facts->label_column] = label;
}

void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t i = 0; drawn->pixels != NULL && i < facts->shape.numeric; i++)
        drawn->pixels[row * facts->shape.numeric + i] = (uint8_t)sbl_model_rng_below(rng, 256);
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind == SBL_HEAD_NUMERIC)
            drawn->numeric[row * heads->numeric_count + head->index] = sbl_model_rng_uniform(rng);
        else
            drawn->codes[row * heads->categorical_count + head->index] =
                (uint32_t)sbl_model_rng_below(rng, head->cardinality);
    }
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[row * facts->columns + i] = (uint8_t)sbl_model_rng_below(rng, 2);
    sbl_drawn_set_label(drawn, row, facts, (uint32_t)sbl_model_rng_below(rng, facts->classes));
}

/* ---- data sets ---- */

#define SEED UINT64_C(0x61756469745f3034)
#define TABLE_ROWS 300
#define IMAGE_ROWS 100
#define SIDE 8
#define IMAGE_CLASSES 3

/* Every kind of column that a schema can have, with missing values and without. */
static const char labelled_schema[] =
    "{\"fields\":["
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":110,"
    "\"required\":true}},"
    "{\"name\":\"weight\",\"type\":\"number\",\"constraints\":{\"minimum\":0.5,\"maximum\":250}},"
    "{\"name\":\"cost\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":100000,"
    "\"required\":true},\"semblance\":{\"decimals\":2,\"transform\":\"log\"}},"
    "{\"name\":\"seen\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\","
    "\"maximum\":\"2025-12-31\"}},"
    "{\"name\":\"smokes\",\"type\":\"boolean\"},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\",\"d\","
    "\"e\"]}},"
    "{\"name\":\"outcome\",\"type\":\"string\",\"constraints\":{\"enum\":[\"well\",\"ill\","
    "\"dead\"],\"required\":true}}],"
    "\"missingValues\":[\"\"],\"semblance\":{\"label\":\"outcome\",\"task\":\"classification\"}}";

static const char target_schema[] =
    "{\"fields\":["
    "{\"name\":\"length\",\"type\":\"number\",\"constraints\":{\"minimum\":-1,\"maximum\":1,"
    "\"required\":true}},"
    "{\"name\":\"width\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1,"
    "\"required\":true}},"
    "{\"name\":\"colour\",\"type\":\"string\",\"constraints\":{\"enum\":[\"red\",\"green\","
    "\"blue\"],\"required\":true}},"
    "{\"name\":\"price\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":10,"
    "\"required\":true}}],"
    "\"missingValues\":[\"\"],\"semblance\":{\"label\":\"price\",\"task\":\"regression\"}}";

static const char narrow_schema[] =
    "{\"fields\":["
    "{\"name\":\"answer\",\"type\":\"string\",\"constraints\":{\"enum\":[\"yes\",\"no\","
    "\"perhaps\"],\"required\":true}}],"
    "\"missingValues\":[\"\"]}";

static const char person_schema[] =
    "{\"fields\":["
    "{\"name\":\"person\",\"type\":\"string\"},"
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":110,"
    "\"required\":true}},"
    "{\"name\":\"dose\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":5}},"
    "{\"name\":\"outcome\",\"type\":\"string\",\"constraints\":{\"enum\":[\"well\",\"ill\","
    "\"dead\"],\"required\":true}}],"
    "\"missingValues\":[\"\"],\"semblance\":{\"label\":\"outcome\",\"unit\":\"person\","
    "\"max_rows_per_unit\":3}}";

/* A column of the person's, and days that order the rows. */
static const char history_schema[] =
    "{\"fields\":["
    "{\"name\":\"person\",\"type\":\"string\"},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"]},"
    "\"semblance\":{\"per\":\"unit\"}},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2024-01-01\","
    "\"maximum\":\"2024-12-31\",\"required\":true}},"
    "{\"name\":\"dose\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":5}},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"],"
    "\"required\":true}}],"
    "\"missingValues\":[\"\"],\"semblance\":{\"unit\":\"person\",\"order\":\"day\","
    "\"max_rows_per_unit\":1000}}";

static sbl_status table_facts(sbl_facts *facts, const char *text, sbl_error *err)
{
    sbl_schema *schema = NULL;
    const sbl_status status = sbl_schema_parse(&schema, text, strlen(text), "the schema of the audit", err);
    return status == SBL_OK ? sbl_facts_of_table(facts, schema, err) : status;
}

static sbl_status image_facts(sbl_facts *facts, bool balanced, sbl_error *err)
{
    sbl_image_facts images;
    sbl_status status = sbl_image_facts_init(&images, SIDE, SIDE, 1, IMAGE_CLASSES, NULL, err);
    if (status != SBL_OK) return status;
    status = sbl_facts_of_images(facts, &images, balanced, err);
    sbl_image_facts_clear(&images);
    return status;
}

/* One of those made here; schema NULL: images. */
typedef struct recipe {
    const char *name;
    const char *schema;
    bool balanced, attacked, attacked_pure, whole_units;
} recipe;

static const recipe recipes[SBL_AUDIT_GENERATED] = {
    {.name = "table with classes", .schema = labelled_schema, .attacked = true},
    {.name = "table with a target", .schema = target_schema},
    {.name = "table of one column", .schema = narrow_schema, .attacked_pure = true},
    {.name = "images"},
    {.name = "balanced images", .balanced = true},
    {.name = "table of persons", .schema = person_schema},
    {.name = "table of histories", .schema = history_schema, .whole_units = true},
};

/* Persons with any number of rows, some with more than count, and rows without a person. */
static void draw_owner(sbl_drawn *drawn, size_t row, sbl_model_rng *rng)
{
    if (drawn->units != NULL)
        drawn->units[row] = (sbl_unit_tag){.low = sbl_model_rng_below(rng, TABLE_ROWS / 2)};
}

sbl_status sbl_audit_data_generate(sbl_audit_data *data, size_t which, sbl_error *err)
{
    const recipe *made = &recipes[which];
    sbl_model_rng rng;
    sbl_status status = SBL_OK;
    *data = (sbl_audit_data){.name = made->name,
                             .rows = made->schema != NULL ? TABLE_ROWS : IMAGE_ROWS,
                             .attacked = made->attacked,
                             .attacked_pure = made->attacked_pure,
                             .whole_units = made->whole_units};
    SBL_TRY(made->schema != NULL ? table_facts(&data->facts, made->schema, err)
                                 : image_facts(&data->facts, made->balanced, err));
    SBL_TRY(sbl_drawn_make(&data->columns, &data->facts, data->rows, true, err));
    sbl_model_rng_init(&rng, SEED, SBL_RNG_OTHER, which);
    for (size_t row = 0; row < data->rows; row++) {
        sbl_drawn_random(&data->columns, row, &data->facts, &rng);
        draw_owner(&data->columns, row, &rng);
    }
done:
    if (status != SBL_OK) sbl_audit_data_clear(data);
    return status;
}

#define LINKED_PERSONS 100

sbl_status sbl_audit_data_link(sbl_audit_data *data, sbl_error *err)
{
    sbl_package_rows rows = sbl_package_crowd(LINKED_PERSONS);
    sbl_status status = SBL_OK;
    *data = (sbl_audit_data){.name = "linked tables", .rows = LINKED_PERSONS, .whole_units = true};
    SBL_TRY(sbl_package_facts(&data->facts, err));
    SBL_TRY(sbl_package_write(&data->package, &rows, SBL_PAIR_FIRST, false, err));
done:
    sbl_package_rows_clear(&rows);
    if (status != SBL_OK) sbl_audit_data_clear(data);
    return status;
}

sbl_status sbl_audit_data_read(sbl_audit_data *data, sbl_data *table, const sbl_schema *schema,
                               sbl_error *err)
{
    sbl_schema *own = NULL;
    sbl_source *source = NULL;
    const sbl_records *batch;
    sbl_status status = SBL_OK;
    *data = (sbl_audit_data){.name = "the table given", .attacked = true};
    SBL_TRY(sbl_schema_copy(&own, schema, err));
    SBL_TRY(sbl_facts_of_table(&data->facts, own, err));
    SBL_TRY(sbl_source_open(&source, table, &data->facts, NULL, NULL, err));
    SBL_TRY(sbl_drawn_make(&data->columns, &data->facts, SBL_AUDIT_MOST_ROWS, true, err));
    do {
        SBL_TRY(sbl_source_read(source, &batch, err));
        for (size_t i = 0; i < batch->rows && data->rows < SBL_AUDIT_MOST_ROWS; i++)
            sbl_drawn_copy(&data->columns, data->rows++, batch, i, &data->facts);
    } while (batch->rows > 0 && data->rows < SBL_AUDIT_MOST_ROWS);
    if (data->rows == 0) status = sbl_fail(err, SBL_EINPUT, "%s has no rows", sbl_data_tell(table).name);
done:
    sbl_source_close(source);
    if (status != SBL_OK) sbl_audit_data_clear(data);
    return status;
}

void sbl_audit_data_clear(sbl_audit_data *data)
{
    sbl_drawn_clear(&data->columns, &data->facts);
    sbl_package_free(data->package);
    sbl_facts_clear(&data->facts);
    *data = (sbl_audit_data){0};
}

sbl_status sbl_audit_source(sbl_source **source, const sbl_records *records, const char *name,
                            const sbl_facts *facts, const sbl_features *features, sbl_error *err)
{
    const sbl_status status = sbl_source_open_memory(source, records, name, facts, err);
    return status == SBL_OK && features->whole_units ? sbl_source_open_persons(source, *source, err) : status;
}

sbl_status sbl_audit_data_open(sbl_source **source, const sbl_audit_data *data, const sbl_features *features,
                               sbl_error *err)
{
    if (data->package != NULL) return sbl_package_open(source, data->package, &data->facts, err);
    const sbl_records all = sbl_drawn_records(&data->columns, &data->facts, 0, data->rows);
    return sbl_audit_source(source, &all, data->name, &data->facts, features, err);
}
