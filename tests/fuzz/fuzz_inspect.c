/* SPDX-License-Identifier: Apache-2.0 */
/* A first schema of any file: refused with one line, or a schema that our own parser takes and that
 * the table can be held against. The first byte says what is told of the file. */
#include <string.h>

#include "base/alloc.h"
#include "fuzz/memory_file.h"
#include "owner/inspect/inspect.h"
#include "records/formats/diagnose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sbl_data_options given_by(uint8_t byte)
{
    static const char *const delimiters[] = {NULL, ",", ";", "tab"};
    return (sbl_data_options){.delimiter = delimiters[byte & 3],
                              .quote = byte & 4 ? "'" : NULL,
                              .header = byte & 8 ? "no" : NULL,
                              .encoding = byte & 16 ? "latin-1" : NULL,
                              .decimal = byte & 32 ? "," : NULL,
                              .thousands = byte & 64 ? "." : NULL,
                              .comment = byte & 128 ? "#" : NULL};
}

static void hold_against(const char *path, const char *text)
{
    sbl_schema *schema;
    sbl_diagnosis diagnosis;
    CHECK(sbl_schema_parse(&schema, text, strlen(text), "inspected", NULL) == SBL_OK);
    if (sbl_table_diagnose(&diagnosis, (sbl_table[1]){sbl_csv_table(path)}, schema, NULL, NULL, NULL) ==
        SBL_OK)
        sbl_diagnosis_clear(&diagnosis);
    sbl_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char *text = NULL;
    sbl_text notes = {0};
    sbl_error err = {0};
    if (size == 0) return 0;
    const sbl_data_options given = given_by(data[0]);
    const int file = open_memory_file(path, data + 1, size - 1);
    if (sbl_table_inspect(&text, &notes, (sbl_table[1]){sbl_csv_table(path)}, &given, NULL, &err) == SBL_OK)
        hold_against(path, text);
    else
        CHECK(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
    sbl_free(text);
    sbl_text_clear(&notes);
    (void)close(file);
    return 0;
}
