/* SPDX-License-Identifier: Apache-2.0 */
/* Rows under constraints: drawn rows are mended until all hold, from drawn rows alone; what is read is
 * a function of each record alone; ids are not of the data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/sinks/sink.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "public/rules/rules.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

#define ROWS 3000

static const char hospital[] = JSON({"fields":[{"name":"id","type":"string","constraints":{"enum":["real-1",
    "real-2"],"required":true},"semblance":{"role":"id","id":"P-####"}},{"name":"adm","type":"date",
    "constraints":{"minimum":"2024-01-01","maximum":"2024-12-31","required":true}},
    {"name":"out","type":"date","constraints":{"minimum":"2024-01-01","maximum":"2024-12-31"}},{"name":"seen",
    "type":"date","constraints":{"minimum":"2024-01-01","maximum":"2024-12-31","required":true}},
    {"name":"los","type":"integer","constraints":{"minimum":0,"maximum":60}},
    {"name":"ward","type":"string","constraints":{"enum":["maternity","surgery"],"required":true}},
    {"name":"sex","type":"string","constraints":{"enum":["female","male"]}},{"name":"a","type":"number",
    "constraints":{"minimum":0,"maximum":100,"required":true},"semblance":{"decimals":1}},{"name":"b",
    "type":"number","constraints":{"minimum":0,"maximum":100,"required":true},"semblance":{"decimals":1}},
    {"name":"rest","type":"number","constraints":{"minimum":0,"maximum":100,"required":true},
    "semblance":{"decimals":1}},{"name":"ratio","type":"number","constraints":{"minimum":0,"maximum":3,
    "required":true},"semblance":{"decimals":3}},
    {"name":"sick","type":"boolean","constraints":{"required":true}}],"semblance":{"label":"sick",
    "constraints":["adm <= out","adm < seen","los = out - adm","if ward = maternity then sex = female",
    "a + b + rest = 100","ratio = a / b","forbid sick = true and los = 0","if sick = false then a <= 50",
    "seen <= out"]}});

static void make_facts(sbl_facts *facts)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, hospital, strlen(hospital), "s.json", &err) != SBL_OK ||
        sbl_facts_of_table(facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

/* Any base rows of the fitted domains, missing values among them. */
static void random_rows(double *base, const sbl_facts *facts, size_t rows, uint64_t seed, bool sick)
{
    const sbl_schema *schema = facts->schema;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    for (size_t i = 0; i < rows * schema->column_count; i++) {
        const size_t c = i % schema->column_count;
        const sbl_column *column = &schema->columns[c];
        const double unit = sbl_model_rng_uniform(&rng);
        if (column->kind == SBL_COLUMN_IGNORED || (column->missing_allowed && unit < 0.1))
            base[i] = NAN;
        else if (column->kind == SBL_COLUMN_CATEGORY)
            base[i] = (double)sbl_model_rng_below(&rng, column->categories.count);
        else
            base[i] = sbl_column_from_unit(column, unit * unit);
        if (c == schema->label && sick) base[i] = 1;
    }
}

static void every_row_holds(const sbl_facts *facts, const double *base, const double *full, size_t rows)
{
    const size_t columns = facts->declared->column_count;
    for (size_t r = 0; r < rows; r++) {
        const double *row = full + r * columns;
        assert_true(sbl_rules_all_hold(facts->rules, base + r * columns, row));
        for (size_t i = 0; i < sbl_rules_count(facts->rules); i++)
            assert_true(sbl_rules_holds(facts->rules, i, row));
        for (size_t c = 0; c < columns; c++) {
            const sbl_column *column = &facts->declared->columns[c];
            if (isnan(row[c]))
                assert_true(column->missing_allowed || column->kind == SBL_COLUMN_IGNORED);
            else if (sbl_column_is_numeric(column))
                assert_true(sbl_column_snap(column, row[c]) == row[c]);
        }
        /* once more, by hand */
        if (!isnan(row[2])) assert_true(row[1] <= row[2] && row[4] == row[2] - row[1]);
        if (!isnan(row[2])) assert_true(row[3] <= row[2]);
        assert_true(row[1] < row[3]);
        assert_true(fabs(row[7] + row[8] + row[9] - 100) < 1e-6);
        assert_true(row[5] != 0 || row[6] == 0 || isnan(row[6]));
    }
}

TEST(all_drawn_rows_hold)
{
    sbl_facts facts;
    make_facts(&facts);
    const size_t columns = facts.declared->column_count, cells = ROWS * columns;
    double *base = calloc(3 * cells, sizeof *base), *full = base + cells, *before = full + cells;
    for (int sick = 0; sick < 2; sick++) {
        const sbl_repair how = {
            .seed = 5, .first = 77, .column = sick ? facts.declared->label : SBL_NO_COLUMN, .code = 1};
        size_t untouched = 0;
        random_rows(base, &facts, ROWS, 3, sick != 0);
        memcpy(before, base, cells * sizeof *base);
        assert_ok(sbl_rules_repair(facts.rules, base, full, ROWS, &how, NULL));
        every_row_holds(&facts, base, full, ROWS);
        for (size_t r = 0; r < ROWS; r++) {
            if (sick) assert_true(full[r * columns + facts.declared->label] == 1);
            sbl_rules_expand(facts.rules, full, before + r * columns); /* full's first row is done */
            if (!sbl_rules_all_hold(facts.rules, before + r * columns, full)) continue;
            /* what holds is left alone, bit for bit, unless it changed places with what did not */
            untouched += memcmp(base + r * columns, before + r * columns, columns * sizeof *base) == 0;
        }
        assert_true(untouched > 10 && untouched < ROWS);
        /* the same again gives the same */
        random_rows(before, &facts, ROWS, 3, sick != 0);
        assert_ok(sbl_rules_repair(facts.rules, before, full, ROWS, &how, NULL));
        assert_memory_equal(base, before, cells * sizeof *base);
    }
    free(base);
    sbl_facts_clear(&facts);
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Columns that know nothing of each other keep the values that they have: ages change places between the
 * wards, and no age becomes more frequent. */
TEST(mended_columns_keep_their_values)
{
    static const char text[] = JSON({"fields":[{"name":"ward","type":"string","constraints":{"enum":["child",
        "adult"],"required":true}},
        {"name":"age","type":"integer","constraints":{"minimum":0,"maximum":99,"required":true}}],
        "semblance":{"constraints":["if ward = child then age < 18"]}});
    const sbl_repair how = {.seed = 5, .column = SBL_NO_COLUMN};
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_schema *schema;
    sbl_model_rng rng;
    double *base = calloc(4 * ROWS, sizeof *base), *full = base + 2 * ROWS;
    double *ages = calloc(2 * ROWS, sizeof *ages), *after = ages + ROWS;
    size_t changed = 0;
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s", NULL));
    assert_ok(sbl_facts_of_table(&facts, schema, NULL));
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, 0);
    for (size_t r = 0; r < ROWS; r++) {
        base[2 * r] = sbl_model_rng_below(&rng, 8) == 0 ? 0 : 1;
        base[2 * r + 1] = ages[r] = (double)sbl_model_rng_below(&rng, r % 3 == 0 ? 18 : 100);
    }
    assert_ok(sbl_rules_repair(facts.rules, base, full, ROWS, &how, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        assert_true(full[2 * r] != 0 || full[2 * r + 1] < 18);
        after[r] = full[2 * r + 1];
        changed += after[r] != ages[r];
    }
    assert_true(changed > ROWS / 10);
    qsort(ages, ROWS, sizeof *ages, by_number);
    qsort(after, ROWS, sizeof *after, by_number);
    assert_memory_equal(ages, after, ROWS * sizeof *ages);
    free(base);
    free(ages);
}

/* One row has nothing to take from: the public domains do. */
TEST(single_rows_hold)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    make_facts(&facts);
    double base[16];
    double full[16];
    for (uint64_t i = 0; i < 300; i++) {
        const sbl_repair how = {.seed = i, .column = SBL_NO_COLUMN};
        random_rows(base, &facts, 1, i, false);
        assert_ok(sbl_rules_repair(facts.rules, base, full, 1, &how, NULL));
        every_row_holds(&facts, base, full, 1);
    }
}

static const char *const lines[] = {
    "real-1,2024-03-01,2024-03-05,2024-03-02,4,maternity,female,10,20,70,0.5,true",
    "real-2,2024-03-09,2024-03-05,2024-01-02,4,surgery,male,10,20,70,0.5,false", /* out < in */
    "real-1,2024-05-01,,2024-05-02,,surgery,,1,2,97,0.5,true",
    "real-2,2024-12-31,2024-01-01,2024-12-30,9,surgery,male,100,100,0,1,false",
    "real-1,x,y,z,w,v,u,t,s,r,q,p",
    "real-1,2024-02-01,2024-03-30,2024-03-02,58,maternity,female,33.3,33.3,33.4,1,true",
};
#define LINES (sizeof lines / sizeof lines[0])

/* The records of these lines, in this order, with the given one first or last. */
static void read_lines(double *numeric, uint32_t *codes, const sbl_facts *facts, bool backwards)
{
    sbl_source *source;
    const sbl_records *batch;
    sbl_error err = {0};
    const char *path = in_folder(folder, "t.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("id,adm,out,seen,los,ward,sex,a,b,rest,ratio,sick\n", file);
    for (size_t i = 0; i < LINES; i++) (void)fprintf(file, "%s\n", lines[backwards ? LINES - 1 - i : i]);
    assert_int_equal(fclose(file), 0);
    if (sbl_source_open_rows(&source, (sbl_table[1]){sbl_csv_table(path)}, facts, NULL, NULL, &err) !=
            SBL_OK ||
        sbl_source_read(source, &batch, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(batch->rows, LINES);
    memcpy(numeric, batch->numeric, LINES * facts->heads.numeric_count * sizeof *numeric);
    memcpy(codes, batch->codes, LINES * facts->heads.categorical_count * sizeof *codes);
    sbl_source_close(source);
}

/* A record's encoded numbers do not hang on the records around it: so no sensitivity changes. */
TEST(differences_are_of_one_record)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    make_facts(&facts);
    const size_t numbers = facts.heads.numeric_count, categories = facts.heads.categorical_count;
    double numeric[LINES * 12], again[LINES * 12];
    uint32_t codes[LINES * 12], codes_again[LINES * 12];
    assert_true(numbers <= 12 && categories <= 12);
    read_lines(numeric, codes, &facts, false);
    read_lines(again, codes_again, &facts, true);
    for (size_t i = 0; i < LINES; i++) {
        assert_memory_equal(numeric + i * numbers, again + (LINES - 1 - i) * numbers,
                            numbers * sizeof *numeric);
        assert_memory_equal(codes + i * categories, codes_again + (LINES - 1 - i) * categories,
                            categories * sizeof *codes);
        for (size_t k = 0; k < numbers; k++)
            assert_true(numeric[i * numbers + k] >= 0 && numeric[i * numbers + k] <= 1);
    }
    /* out is the second number: 4 of 60 days, none where the order is broken */
    assert_true(fabs(numeric[1] - 4.0 / 60) < 1e-12);
    assert_true(numeric[numbers + 1] == 0);
}

/* Neither does an id have a place in the encoded record, nor does a written one come from there. */
TEST(ids_are_not_of_the_data)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_sink *sink;
    sbl_error err = {0};
    make_facts(&facts);
    for (size_t i = 0; i < facts.heads.count; i++) assert_int_not_equal(facts.heads.items[i].column, 0);
    double numeric[LINES * 12];
    uint32_t codes[LINES * 12];
    read_lines(numeric, codes, &facts, false);
    const sbl_drawn drawn = {.numeric = numeric, .codes = codes};
    const char *path = in_folder(folder, "out.csv");
    assert_ok(sbl_sink_open_table(&sink, path, NULL, &facts, true, &err));
    sink->seed = 9;
    if (sbl_sink_write(sink, &drawn, LINES, &err) != SBL_OK || sbl_sink_finish(sink, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_sink_close(sink);
    size_t size;
    FREED(free) char *text = slurp(path, &size);
    assert_non_null(text);
    assert_null(strstr(text, "real-"));
    assert_int_equal(strncmp(text, "id,adm,out,", 11), 0);
    for (char *line = strchr(text, '\n'); line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n'))
        assert_int_equal(strncmp(line + 1, "P-", 2), 0);
}

static sbl_status facts_and_rows(const double *numeric, const uint32_t *codes, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_facts facts = {0};
    sbl_sink *sink = NULL;
    const sbl_drawn drawn = {.numeric = (double *)(uintptr_t)numeric, .codes = (uint32_t *)(uintptr_t)codes};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_parse(&schema, hospital, strlen(hospital), "s.json", err));
    SBL_TRY(sbl_facts_of_table(&facts, schema, err));
    SBL_TRY(sbl_sink_open_table(&sink, in_folder(folder, "m.csv"), NULL, &facts, true, err));
    SBL_TRY(sbl_sink_write(sink, &drawn, LINES, err));
    SBL_TRY(sbl_sink_finish(sink, err));
done:
    sbl_sink_close(sink);
    sbl_facts_clear(&facts);
    return status;
}

/* From the schema to the last row: every failure is said, and leaks nothing. */
TEST(out_of_memory_is_said)
{
    sbl_facts facts;
    double numeric[LINES * 12];
    uint32_t codes[LINES * 12];
    make_facts(&facts);
    read_lines(numeric, codes, &facts, false);
    sbl_facts_clear(&facts);
    for (long n = 0; sbl_test_fail_next(&n);) {
        sbl_error err = {0};
        sbl_test_no_memory(facts_and_rows(numeric, codes, &err));
    }
}

/* A class of which no row can hold is an error, not a row that does not. */
TEST(an_impossible_class_is_refused)
{
    static const char text[] = JSON({"fields":[{"name":"k","type":"boolean","constraints":{"required":true}},
        {"name":"x","type":"integer","constraints":{"minimum":0,"maximum":9,"required":true}}],
        "semblance":{"label":"k","constraints":["k = true"]}});
    double base[2] = {0, 5};
    double full[2];
    sbl_schema *schema;
    sbl_rules *rules;
    sbl_error err = {0};
    const sbl_repair how = {.column = 0, .code = 0};
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    assert_ok(sbl_rules_new(&rules, schema, &err));
    assert_int_equal(sbl_rules_repair(rules, base, full, 1, &how, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "no row of that class"));
    sbl_rules_free(rules);
    sbl_schema_free(schema);
}

ALL_TESTS(make_folder, remove_folder)
