/* SPDX-License-Identifier: Apache-2.0 */
/* Any tables: the evaluation is refused in one line, or all its numbers lie where they must and the
 * text holds no control character. The input is real, synthetic and training table, with a zero
 * byte between them; the third may be left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/table_study.h"
#include "support/json_text.h"

static const char schema_text[] = JSON({"fields": [{"name": "n", "type": "number",
    "constraints": {"minimum": -1, "maximum": 3}}, {"name": "g", "type": "integer",
    "constraints": {"minimum": 0, "maximum": 9999}, "semblance": {"transform": "log"}}, {"name": "d",
    "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-01-01", "required": true}},
    {"name": "c", "type": "string", "constraints": {"enum": ["a", "b", "c"]}},
    {"name": "y", "type": "boolean", "constraints": {"required": true}}], "missingValues": [""],
    "semblance": {"label": "y", "task": "classification"}});

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) abort();
}

/* A number or null in every place. */
static void check_range(const json_t *value, double low, double high)
{
    size_t i;
    const char *name;
    json_t *part;
    if (json_is_number(value))
        require(json_number_value(value) >= low - 1e-9 && json_number_value(value) <= high + 1e-9);
    json_array_foreach(value, i, part) check_range(part, low, high);
    json_object_foreach((json_t *)(uintptr_t)value, name, part) check_range(part, low, high);
}

static void check_document(const json_t *document)
{
    const json_t *association = json_object_get(document, "association");
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(document, "columns"), i, part)
    {
        check_range(json_object_get(part, "tvd"), 0, 1);
        check_range(json_object_get(part, "ks"), 0, 1);
        check_range(json_object_get(part, "wasserstein"), 0, 1);
        check_range(json_object_get(part, "histogram"), 0, 1);
    }
    json_array_foreach(json_object_get(document, "marginals"), i, part)
        check_range(json_object_get(part, "tvd"), 0, 1);
    check_range(json_object_get(association, "real"), -1, 1);
    check_range(json_object_get(association, "synthetic"), -1, 1);
    check_range(json_object_get(json_object_get(document, "mmd"), "squared"), -2, 2);
    char *text = sbl_evaluation_text(document);
    require(text != NULL && strncmp(text, "NOT PRIVATE", 11) == 0);
    for (const char *c = text; *c != '\0'; c++) require((unsigned char)*c >= 0x20 || *c == '\n');
    free(text);
}

/* A file in memory with a path that can be opened again and again. */
static int make_file(char path[64], const uint8_t *data, size_t size)
{
    const int descriptor = memfd_create("table", 0);
    require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    (void)snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char paths[3][64];
    int descriptors[3];
    int count = 0;
    sbl_schema *schema;
    json_t *document;
    sbl_error err = {0};
    if (size > 1 << 14) return 0;
    while (count < 3) {
        const uint8_t *end = count < 2 && size != 0 ? memchr(data, 0, size) : NULL;
        const size_t length = end != NULL ? (size_t)(end - data) : size;
        descriptors[count] = make_file(paths[count], data, length);
        count++;
        if (end == NULL) break;
        data += length + 1;
        size -= length + 1;
    }
    require(sbl_schema_parse(&schema, schema_text, strlen(schema_text), "s", &err) == SBL_OK);
    const sbl_table tables[] = {sbl_csv_table(paths[0]), sbl_csv_table(paths[count > 1 ? 1 : 0]),
                                sbl_csv_table(paths[count > 2 ? 2 : 0])};
    const sbl_evaluate_request request = {&tables[0],
                                          .synthetic = &tables[1],
                                          .train = count > 2 ? &tables[2] : NULL,
                                          .schema = schema,
                                          .schema_name = "s",
                                          .models = "none",
                                          .sets = 8,
                                          .threads = 1};
    if (sbl_evaluate_study(&document, &request, &err) == SBL_OK)
        check_document(document);
    else
        require(document == NULL && err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
    json_decref(document);
    sbl_schema_free(schema);
    for (int i = 0; i < count; i++) (void)close(descriptors[i]);
    return 0;
}
