/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints: any text is refused with one line, or means something that drawn rows can be made to
 * hold, within the steps that are promised. Each line of the input is one constraint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules.h"
#include "public/schema/schema_json.h"
#include "support/json_text.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())
#define ROWS 6
#define COLUMNS 10
#define MOST 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fields[] = JSON({"fields":[{"name":"a","type":"integer","constraints":{"minimum":0,
    "maximum":50,"required":true}},
    {"name":"b","type":"integer","constraints":{"minimum":-9,"maximum":90,"required":true}},
    {"name":"c","type":"number","constraints":{"minimum":-1e3,"maximum":1e3}},
    {"name":"d","type":"date","constraints":{"minimum":"2024-01-01","maximum":"2024-12-31","required":true}},
    {"name":"e","type":"date","constraints":{"minimum":"2024-01-01","maximum":"2025-12-31"}},{"name":"t",
    "type":"datetime","constraints":{"minimum":"2024-01-01T00:00:00","maximum":"2024-12-31T00:00:00"}},
    {"name":"w","type":"string","constraints":{"enum":["x","y","z z"]}},
    {"name":"s","type":"boolean","constraints":{"required":true}},
    {"name":"g","type":"integer","constraints":{"enum":[1,2,3],"required":true},"semblance":{"per":"unit"}},
    {"name":"u","type":"string"}],"semblance":{"label":"s","unit":"u","order":"d"}});

/* The lines of the input as the schema's constraints, what cannot stand in a schema left out. */
static void take_lines(sbl_schema *schema, const uint8_t *data, size_t size)
{
    char line[SBL_CONSTRAINT_LENGTH + 1];
    size_t length = 0;
    CHECK(sbl_strings_reserve(&schema->constraints, MOST));
    for (size_t i = 0; i <= size && schema->constraints.count < MOST; i++) {
        if (i < size && data[i] != '\n') {
            if (data[i] >= 0x20 && data[i] != 0x7f && length < SBL_CONSTRAINT_LENGTH)
                line[length++] = (char)data[i];
            continue;
        }
        line[length] = '\0';
        CHECK(sbl_strings_add(&schema->constraints, line));
        length = 0;
    }
}

static void fill(double *base, const sbl_schema *fitted)
{
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        const sbl_column *column = &fitted->columns[i % COLUMNS];
        const size_t turn = i / COLUMNS + i % 3;
        if (column->kind == SBL_COLUMN_IGNORED || (column->missing_allowed && turn % 4 == 3))
            base[i] = NAN;
        else if (column->kind == SBL_COLUMN_CATEGORY)
            base[i] = (double)(turn % column->categories.count);
        else
            base[i] = sbl_column_from_unit(column, (double)turn / 8);
    }
}

static void check_row(const sbl_rules *rules, const sbl_schema *schema, const double *base,
                      const double *full)
{
    CHECK(sbl_rules_all_hold(rules, base, full));
    for (size_t c = 0; c < COLUMNS; c++) {
        const sbl_column *column = &schema->columns[c];
        if (column->kind == SBL_COLUMN_IGNORED) continue;
        CHECK(!isnan(full[c]) || column->missing_allowed);
        if (!isnan(full[c]) && sbl_column_is_numeric(column))
            CHECK(full[c] >= column->minimum && full[c] <= column->maximum);
    }
}

/* The same as rows of two persons. */
static void draw_persons(const sbl_rules *rules, const sbl_schema *schema, double *base)
{
    static const uint64_t persons[ROWS] = {3, 3, 3, 4, 4, 4};
    double full[ROWS * COLUMNS];
    bool left_out[ROWS];
    sbl_error err = {0};
    const sbl_repair how = {.seed = 1, .column = SBL_NO_COLUMN};
    CHECK(sbl_rules_repair_persons(rules, base, full, ROWS, persons, &how, left_out, &err) == SBL_OK);
    for (size_t r = 0; r < ROWS; r++) {
        const double *row = full + r * COLUMNS, *before = r % 3 > 0 ? row - COLUMNS : NULL;
        CHECK(!left_out[r] || before != NULL);
        if (left_out[r]) continue;
        CHECK(before == NULL || !left_out[r - 1]);
        check_row(rules, schema, base + r * COLUMNS, row);
        for (size_t i = 0; i < sbl_rules_count(rules); i++)
            CHECK(sbl_rules_holds_after(rules, i, row, before));
        for (size_t c = 0; before != NULL && c < COLUMNS; c++)
            CHECK(!schema->columns[c].per_unit || row[c] == before[c]);
        CHECK(before == NULL || row[schema->order] >= before[schema->order]);
    }
}

static void draw_rows(const sbl_rules *rules, const sbl_schema *schema)
{
    double base[ROWS * COLUMNS];
    double full[ROWS * COLUMNS];
    sbl_schema *fitted;
    sbl_error err = {0};
    const sbl_repair how = {.seed = 1, .column = SBL_NO_COLUMN};
    if (sbl_rules_fitted(&fitted, rules, schema, &err) != SBL_OK) return;
    fill(base, fitted);
    CHECK(sbl_rules_repair(rules, base, full, ROWS, &how, &err) == SBL_OK);
    for (size_t r = 0; r < ROWS; r++) check_row(rules, schema, base + r * COLUMNS, full + r * COLUMNS);
    fill(base, fitted);
    draw_persons(rules, schema, base);
    sbl_schema_free(fitted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbl_schema *schema;
    sbl_rules *rules;
    sbl_error err = {0};
    sbl_text text = {0};
    CHECK(sbl_schema_parse(&schema, fields, sizeof fields - 1, "fields", &err) == SBL_OK);
    take_lines(schema, data, size);
    const sbl_status status = sbl_rules_new(&rules, schema, &err);
    CHECK((status == SBL_OK) == (rules != NULL));
    if (rules == NULL) {
        CHECK(status == SBL_EINPUT && strpbrk(err.message, "\r\n") == NULL);
    } else {
        sbl_rules_describe(&text, rules);
        draw_rows(rules, schema);
    }
    sbl_text_clear(&text);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    return 0;
}
