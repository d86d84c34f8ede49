/* SPDX-License-Identifier: Apache-2.0 */
/* For check_records.py: show_rows TABLE... prints a line for each table, the column `a` of its
 * rows, or why it was refused. Other columns are not looked at. */
#include <stdio.h>
#include <string.h>

#include "records/rows/table.h"

static const char schema_text[] =
    "{\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"constraints\":"
    "{\"minimum\":0,\"maximum\":100,\"required\":true}}]}";

static void show(const char *path, const sbl_schema *schema, sbl_batch *batch)
{
    sbl_rows *reader = NULL;
    sbl_error err = {0};
    const sbl_table table = sbl_csv_table(path);
    sbl_status status = sbl_rows_open(&reader, &table, schema, NULL, &err);
    while (status == SBL_OK && (status = sbl_rows_read(reader, batch, &err)) == SBL_OK && batch->rows > 0)
        for (size_t row = 0; row < batch->rows; row++) (void)printf("%.0f ", batch->columns[0].values[row]);
    (void)printf("%s\n", status != SBL_OK ? err.message : "");
    sbl_rows_close(reader);
}

int main(int count, char **paths)
{
    sbl_schema *schema = NULL;
    sbl_batch *batch = NULL;
    const bool ready =
        sbl_schema_parse(&schema, schema_text, strlen(schema_text), "schema", NULL) == SBL_OK &&
        sbl_batch_new(&batch, schema, 1000, NULL) == SBL_OK;
    for (int i = 1; ready && i < count; i++) show(paths[i], schema, batch);
    sbl_batch_free(batch);
    sbl_schema_free(schema);
    return ready ? 0 : 1;
}
