/* SPDX-License-Identifier: Apache-2.0 */
#include "evaluate_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/temp_folder.h"

json_t *kit_reference(void)
{
    json_error_t error;
    json_t *reference = json_load_file(SBL_TEST_SOURCE_DIR "/evaluate/reference.json", 0, &error);
    if (reference == NULL) fail_msg("reference.json: %s", error.text);
    return reference;
}

const char *kit_write(const kit *k, const char *name, const char *text)
{
    const char *path = in_folder(k->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const sbl_table *set_table(sbl_table *table, const char *path)
{
    free((void *)(uintptr_t)table->path);
    *table = sbl_csv_table(strdup(path));
    return table;
}

void kit_replace(kit *k, const char *schema, const char *real, const char *synthetic, const char *train)
{
    if (schema != NULL) {
        sbl_schema_free(k->schema);
        if (sbl_schema_parse(&k->schema, schema, strlen(schema), "s.json", &k->err) != SBL_OK)
            fail_msg("%s", k->err.message);
        k->request.schema = k->schema;
    }
    if (real != NULL) k->request.real = set_table(&k->tables[0], kit_write(k, "real.csv", real));
    if (synthetic != NULL)
        k->request.synthetic = set_table(&k->tables[1], kit_write(k, "synthetic.csv", synthetic));
    if (train != NULL) k->request.train = set_table(&k->tables[2], kit_write(k, "train.csv", train));
}

void kit_make(kit *k)
{
    json_t *reference = kit_reference();
    char *schema = json_dumps(json_object_get(reference, "schema"), 0);
    memset(k, 0, sizeof *k);
    temp_folder_make(k->folder);
    kit_replace(k, schema, json_string_value(json_object_get(reference, "real")),
                json_string_value(json_object_get(reference, "synthetic")),
                json_string_value(json_object_get(reference, "train")));
    k->request.schema_name = "s.json";
    k->request.models = "none";
    k->request.threads = 1;
    free(schema);
    json_decref(reference);
}

void kit_clear(kit *k)
{
    sbl_schema_free(k->schema);
    for (size_t i = 0; i < 3; i++) free((void *)(uintptr_t)k->tables[i].path);
    temp_folder_remove(k->folder);
}

json_t *kit_evaluate(kit *k)
{
    json_t *document;
    if (sbl_evaluate_study(&document, &k->request, &k->err) != SBL_OK) fail_msg("%s", k->err.message);
    return document;
}

const json_t *kit_find(const json_t *document, const char *path)
{
    char copy[256];
    char *rest = copy;
    (void)snprintf(copy, sizeof copy, "%s", path);
    for (char *word = strsep(&rest, "."); word != NULL && document != NULL; word = strsep(&rest, "."))
        document = json_is_array(document) ? json_array_get(document, (size_t)atoi(word))
                                           : json_object_get(document, word);
    return document;
}

double kit_number(const json_t *document, const char *path)
{
    const json_t *value = kit_find(document, path);
    if (!json_is_number(value)) fail_msg("no number at %s", path);
    return json_number_value(value);
}
