/* SPDX-License-Identifier: Apache-2.0 */
/* The owner's diagnosis: right counts, marked NOT PRIVATE, and no cell in it. */
#include <stdio.h>
#include <string.h>

#include "records/formats/diagnose.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);

static const char *write_text(const char *text)
{
    const char *path = in_folder(folder, "t.csv");
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static const char troubled[] =
    "a,b,c\n"
    "1,x,0.5\n"
    "SECRET,SECRET,SECRET\n" /* unparseable, unknown, unparseable */
    "101,y,-1\n"             /* out of range twice */
    ",,\n"                   /* missing */
    "5\n"                    /* too few */
    "6,x,0,extra\n"          /* too many */
    "\n"                     /* missing, then too few */
    "7,\"x\"x,1\n"           /* a stray quote */
    "8,x,1\",\"\n\n\"\n";    /* a stray quote, too many, three lines */

static sbl_status diagnose(sbl_diagnosis *d, const char *path, const sbl_schema *schema,
                           const sbl_table_options *options, sbl_error *err)
{
    const sbl_table table = sbl_csv_table(path);
    return sbl_table_diagnose(d, &table, schema, options, NULL, err);
}

TEST(faults_are_counted_per_column)
{
    sbl_diagnosis d;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    /* Small chunks: a record that is read again after a refill is counted once. */
    for (size_t chunk = 1; chunk < 70; chunk += 4) {
        const sbl_table_options options = {.chunk = chunk, .record_limit = 64};
        assert_ok(diagnose(&d, write_text(troubled), schema, &options, NULL));
        assert_int_equal(d.rows, 9);
        assert_int_equal(d.rows_with_few_cells, 2);
        assert_int_equal(d.rows_with_extra_cells, 2);
        assert_int_equal(d.rows_with_odd_quotes, 2);
        assert_int_equal(d.rows_of_several_lines, 1);
        assert_int_equal(d.rows_too_long, 0);
        const uint64_t *a = d.columns[0].cells;
        const uint64_t *b = d.columns[1].cells;
        const uint64_t *c = d.columns[2].cells;
        assert_int_equal(a[SBL_CELL_UNPARSEABLE], 1);
        assert_int_equal(a[SBL_CELL_OUT_OF_RANGE], 1);
        assert_int_equal(a[SBL_CELL_MISSING], 2);
        assert_int_equal(a[SBL_CELL_GOOD], 5);
        assert_int_equal(b[SBL_CELL_UNKNOWN], 1);
        assert_int_equal(b[SBL_CELL_UNPARSEABLE], 1);
        assert_int_equal(b[SBL_CELL_ABSENT], 2);
        assert_int_equal(b[SBL_CELL_MISSING], 1);
        assert_int_equal(b[SBL_CELL_GOOD], 4);
        assert_int_equal(c[SBL_CELL_OUT_OF_RANGE], 1);
        assert_int_equal(c[SBL_CELL_ABSENT], 2);
        sbl_diagnosis_clear(&d);
    }
}

/* An infinity is a number beyond the bounds, like 1e999. */
TEST(infinities_are_out_of_range)
{
    static const char text[] =
        "a,b,c\n"
        "inf,x,-inf\n"
        "Infinity,x,+INF\n"
        "1e999,x,-1e999\n"
        "infi,x,in\n"
        "-,x,--inf\n"
        "nan,inf,infinity1\n";
    sbl_diagnosis d;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_ok(diagnose(&d, write_text(text), schema, NULL, NULL));
    assert_int_equal(d.columns[0].cells[SBL_CELL_OUT_OF_RANGE], 3);
    assert_int_equal(d.columns[2].cells[SBL_CELL_OUT_OF_RANGE], 3);
    assert_int_equal(d.columns[1].cells[SBL_CELL_UNKNOWN], 1);
    assert_int_equal(d.columns[0].cells[SBL_CELL_GOOD], 0);
    assert_int_equal(d.columns[2].cells[SBL_CELL_UNPARSEABLE], 3);
    sbl_diagnosis_clear(&d);
}

TEST(description_is_marked_and_shows_no_cell)
{
    sbl_diagnosis d;
    sbl_text text = {0};
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_ok(diagnose(&d, write_text(troubled), schema, NULL, NULL));
    sbl_diagnosis_describe(&text, &d, schema);
    assert_string_equal(text.data,
                        "NOT PRIVATE: these counts come from the records; do not pass them on\n"
                        "9 rows\n"
                        "2 rows have too few cells\n"
                        "2 rows have too many cells\n"
                        "2 rows have quotes in places where CSV has none\n"
                        "1 rows have cells of several lines\n"
                        "a: 2 missing, 1 unparseable, 1 out of range\n"
                        "b: 1 missing, 1 unparseable, 1 unknown category, 2 cell not there\n"
                        "c: 1 missing, 2 unparseable, 1 out of range, 2 cell not there\n");
    sbl_text_clear(&text);
    sbl_diagnosis_clear(&d);
    assert_ok(diagnose(&d, write_text("a,b,c\n1,x,0\n"), schema, NULL, NULL));
    sbl_diagnosis_describe(&text, &d, schema);
    assert_non_null(strstr(text.data, "c: all cells good\n"));
    sbl_text_clear(&text);
    sbl_diagnosis_clear(&d);
}

TEST(required_and_overlong_are_counted)
{
    sbl_diagnosis d;
    FREED(sbl_schema_free)
    sbl_schema *schema = kit_schema(
        "{\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":100,\"required\":true}}]}");
    const sbl_table_options options = {.record_limit = 8};
    assert_ok(diagnose(&d, write_text("a\n\n0123456789\n5\n"), schema, &options, NULL));
    assert_int_equal(d.rows, 3);
    assert_int_equal(d.rows_too_long, 1);
    assert_int_equal(d.columns[0].cells[SBL_CELL_MISSING_REQUIRED], 1);
    assert_int_equal(d.columns[0].cells[SBL_CELL_UNPARSEABLE], 1);
    sbl_diagnosis_clear(&d);
}

/* A long record with odd quotes and line ends is counted as what it is. */
TEST(overlong_record_is_looked_through)
{
    sbl_diagnosis d;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    const sbl_table_options options = {.record_limit = 8, .chunk = 4};
    assert_ok(diagnose(&d, write_text("a,b,c\n1,\"x\n\"\"\ny\",0\n2,x\"yyyyyy,0\n"), schema, &options, NULL));
    assert_int_equal(d.rows, 2);
    assert_int_equal(d.rows_too_long, 2);
    assert_int_equal(d.rows_with_odd_quotes, 1);
    assert_int_equal(d.rows_of_several_lines, 1);
    sbl_diagnosis_clear(&d);
}

TEST(open_quote_is_found_for_the_owner)
{
    sbl_diagnosis d;
    sbl_error err = {0};
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_int_equal(diagnose(&d, write_text("a,b,c\n1,x,0\n2,\"SECRET,0\n3,x,0\n"), schema, NULL, &err),
                     SBL_EINPUT);
    assert_non_null(strstr(err.message, "opens in record 2 after the header (NOT PRIVATE)"));
    assert_null(strstr(err.message, "SECRET"));
    sbl_diagnosis_clear(&d);
}

TEST(container_fault_is_reported)
{
    sbl_diagnosis d;
    FREED(sbl_schema_free) sbl_schema *schema = kit_abc();
    assert_int_equal(diagnose(&d, write_text(""), schema, NULL, NULL), SBL_EINPUT);
    sbl_diagnosis_clear(&d);
}

ALL_TESTS(make_folder, remove_folder)
