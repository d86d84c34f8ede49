/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of odd numbers, codes, cells and pixels, each under the first two labels, and random
 * records under labels that do not exist. Cells of text are written as CSV and read back
 * by the real reader; none may be refused. */
#include "owner/audit/neighbours.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "base/text.h"
#include "owner/audit/audit_records.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define SEED UINT64_C(0x61756469745f3031)
#define RANDOM_RECORDS 4
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Which code every column of categories gets. */
typedef enum code_rule { FIRST, SECOND, LAST, ALTERNATE, ONE_PAST, HALF_RANGE, LARGEST } code_rule;

/* A record of a table: what its even and its odd numbers are, in units of their bounds, and its
 * codes. With the first codes every cell fits, with alternate ones every other, else none. */
typedef struct table_kind {
    const char *name;
    double even, odd;
    code_rule codes;
} table_kind;

static const table_kind table_kinds[] = {
    {"every number at its lower bound, first categories", 0.0, 0.0, FIRST},
    {"every number at its upper bound, last categories or missing", 1.0, 1.0, LAST},
    {"every number half-way, second categories", 0.5, 0.5, SECOND},
    {"lower and upper bounds in turn", 0.0, 1.0, ALTERNATE},
    {"upper and lower bounds in turn", 1.0, 0.0, FIRST},
    {"all missing", 0.5, 0.5, LAST},
    {"NaN", NAN, NAN, FIRST},
    {"NaN beside upper bounds", NAN, 1.0, LAST},
    {"plus infinity", INFINITY, INFINITY, LAST},
    {"minus infinity", -INFINITY, -INFINITY, FIRST},
    {"infinities of both signs", INFINITY, -INFINITY, SECOND},
    {"1e308", 1e308, 1e308, FIRST},
    {"1e308 of both signs", -1e308, 1e308, LAST},
    {"the largest of floats", (double)FLT_MAX, -(double)FLT_MAX, FIRST},
    {"the smallest subnormal number", 4.9406564584124654e-324, 4.9406564584124654e-324, FIRST},
    {"subnormal numbers of both signs", 4.9406564584124654e-324, -4.9406564584124654e-324, LAST},
    {"subnormal numbers beside 1e308", DBL_MIN / 8.0, 1e308, SECOND},
    {"minus zero", -0.0, -0.0, FIRST},
    {"a hair above the upper bound", 1.0 + DBL_EPSILON, 1.0 + DBL_EPSILON, LAST},
    {"a hair below the lower bound", -DBL_EPSILON, -DBL_EPSILON, FIRST},
    {"ten times the range", 10.0, -9.0, ALTERNATE},
    {"2^53", 0x1p53, -0x1p53, FIRST},
    {"the same category everywhere", 0.25, 0.75, SECOND},
    {"codes one past the last", 0.0, 1.0, ONE_PAST},
    {"codes of 2^31", 1.0, 0.0, HALF_RANGE},
    {"the largest codes there are", 0.5, 0.0, LARGEST},
    {"NaN beside codes that do not exist", NAN, INFINITY, LARGEST},
};

/* A record of a table as text: this cell in every column. */
typedef struct text_kind {
    const char *name;
    const char *cell;
} text_kind;

static const text_kind text_kinds[] = {
    {"empty cells", ""},
    {"cells 'nan'", "nan"},
    {"cells 'inf'", "inf"},
    {"cells '-inf'", "-inf"},
    {"cells '1e999'", "1e999"},
    {"cells '-1e999'", "-1e999"},
    {"cells '4.9e-324'", "4.9e-324"},
    {"cells '1e-999'", "1e-999"},
    {"cells '-0'", "-0"},
    {"cells of forty nines", "9999999999999999999999999999999999999999"},
    {"cells in hexadecimal", "0x1p1023"},
    {"dates that do not exist", "9999-99-99"},
    {"words outside the categories", "\"no, such; category\""},
    {"line ends and quotes in cells", "\"a \"\"b\"\"\nc\""},
    {"bytes that are not UTF-8", "\xff\xfe\x80"},
};

/* An image by its pixels. */
typedef enum pixel_rule {
    ZEROS,
    ALL_255,
    ALL_1,
    ALL_128,
    ONE_PIXEL,
    LAST_PIXEL,
    CHESSBOARD,
    INVERSE_CHESSBOARD,
    ROWS,
    INVERSE_ROWS,
    HALF,
    OTHER_HALF,
    RAMP,
    INVERSE_RAMP,
    PIXEL_RULES
} pixel_rule;

static const char *const pixel_names[PIXEL_RULES] = {
    [ZEROS] = "black",
    [ALL_255] = "white",
    [ALL_1] = "all 1",
    [ALL_128] = "all 128",
    [ONE_PIXEL] = "the first pixel alone",
    [LAST_PIXEL] = "the last pixel alone",
    [CHESSBOARD] = "a chessboard",
    [INVERSE_CHESSBOARD] = "the other chessboard",
    [ROWS] = "every other row",
    [INVERSE_ROWS] = "the other rows",
    [HALF] = "the first half",
    [OTHER_HALF] = "the second half",
    [RAMP] = "a ramp",
    [INVERSE_RAMP] = "a falling ramp",
};

static const char random_name[] = "random";
static const char past_label[] = "a label one past the last";
static const char wild_label[] = "the largest label there is";

static uint32_t code_of(code_rule rule, uint32_t cardinality, size_t column)
{
    switch (rule) {
    case FIRST:
        return 0;
    case SECOND:
        return cardinality > 1 ? 1 : 0;
    case LAST:
        return cardinality - 1;
    case ALTERNATE:
        return column % 2 == 0 ? 0 : cardinality - 1;
    case ONE_PAST:
        return cardinality;
    case HALF_RANGE:
        return UINT32_C(1) << 31;
    case LARGEST:
        break;
    }
    return UINT32_MAX;
}

/* ---- one record ---- */

static void set_table_row(sbl_hostile *hostile, size_t row, const table_kind *kind)
{
    const sbl_heads *heads = &hostile->facts->heads;
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind == SBL_HEAD_NUMERIC)
            hostile->columns.numeric[row * heads->numeric_count + head->index] =
                head->index % 2 == 0 ? kind->even : kind->odd;
        else
            hostile->columns.codes[row * heads->categorical_count + head->index] =
                code_of(kind->codes, head->cardinality, head->index);
    }
    for (size_t k = 0; k < hostile->facts->columns; k++)
        hostile->columns.misfits[row * hostile->facts->columns + k] =
            kind->codes == ALTERNATE ? k % 2 == 1 : kind->codes != FIRST;
}

static uint8_t pixel_of(pixel_rule rule, size_t i, size_t y, size_t x, size_t size)
{
    const bool odd = (x + y) % 2 != 0;
    switch (rule) {
    case ALL_255:
        return 255;
    case ALL_1:
        return 1;
    case ALL_128:
        return 128;
    case ONE_PIXEL:
        return i == 0 ? 255 : 0;
    case LAST_PIXEL:
        return i + 1 == size ? 255 : 0;
    case CHESSBOARD:
        return odd ? 255 : 0;
    case INVERSE_CHESSBOARD:
        return odd ? 0 : 255;
    case ROWS:
        return y % 2 != 0 ? 255 : 0;
    case INVERSE_ROWS:
        return y % 2 != 0 ? 0 : 255;
    case HALF:
        return i < size / 2 ? 255 : 0;
    case OTHER_HALF:
        return i < size / 2 ? 0 : 255;
    case RAMP:
        return (uint8_t)(255 * i / size);
    case INVERSE_RAMP:
        return (uint8_t)(255 - 255 * i / size);
    default:
        return 0;
    }
}

static void set_image_row(sbl_hostile *hostile, size_t row, pixel_rule rule)
{
    const sbl_facts *facts = hostile->facts;
    const size_t size = facts->shape.numeric;
    const size_t line = facts->images.width * facts->images.channels;
    for (size_t i = 0; i < size; i++)
        hostile->columns.pixels[row * size + i] =
            pixel_of(rule, i, i / line, i % line / facts->images.channels, size);
    hostile->columns.misfits[row] = rule % 2;
}

/* ---- all of them ---- */

static size_t kind_count(const sbl_facts *facts)
{
    return (facts->kind == SBL_DATA_TABLE ? COUNT(table_kinds) : PIXEL_RULES) + RANDOM_RECORDS;
}

/* Each kind in the first two classes, and once with each label that does not exist. */
static void fill(sbl_hostile *hostile)
{
    const sbl_facts *facts = hostile->facts;
    const bool table = facts->kind == SBL_DATA_TABLE;
    const size_t fixed = kind_count(facts) - RANDOM_RECORDS;
    const uint32_t labels = facts->classes > 1 ? 2 : 1;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, SEED, SBL_RNG_OTHER, 0);
    for (size_t kind = 0; kind < kind_count(facts); kind++)
        for (uint32_t label = 0; label < labels; label++) {
            const size_t row = hostile->rows++;
            if (kind >= fixed)
                sbl_drawn_random(&hostile->columns, row, facts, &rng);
            else if (table)
                set_table_row(hostile, row, &table_kinds[kind]);
            else
                set_image_row(hostile, row, (pixel_rule)kind);
            sbl_drawn_set_label(&hostile->columns, row, facts, label);
            hostile->names[row] = kind >= fixed ? random_name
                                  : table       ? table_kinds[kind].name
                                                : pixel_names[kind];
        }
    hostile->kinds = kind_count(facts);
    for (size_t i = 0; labels > 1 && i < 2; i++) {
        const size_t row = hostile->rows++;
        sbl_drawn_random(&hostile->columns, row, facts, &rng);
        sbl_drawn_set_label(&hostile->columns, row, facts, i == 0 ? (uint32_t)facts->classes : UINT32_MAX);
        hostile->names[row] = i == 0 ? past_label : wild_label;
        hostile->kinds++;
    }
}

static void append_quoted(sbl_text *text, const char *name)
{
    sbl_text_append(text, "\"", 1);
    for (; *name != '\0'; name++) {
        if (*name == '"') sbl_text_append(text, "\"", 1);
        sbl_text_append(text, name, 1);
    }
    sbl_text_append(text, "\"", 1);
}

/* One row of text per kind, under the columns of the schema. */
static void write_cells(sbl_text *text, const sbl_schema *schema)
{
    for (size_t row = 0; row <= COUNT(text_kinds); row++) {
        for (size_t c = 0; c < schema->column_count; c++) {
            const char *cell = row > 0 ? text_kinds[row - 1].cell : NULL;
            if (c > 0) sbl_text_append(text, ",", 1);
            if (cell == NULL)
                append_quoted(text, schema->columns[c].name);
            else if (*cell == '\0') /* a line of nothing would be no row in a table of one column */
                sbl_text_append(text, "\"\"", 2);
            else
                sbl_text_append(text, cell, strlen(cell));
        }
        sbl_text_append(text, "\n", 1);
    }
}

/* Through the real reader: whatever a cell holds, it is some record. */
static sbl_status read_cells(sbl_hostile *hostile, sbl_error *err)
{
    const sbl_facts *facts = hostile->facts;
    const sbl_records *batch;
    sbl_text text = {0};
    sbl_facts own = *facts; /* of a table it is read only */
    sbl_data *table = NULL;
    sbl_source *source = NULL;
    sbl_status status = SBL_OK;
    write_cells(&text, facts->declared);
    SBL_TRY(sbl_text_check(&text, "records", err));
    sbl_csv_bytes bytes = {text.data, text.length};
    const sbl_table cells = {.format = &sbl_csv_format, .name = "odd cells", .state = &bytes};
    SBL_TRY(sbl_data_of_table(&table, &cells, err));
    SBL_TRY(sbl_source_open(&source, table, &own, NULL, NULL, err));
    SBL_TRY(sbl_source_read(source, &batch, err));
    if (batch->rows != COUNT(text_kinds))
        SBL_FAIL(err, SBL_EINTERNAL, "%zu rows of odd cells were read as %zu records", COUNT(text_kinds),
                 batch->rows);
    for (size_t i = 0; i < batch->rows; i++) {
        sbl_drawn_copy(&hostile->columns, hostile->rows, batch, i, facts);
        hostile->names[hostile->rows++] = text_kinds[i].name;
    }
    hostile->kinds += COUNT(text_kinds);
done:
    sbl_source_close(source);
    sbl_data_free(table);
    sbl_text_clear(&text);
    return status;
}

sbl_status sbl_hostile_make(sbl_hostile *hostile, const sbl_facts *facts, sbl_error *err)
{
    const size_t capacity = 2 * kind_count(facts) + 2 + COUNT(text_kinds);
    sbl_status status = SBL_OK;
    *hostile = (sbl_hostile){.facts = facts};
    hostile->names = sbl_alloc_array(capacity, sizeof *hostile->names);
    if (hostile->names == NULL) return sbl_no_memory(err, "records");
    SBL_TRY(sbl_drawn_make(&hostile->columns, facts, capacity, true, err));
    fill(hostile);
    if (facts->kind == SBL_DATA_TABLE) SBL_TRY(read_cells(hostile, err));
done:
    if (status != SBL_OK) sbl_hostile_clear(hostile);
    return status;
}

void sbl_hostile_clear(sbl_hostile *hostile)
{
    sbl_drawn_clear(&hostile->columns, hostile->facts);
    sbl_free(hostile->names);
    *hostile = (sbl_hostile){0};
}

sbl_records sbl_hostile_records(const sbl_hostile *hostile, size_t first, size_t rows)
{
    return sbl_drawn_records(&hostile->columns, hostile->facts, first, rows);
}

/* ---- persons ---- */

/* By the last two bits of its number. */
static const size_t whole_times[4] = {1, 2, 1000, 1000};

size_t sbl_hostile_times(const sbl_features *features, size_t which)
{
    if (features->whole_units) return whole_times[which % 4];
    return features->layout.rows_per_unit == 0 ? 1 : (size_t)features->layout.rows_per_unit + 1;
}

size_t sbl_hostile_turn(const sbl_hostile *hostile, const sbl_features *features, size_t which, size_t turn)
{
    const bool alike = !features->whole_units || which % 2 == 0;
    return alike ? which : (which + turn) % hostile->rows;
}
