/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: any bytes are refused with one line, or give a schema whose canonical text is a fixed
 * point and whose columns have sound grids and constants. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/encoding_layout.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_column(const sbl_column *column)
{
    if (column->kind == SBL_COLUMN_CATEGORY) {
        CHECK(column->categories.count > 0);
        CHECK(column->fallback_code < column->categories.count);
    }
    if (!sbl_column_is_numeric(column)) return;
    CHECK(column->minimum <= column->maximum);
    CHECK(column->fallback >= column->minimum && column->fallback <= column->maximum);
    CHECK(sbl_column_snap(column, column->fallback) == column->fallback);
    for (double unit = 0; unit <= 1; unit += 0.125) {
        const double value = sbl_column_from_unit(column, unit);
        CHECK(value >= column->minimum && value <= column->maximum);
        const double again = sbl_column_to_unit(column, value);
        CHECK(again >= 0 && again <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_schema *schema;
    sbl_schema *again;
    sbl_heads heads;
    sbl_text text = {0};
    sbl_error err = {0};
    const sbl_status status = sbl_schema_parse(&schema, (const char *)data, size, "input", &err);
    CHECK((status == SBL_OK) == (schema != NULL));
    if (schema == NULL) {
        CHECK(status == SBL_EINPUT && strpbrk(err.message, "\r\n") == NULL);
        return 0;
    }
    for (size_t i = 0; i < schema->column_count; i++) check_column(&schema->columns[i]);
    char *canonical = sbl_schema_json(schema);
    CHECK(canonical != NULL);
    CHECK(sbl_schema_parse(&again, canonical, strlen(canonical), "canonical", &err) == SBL_OK);
    char *same = sbl_schema_json(again);
    CHECK(same != NULL && strcmp(canonical, same) == 0);
    CHECK(sbl_heads_init(&heads, schema, NULL) == SBL_OK);
    sbl_schema_describe(&text, schema, NULL);
    sbl_text_clear(&text);
    sbl_heads_clear(&heads);
    sbl_free(canonical);
    sbl_free(same);
    sbl_schema_free(schema);
    sbl_schema_free(again);
    return 0;
}
