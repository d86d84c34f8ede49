/* SPDX-License-Identifier: Apache-2.0 */
#include "table/table_kit.h"

#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

sbl_schema *kit_schema(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

sbl_schema *kit_abc(void)
{
    return kit_schema(
        JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":0,"maximum":100}},
        {"name":"b","type":"string","constraints":{"enum":["x","y","z z"]}},
        {"name":"c","type":"number","constraints":{"minimum":0,"maximum":1}}]}));
}

sbl_batch *kit_read(const char *text, size_t length, const sbl_schema *schema,
                    const sbl_table_options *options)
{
    sbl_rows *reader;
    sbl_batch *batch;
    sbl_error err = {0};
    assert_ok_or_say(open_csv_bytes(&reader, text, length, "table", schema, options, &err));
    assert_ok(sbl_batch_new(&batch, schema, 4096, &err));
    assert_ok_or_say(sbl_rows_read(reader, batch, &err));
    sbl_rows_close(reader);
    return batch;
}

long kit_count(const char *text, size_t length, const sbl_schema *schema, const sbl_table_options *options,
               sbl_error *err)
{
    sbl_rows *reader;
    sbl_batch *batch;
    long rows = 0;
    if (open_csv_bytes(&reader, text, length, "table", schema, options, err) != SBL_OK)
        fail_msg("%s", err->message);
    assert_ok(sbl_batch_new(&batch, schema, 64, err));
    do {
        const sbl_status status = sbl_rows_read(reader, batch, err);
        rows = status == SBL_OK ? rows + (long)batch->rows : -1;
    } while (batch->rows > 0);
    sbl_batch_free(batch);
    sbl_rows_close(reader);
    return rows;
}

const char *kit_show(const sbl_batch *batch)
{
    static char shown[1 << 17];
    size_t used = 0;
    shown[0] = '\0';
    for (size_t row = 0; row < batch->rows; row++) {
        for (size_t i = 0; i < batch->schema->column_count; i++) {
            const sbl_batch_column *column = &batch->columns[i];
            char *at = shown + used;
            const size_t room = sizeof shown - used;
            int wrote = 0;
            if (column->codes != NULL &&
                column->codes[row] == sbl_column_missing_code(&batch->schema->columns[i]))
                wrote = snprintf(at, room, "?|");
            else if (column->codes != NULL)
                wrote = snprintf(at, room, "%u|", column->codes[row]);
            else if (column->values != NULL && column->missing != NULL && column->missing[row])
                wrote = snprintf(at, room, "?|");
            else if (column->values != NULL)
                wrote = snprintf(at, room, "%.17g|", column->values[row]);
            used += (size_t)wrote;
            assert_true(used + 64 < sizeof shown);
        }
        shown[used - 1] = '\n';
    }
    return shown;
}

const char *kit_abc_rows(const char *text)
{
    sbl_schema *schema = kit_abc();
    sbl_batch *batch = kit_read(text, strlen(text), schema, NULL);
    const char *shown = kit_show(batch);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return shown;
}
