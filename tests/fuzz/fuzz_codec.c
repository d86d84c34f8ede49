/* SPDX-License-Identifier: Apache-2.0 */
/* The codec: any encoded record decodes to a row within the schema, and from there encoding and
 * decoding change nothing more, also not through a written cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "public/rows/cell_format.h"
#include "public/rows/codec.h"
#include "support/json_text.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] = JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":-5,
    "maximum":16000000},
    "semblance":{"transform":"log"}},{"name":"b","type":"string","constraints":{"enum":["x","y"]}},
    {"name":"c","type":"number","constraints":{"minimum":0.005,"maximum":9.995},"semblance":{"decimals":2}},
    {"name":"d","type":"datetime","constraints":{"minimum":"0000-01-01","maximum":"9999-12-31T23:59:59"}},
    {"name":"e","type":"number","constraints":{"minimum":-1e-30,"maximum":1e300,"required":true}},
    {"name":"f","type":"boolean","constraints":{"required":true}}],"semblance":{"label":"b"}});

static void check_cells(const sbl_batch *batch)
{
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        char text[SBL_CELL_TEXT_SIZE + 1];
        const sbl_column *facts = &batch->schema->columns[i];
        if (facts->kind == SBL_COLUMN_CATEGORY) {
            CHECK(batch->columns[i].codes[0] < facts->categories.count + facts->missing_allowed);
            continue;
        }
        const double value = batch->columns[i].values[0];
        CHECK(value >= facts->minimum && value <= facts->maximum);
        const size_t length = sbl_cell_format(text, facts, value);
        CHECK(length > 0 && length < SBL_CELL_TEXT_SIZE);
        text[length] = '\0';
        if (facts->kind == SBL_COLUMN_NUMBER) CHECK(strtod(text, NULL) == value);
    }
}

static void check_same(const sbl_batch *a, const sbl_batch *b)
{
    for (size_t i = 0; i < a->schema->column_count; i++) {
        const sbl_column *facts = &a->schema->columns[i];
        if (a->columns[i].codes != NULL) {
            CHECK(a->columns[i].codes[0] == b->columns[i].codes[0]);
            continue;
        }
        if (a->columns[i].missing != NULL) CHECK(a->columns[i].missing[0] == b->columns[i].missing[0]);
        const double difference = fabs(a->columns[i].values[0] - b->columns[i].values[0]);
        CHECK(difference <= (facts->decimals < 0 ? 1e-12 * facts->maximum : 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_schema *schema;
    sbl_codec codec;
    sbl_batch *batch;
    sbl_batch *again;
    double numeric[4] = {0};
    uint32_t codes[8] = {0};
    CHECK(sbl_schema_parse(&schema, schema_text, strlen(schema_text), "s", NULL) == SBL_OK);
    CHECK(sbl_codec_init(&codec, schema, NULL) == SBL_OK);
    CHECK(codec.heads.numeric_count == 4 && codec.heads.categorical_count == 5);
    memcpy(numeric, data, size < sizeof numeric ? size : sizeof numeric);
    if (size > sizeof numeric) {
        const size_t left = size - sizeof numeric;
        memcpy(codes, data + sizeof numeric, left < sizeof codes ? left : sizeof codes);
    }
    CHECK(sbl_batch_new(&batch, schema, 1, NULL) == SBL_OK);
    CHECK(sbl_batch_new(&again, schema, 1, NULL) == SBL_OK);
    CHECK(sbl_codec_decode(&codec, batch, numeric, codes, 1, NULL) == SBL_OK);
    check_cells(batch);
    sbl_codec_encode(&codec, numeric, codes, batch);
    CHECK(sbl_codec_decode(&codec, again, numeric, codes, 1, NULL) == SBL_OK);
    check_same(batch, again);
    sbl_batch_free(batch);
    sbl_batch_free(again);
    sbl_codec_clear(&codec);
    sbl_schema_free(schema);
    return 0;
}
