/* SPDX-License-Identifier: Apache-2.0 */
/* What a schema's columns become, and what a table holds that it does not foresee. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os_random.h"
#include "base/text.h"
#include "owner/inspect/broken_rules.h"
#include "owner/inspect/inspect.h"
#include "owner/inspect/package_inspect.h"
#include "owner/inspect/person_tally.h"
#include "owner/inspect/prune.h"
#include "public/rules/rules.h"
#include "public/schema/proposals.h"
#include "public/schema/schema_type.h"
#include "records/formats/diagnose.h"
#include "records/rows/unit_id.h"
#include "records/source/data_handle.h"
#include "run/methods/method_options.h"
#include "semblance/account.h"
#include "semblance/files.h"
#include "semblance/synthesizer.h"

/* A table held against its schema. */
typedef struct check {
    sbl_text words;
    sbl_broken_rules broken;
    sbl_person_tally persons;  /* where the schema has a unit */
    const char *keys_of;       /* in linked tables: the table that its key names; else NULL */
    const sbl_schema *package; /* linked tables, and which of them it is; NULL: a single one */
    size_t table;
    sbl_rows_above *above; /* (tables): where constraints name columns of tables above; else NULL */
    uint8_t key[SBL_SIPHASH_KEY_SIZE]; /* of hashes of keys, the same for all tables */
    sbl_progress_listener listener;
} check;

/* A column of the file that the schema does not name: a fact of the container. */
static void note_extra(void *context, const char *name)
{
    check *c = context;
    sbl_text_printf(&c->words, "%s: in the table, not in the schema: left out\n", name);
}

static void take_rows(void *context, const sbl_batch *batch)
{
    check *c = context;
    sbl_broken_rules_take(&c->broken, batch);
    if (batch->units != NULL) sbl_person_tally_take(&c->persons, batch);
}

/* Persons, where the schema has them: all, and what is theirs. */
static sbl_status begin_persons(check *c, const sbl_schema *schema, sbl_error *err)
{
    bool *own = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(own, schema->column_count, "persons");
    for (size_t i = 0; i < schema->column_count; i++)
        own[i] = schema->columns[i].per_unit && schema->columns[i].kind != SBL_COLUMN_IGNORED;
    SBL_TRY(sbl_person_tally_begin(&c->persons, schema, own, UINT32_MAX, err));
done:
    sbl_free(own);
    return status;
}

/* Among linked tables whose constraints name columns of others: what this one sees and keeps, and by which
 * column. */
static void look_above(check *c, sbl_table_options *reading)
{
    if (c->above == NULL) return;
    const sbl_linked_table *table = &c->package->tables[c->table];
    c->broken.above = table->parent != SBL_NO_TABLE ? &c->above[table->parent] : NULL;
    if (table->key == SBL_NO_COLUMN) return;
    c->broken.kept = &c->above[c->table];
    reading->with_keys = table->parent != SBL_NO_TABLE && table->key != table->parent_key;
    reading->key_column = table->key - table->first;
}

/* NOT PRIVATE, as the first line says. */
static sbl_status check_table(check *c, const sbl_table *table, const sbl_schema *schema,
                              const sbl_rules *rules, sbl_error *err)
{
    const bool persons = schema->rows_per_unit != 0;
    sbl_table_options reading = {
        .extra_column = note_extra, .context = c, .unit_key = persons ? c->key : NULL};
    sbl_diagnosis diagnosis = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&c->words, "\n");
    if (persons) SBL_TRY(begin_persons(c, schema, err));
    SBL_TRY(sbl_broken_rules_begin(&c->broken, rules, schema, err));
    look_above(c, &reading);
    SBL_TRY(sbl_table_diagnose(&diagnosis, table, schema, &reading, take_rows, err));
    sbl_diagnosis_describe(&c->words, &diagnosis, schema);
    if (persons) SBL_TRY(sbl_person_tally_describe(&c->words, &c->persons, c->keys_of, err));
    SBL_TRY(sbl_broken_rules_describe(&c->words, &c->broken, err));
done:
    sbl_broken_rules_clear(&c->broken);
    sbl_person_tally_clear(&c->persons);
    sbl_diagnosis_clear(&diagnosis);
    return status;
}

/* What the schema of one table says, held against the table where there is one. */
static sbl_status check_one(check *c, const sbl_schema *schema, const sbl_data *data, sbl_error *err)
{
    const sbl_table *table;
    sbl_rules *rules = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(c->package != NULL ? sbl_rules_new_linked(&rules, schema, c->package, c->table, err)
                               : sbl_rules_new(&rules, schema, err));
    sbl_schema_describe(&c->words, schema, c->keys_of);
    sbl_rules_describe(&c->words, rules);
    if (data == NULL) goto done;
    SBL_TRY(sbl_data_table(&table, data, err));
    sbl_table heard = *table;
    heard.listener = &c->listener;
    SBL_TRY(check_table(c, &heard, schema, rules, err));
done:
    sbl_rules_free(rules);
    return status;
}

/* Rows are kept for the tables below where some constraint looks at them. */
static sbl_status begin_above(check *c, const sbl_schema *schema, sbl_error *err)
{
    bool some = false;
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < schema->table_count; t++) {
        sbl_rules *rules;
        SBL_TRY(sbl_rules_new_linked(&rules, schema->tables[t].schema, schema, t, err));
        some = some || sbl_rules_look_above(rules);
        sbl_rules_free(rules);
    }
    if (!some) goto done;
    SBL_ALLOC(c->above, schema->table_count, "constraints");
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_linked_table *table = &schema->tables[t];
        c->above[t].width =
            table->count + (table->parent != SBL_NO_TABLE ? c->above[table->parent].width : 0);
    }
done:
    return status;
}

/* For linked tables, one after the other. */
static sbl_status check_each(check *c, const sbl_schema *schema, const sbl_data *data, sbl_error *err)
{
    c->package = schema;
    SBL_CHECK(begin_above(c, schema, err));
    for (size_t t = 0; t < schema->table_count; t++) {
        const sbl_data *own = NULL;
        c->table = t;
        if (t > 0) sbl_text_printf(&c->words, "\n");
        sbl_schema_describe_table(&c->words, schema, t);
        c->keys_of = sbl_schema_keys_of(schema, t);
        if (data != NULL) SBL_CHECK(sbl_data_linked(&own, data, schema->tables[t].name, err));
        SBL_CHECK(check_one(c, schema->tables[t].schema, own, err));
    }
    return SBL_OK;
}

static sbl_status check_schema(char **text, const sbl_schema *schema, const sbl_data *data, sbl_error *err)
{
    check c = {0};
    sbl_status status = SBL_OK;
    if (data != NULL) {
        c.listener.progress = data->progress;
        c.listener.context = data->context;
    }
    SBL_TRY(sbl_os_random(c.key, sizeof c.key, err));
    SBL_TRY(schema->table_count > 0 ? check_each(&c, schema, data, err) : check_one(&c, schema, data, err));
    if (schema->table_count > 0 && schema->proposals.count > 0) {
        sbl_text_printf(&c.words, "\nNOT PRIVATE: what is proposed was read from the records\n");
        sbl_schema_describe_proposals(&c.words, schema);
    }
    SBL_TRY(sbl_text_check(&c.words, "a schema", err));
    *text = sbl_plain_lines(c.words.data);
    c.words = (sbl_text){0};
done:
    for (size_t t = 0; c.above != NULL && t < schema->table_count; t++) sbl_rows_above_clear(&c.above[t]);
    sbl_free(c.above);
    sbl_wipe(c.key, sizeof c.key);
    sbl_text_clear(&c.words);
    return status;
}

sbl_status sbl_schema_check(char **text, const sbl_schema *schema, sbl_data *data, sbl_error *err)
{
    sbl_schema *own = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(schema);
    if (data != NULL) {
        SBL_TRY(sbl_data_use(&used, data, err));
        if (data->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EARG, "%s holds images, not a table", data->name);
        SBL_TRY(sbl_schema_copy(&own, schema, err));
        SBL_TRY(sbl_data_apply_written(&own, data, err));
        schema = own;
    }
    SBL_TRY(check_schema(text, schema, data, err));
done:
    sbl_schema_free(own);
    sbl_use_end(used);
    return status;
}

/* Group privacy at a reference that the words name: epsilon 1 and delta 1e-6 for a row. */
static double epsilon_of_person(uint64_t rows)
{
    double mu = 0;
    double epsilon = 0;
    if (sbl_gdp_mu(&mu, 1.0, 1e-6, NULL) != SBL_OK ||
        sbl_mixed_epsilon(&epsilon, sbl_gdp_group(mu, rows), 0, 0, 1e-6, NULL) != SBL_OK)
        return INFINITY;
    return epsilon;
}

/* The proposals that are left, as `schema check` lists them. */
static sbl_status list_proposals(sbl_text *notes, const json_t *object, const char *where, sbl_error *err)
{
    sbl_strings words = {0};
    const sbl_status status = sbl_proposals_parse(&words, json_object_get(object, "semblance"), where, err);
    for (size_t i = 0; status == SBL_OK && i < words.count; i++)
        sbl_text_printf(notes, "proposal %zu, %s\n", i + 1, words.items[i]);
    sbl_strings_clear(&words);
    return status;
}

static sbl_status inspect_table(json_t **object, sbl_text *notes, const sbl_data *data,
                                sbl_progress_listener *listener, sbl_error *err)
{
    sbl_table table = data->table;
    char *text = NULL;
    sbl_status status = SBL_OK;
    table.listener = listener;
    SBL_TRY(sbl_table_inspect(&text, notes, &table, &data->written, epsilon_of_person, err));
    SBL_TRY(sbl_json_parse(object, text, strlen(text), table.name, err));
    SBL_TRY(sbl_schema_prune(*object, NULL, table.name, err));
done:
    sbl_free(text);
    return status;
}

/* The schema of a table, or the package of several, as text. */
static sbl_status inspect_schema(char **schema, char **notes, sbl_data *data, const char *output,
                                 sbl_error *err)
{
    sbl_progress_listener listener = {.progress = data->progress, .context = data->context};
    sbl_text words = {0};
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(data->linked != NULL ? sbl_package_inspect(&object, &words, data, output, err)
                                 : inspect_table(&object, &words, data, &listener, err));
    SBL_TRY(list_proposals(&words, object, data->name, err));
    SBL_TRY(sbl_text_check(&words, "a schema", err));
    *schema = sbl_json_pretty(object);
    if (*schema == NULL) SBL_TRY(sbl_no_memory(err, "a schema"));
    *notes = sbl_plain_lines(words.data);
    words = (sbl_text){0};
done:
    sbl_text_clear(&words);
    json_decref(object);
    return status;
}

/* No input may be the output. */
static sbl_status check_output(const sbl_data *data, const char *output, bool overwrite, sbl_error *err)
{
    for (size_t i = 0; i < (data->linked != NULL ? data->linked_count : 1); i++) {
        const char *path = data->linked != NULL ? data->linked[i]->path : data->path;
        const sbl_named_file files[] = {{"the input", path, false}, {"the schema", output, true}};
        SBL_CHECK(sbl_files_check(files, 2, err));
    }
    return output != NULL ? sbl_file_check_target(output, overwrite, err) : SBL_OK;
}

sbl_status sbl_schema_inspect(char **schema, char **notes, sbl_data *data, const char *output, bool overwrite,
                              sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    const sbl_table *table;
    char *json = NULL, *words = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (schema != NULL) *schema = NULL;
    if (notes != NULL) *notes = NULL;
    SBL_NEED(schema);
    SBL_NEED(data);
    SBL_TRY(sbl_data_use(&used, data, err));
    if (data->linked == NULL) SBL_TRY(sbl_data_table(&table, data, err));
    SBL_TRY(check_output(data, output, overwrite, err));
    SBL_TRY(sbl_data_keep(data, err));
    SBL_TRY(inspect_schema(&json, &words, data, output, err));
    if (output != NULL) SBL_TRY(sbl_file_write(output, json, strlen(json), as_public, err));
    *schema = json;
    json = NULL;
    if (notes != NULL) {
        *notes = words;
        words = NULL;
    }
done:
    sbl_free(json);
    sbl_free(words);
    sbl_use_end(used);
    return status;
}
