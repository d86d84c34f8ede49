/* SPDX-License-Identifier: Apache-2.0 */
/* A first schema from a table: types, bounds, categories, and how the file is written. Whatever is
 * inspected, our own parser takes it, and the table fits it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owner/inspect/inspect.h"
#include "records/formats/diagnose.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

FREES(sbl_schema_free);

static const sbl_data_options nothing_said = {0};

static double epsilon_of(uint64_t rows) { return 2.0 * (double)rows; }

/* The schema of a table as it is written, which is in t.csv then. free() */
static char *inspected_text(const char *bytes, size_t size, sbl_text *notes)
{
    const char *path = in_folder(folder, "t.csv");
    char *text;
    sbl_error err = {0};
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    if (sbl_table_inspect(&text, notes, (sbl_table[1]){sbl_csv_table(path)}, &nothing_said, epsilon_of,
                          &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_non_null(strstr(text, "NOT PRIVATE"));
    return text;
}

static sbl_schema *inspected_bytes(const char *bytes, size_t size, sbl_text *notes)
{
    char *text = inspected_text(bytes, size, notes);
    const char *path = in_folder(folder, "t.csv");
    sbl_error err = {0};
    sbl_schema *schema = kit_schema(text);
    free(text);
    /* The table fits its own schema. */
    sbl_diagnosis d;
    if (sbl_table_diagnose(&d, (sbl_table[1]){sbl_csv_table(path)}, schema, NULL, NULL, &err) != SBL_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind != SBL_COLUMN_IGNORED)
            for (int fault = SBL_CELL_MISSING_REQUIRED; fault < SBL_CELL_FAULT_COUNT; fault++)
                if (d.columns[i].cells[fault] * 20 > d.rows)
                    fail_msg("%s: %s", schema->columns[i].name, sbl_cell_fault_name((sbl_cell_fault)fault));
    sbl_diagnosis_clear(&d);
    return schema;
}

static sbl_schema *inspected(const char *text, sbl_text *notes)
{
    return inspected_bytes(text, strlen(text), notes);
}

TEST(types_and_bounds_are_read_off)
{
    static char table[1 << 16];
    size_t length = (size_t)sprintf(table, "id,age,pay,town,born,seen,name,nothing,code,sick\n");
    for (int r = 0; r < 400; r++)
        length += (size_t)sprintf(table + length,
                                  "%d,%s%d,%d.%02d,%s,19%02d-0%d-1%d,2024-01-0%dT0%d:30:00,N%dx%d,,00%d,%s\n",
                                  1000 + r, r % 50 == 0 ? "" : "", 18 + r % 70, 100 + r * 13, r % 100,
                                  r % 3 == 0   ? "Ayr"
                                  : r % 3 == 1 ? "Bath"
                                               : "NA",
                                  40 + r % 50, 1 + r % 9, r % 10, 1 + r % 9, r % 10, r, r * 7, 10 + r % 5,
                                  r % 2 == 0 ? "yes" : "no");
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free) sbl_schema *s = inspected(table, &notes);
    assert_int_equal(s->column_count, 10);
    assert_int_equal(s->columns[1].type, SBL_TYPE_INTEGER);
    assert_true(s->columns[1].minimum == 18 && s->columns[1].maximum == 87);
    assert_int_equal(s->columns[2].type, SBL_TYPE_NUMBER);
    assert_int_equal(s->columns[2].decimals, 2);
    assert_true(s->columns[2].minimum == 100 && s->columns[2].maximum == 5300);
    assert_int_equal(s->columns[3].kind, SBL_COLUMN_CATEGORY);
    assert_int_equal(s->columns[3].categories.count, 2);
    assert_true(s->columns[3].missing_allowed);
    assert_int_equal(s->columns[4].kind, SBL_COLUMN_DATE);
    assert_int_equal(s->columns[5].kind, SBL_COLUMN_DATETIME);
    assert_int_equal(s->columns[6].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->columns[7].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->columns[8].kind, SBL_COLUMN_CATEGORY); /* leading zeros: codes */
    assert_int_equal(s->columns[9].kind, SBL_COLUMN_CATEGORY);
    assert_false(s->columns[9].missing_allowed);
    assert_non_null(strstr(notes.data, "name: many different texts"));
    assert_non_null(strstr(notes.data, "nothing: holds nothing"));
}

TEST(dialects_are_found)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    sbl_schema *s = inspected(
        "# from the till\nd;pay;town\n31.01.2024;1.234,50;K\xf6ln\n"
        "15.02.2024;2,25;Ulm\n01.03.2024;7,00;Ulm\n",
        &notes);
    assert_int_equal(s->dialect.delimiter, ';');
    assert_int_equal(s->dialect.comment, '#');
    assert_string_equal(s->dialect.encoding, "windows-1252");
    assert_string_equal(s->columns[0].format, "%d.%m.%Y");
    assert_int_equal(s->columns[1].decimal_char, ',');
    assert_true(s->columns[1].maximum >= 1234.5);
    assert_string_equal(s->columns[2].categories.items[0], "K\xc3\xb6ln");
    sbl_schema_free(s);
    s = inspected("1\t$5,000\tx\n2\t$1,250\ty\n3\t$7\tx\n", &notes);
    assert_false(s->dialect.header);
    assert_int_equal(s->dialect.delimiter, '\t');
    assert_string_equal(s->columns[1].name, "column_2");
    assert_true(s->columns[1].maximum == 5000 && !s->columns[1].bare);
    sbl_schema_free(s);
    static const char wide[] =
        "\xff\xfe"
        "a\0,\0b\0\n\0001\0,\0x\0\n\0002\0,\0y\0\n\0003\0,\0y\0\n";
    s = inspected_bytes(wide, sizeof wide, &notes);
    assert_string_equal(s->dialect.encoding, "utf-16");
    assert_string_equal(s->columns[1].name, "b");
    sbl_schema_free(s);
}

TEST(spikes_and_rare_categories_are_named)
{
    static char table[1 << 15];
    size_t length = (size_t)sprintf(table, "hours,town\n");
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    for (int r = 0; r < 300; r++)
        length += (size_t)sprintf(table + length, "%d,%s\n", r % 2 == 0 ? 0 : r, r == 7 ? "Rare" : "Often");
    FREED(sbl_schema_free) sbl_schema *s = inspected(table, &notes);
    assert_int_equal(s->proposals.count, 1);
    assert_string_equal(s->proposals.items[0], "spikes: hours: 50 % of the rows hold 0");
    assert_false(s->columns[0].log_transform);
    assert_non_null(strstr(notes.data, "town: 1 of its 2 categories were seen fewer than 10"));
}

/* Long tails above get a logarithmic scale, with or without a spike; a bell, an even spread, a tail below
 * and one wrong value far off do not. */
TEST(skewed_columns_are_put_on_a_logarithmic_scale)
{
    enum { ROWS = 600 };
    static char table[ROWS * 80];
    static const bool expected[] = {true, true, false, false, false, false};
    size_t length = (size_t)sprintf(table, "cost,icu,even,bell,below,wrong\n");
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    for (int r = 0; r < ROWS; r++) {
        const double part = (r * 37 % ROWS + 0.5) / ROWS; /* every part once, mixed up */
        const double tail = -log(1 - part);
        const double bell = log(part / (1 - part)); /* logistic */
        length += (size_t)sprintf(table + length, "%.2f,%.1f,%.2f,%.2f,%.2f,%.2f\n", 800 * pow(tail, 1.5),
                                  r % 5 == 0 ? 60 * pow(tail, 1.5) : 0.0, 100 * part, 100 + 5 * bell,
                                  100 - 8 * pow(tail, 1.5), r == 9 ? 1e6 : 100 + 5 * bell);
    }
    FREED(sbl_schema_free) sbl_schema *s = inspected(table, &notes);
    for (size_t c = 0; c < 6; c++) assert_true(s->columns[c].log_transform == expected[c]);
    assert_non_null(strstr(notes.data, "cost: most values lie at the lower end"));
    assert_int_equal(s->proposals.count, 1);
    assert_string_equal(s->proposals.items[0], "spikes: icu: 80 % of the rows hold 0");
}

/* One table of many rows, from a header and a row's text of its number. */
static char *table_of(const char *head, void (*row)(char *text, int r), int rows)
{
    static char table[1 << 16];
    char text[512];
    size_t length = (size_t)sprintf(table, "%s\n", head);
    for (int r = 0; r < rows; r++) {
        row(text, r);
        length += (size_t)sprintf(table + length, "%s\n", text);
    }
    return table;
}

static void odd_row(char *text, int r)
{
    char wide[320]; /* -9e307, which is too far from 9e307 */
    sprintf(wide, "-9%0307d.5", 0);
    sprintf(text, "%d,9%015d,%d000000000.123456789,%s", r, r * 7, r % 9 + 1,
            r % 3 == 0   ? "5"
            : r % 3 == 1 ? wide + 1
                         : wide);
}

/* Card numbers, more digits than a double has, a range that is none: each costs itself at most. */
TEST(columns_that_no_schema_holds_are_left_out)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free) sbl_schema *s = inspected(table_of("n,card,fine,wide", odd_row, 100), &notes);
    assert_int_equal(s->column_count, 4);
    assert_int_equal(s->columns[0].type, SBL_TYPE_INTEGER);
    assert_int_equal(s->columns[1].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->columns[2].kind, SBL_COLUMN_NUMBER);
    assert_int_equal(s->columns[3].kind, SBL_COLUMN_IGNORED);
    assert_non_null(strstr(notes.data, "card: whole numbers of 16 digits or more"));
    assert_non_null(strstr(notes.data, "wide: no schema can hold what it seems to be"));
}

static void marked_row(char *text, int r)
{
    static const char *const marks[] = {"n/a", "NONE", "-", "?", "nAn", "Null"};
    static const char *const grades[] = {"none", "mild", "N/a", "severe"};
    if (r % 10 == 0)
        sprintf(text, "%s,%s,%s", marks[r / 10 % 6], grades[r % 4], r % 20 == 0 ? "+" : "-");
    else
        sprintf(text, "%d,%s,%s", r, grades[r % 4], r % 3 == 0 ? "+" : "-");
}

/* "none" and "-" are values where the others are texts. */
TEST(missing_marks_are_known_in_any_case)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free) sbl_schema *s = inspected(table_of("n,grade,rhesus", marked_row, 240), &notes);
    assert_int_equal(s->columns[0].type, SBL_TYPE_INTEGER);
    assert_true(s->columns[0].missing_allowed);
    assert_true(sbl_strings_contain(&s->columns[0].missing_values, "nAn"));
    assert_int_equal(s->columns[1].categories.count, 3);
    assert_true(sbl_strings_contain(&s->columns[1].categories, "none"));
    assert_true(s->columns[1].missing_allowed);
    assert_int_equal(s->columns[2].categories.count, 2);
    assert_false(s->columns[2].missing_allowed);
}

static void text_row(char *text, int r)
{
    const char *often = r % 4 == 1 ? "not asked" : NULL;
    char number[16];
    sprintf(number, "%d", r);
    sprintf(text, "%s,%s,%s,%s", r == 7 ? "many" : number, often != NULL ? often : number,
            r == 3   ? "some"
            : r == 5 ? "more"
                     : number,
            r == 4 ? "later" : "2024-01-05");
}

TEST(numbers_but_for_a_text_are_numbers_and_said_so)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free) sbl_schema *s = inspected(table_of("once,often,two,day", text_row, 100), &notes);
    for (size_t c = 0; c < 3; c++) assert_int_equal(s->columns[c].type, SBL_TYPE_INTEGER);
    assert_int_equal(s->columns[3].type, SBL_TYPE_DATE);
    assert_true(sbl_strings_contain(&s->columns[1].missing_values, "not asked"));
    assert_non_null(strstr(notes.data, "once: numbers but for one text, in 1 of 100 rows (first in row 8)"));
    assert_non_null(strstr(notes.data, "often: numbers but for one text, in 25 of 100 rows"));
    assert_non_null(strstr(notes.data, "two: numbers but for 2 of 100 rows"));
    assert_non_null(strstr(notes.data, "day: dates but for one text, in 1 of 100 rows"));
    assert_null(strstr(notes.data, "many"));
}

static bool proposes(const sbl_schema *s, const char *words)
{
    for (size_t i = 0; i < s->proposals.count; i++)
        if (strstr(s->proposals.items[i], words) != NULL) return true;
    return false;
}

static void visit_row(char *text, int r)
{
    sprintf(text, "V-%04d,%08x-1111-4222-8333-%012x,P%03d,%d,D%02d,%d,Ann %c%c%c", r, r * 77, r, r * 7 % 60,
            r * 7 % 60, r % 25, 20 + r * 13 % 60, 'a' + r % 26, 'a' + r / 26 % 26, 'a' + r / 9 % 26);
}

/* A person's column is the unit, another that repeats is named, what differs in every row is an id; an age
 * is neither, and a name is made up. */
TEST(columns_that_name_somebody_are_proposed)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free)
    sbl_schema *s = inspected(
        table_of("visit,link,doctor_id,patientNr,device,patient_age,PatientName", visit_row, 600), &notes);
    assert_true(proposes(s,
                         "unit: patientNr: values repeat, one of them in 10 rows: if it says "
                         "whose row it is, set semblance.unit: without it a person with 10 rows "
                         "has epsilon 20 where a row has epsilon 1 (delta 1e-6)"));
    assert_true(proposes(s, "id: visit: no two rows share a value"));
    assert_true(proposes(s, "id: link: no two rows share a value"));
    assert_true(proposes(s, "per: patient_age: all rows of a person hold the same value"));
    assert_true(proposes(s, "fake: PatientName: names of people"));
    assert_int_equal(s->proposals.count, 5);
    assert_non_null(strstr(notes.data, "doctor_id: values repeat, one of them in 10 rows"));
    assert_null(strstr(notes.data, "patient_age: values repeat"));
    assert_null(strstr(notes.data, "device: values repeat"));
}

/* Person r / 8 or, mixed, r % 90: sex and year of birth, but for one row, are the person's; days rise. */
static void stay_of(char *text, int person, int turn, bool odd)
{
    const int day = 1 + turn * 3 + person % 4;
    sprintf(text, "P%03d,%s,%d,2024-0%d-%02d,2024-0%d-%02d,%s,%d", person,
            (person * 7 % 10 < 5) != odd ? "f" : "m", 1940 + person * 37 % 60, 1 + person % 5, day,
            1 + person % 5, day + 1 + person * turn % 3, (person + turn * 5) % 3 ? "eyes" : "skin",
            (person * 13 + turn * 29) % 50 == 0);
}

static void stay_row(char *text, int r) { stay_of(text, r / 8, r % 8, r == 5); }
static void mixed_row(char *text, int r) { stay_of(text, r % 90, r * 7 / 90 * 5 % 8, r == 95); }
static void heavy_row(char *text, int r) { stay_of(text, r < 70 ? 0 : r % 30, r % 9, false); }

static void latest_first(char *text, int r) { stay_of(text, r / 8, 7 - r % 8, r == 5); }

/* What is the same for a person and differs between persons, and what orders the rows. A date orders them if the
 * file is in its order or in the opposite one; otherwise a note gives the share of steps in which it rises. A flag
 * that is hardly ever set is not the person's. */
TEST(what_is_the_persons_and_what_orders_rows_are_proposed)
{
    static const char names[] = "patient,sex,born,came,left,ward,died";
    static void (*const rows[])(char *, int) = {stay_row, latest_first, mixed_row};
    for (size_t i = 0; i < 3; i++) {
        CLEARED(sbl_text_clear) sbl_text notes = {0};
        FREED(sbl_schema_free) sbl_schema *s = inspected(table_of(names, rows[i], 720), &notes);
        assert_true(proposes(s, "per: sex: differs between the rows of 1 of 90 persons"));
        assert_true(proposes(s, "per: born: all rows of a person hold the same value"));
        assert_int_equal(proposes(s, "order: came: may order the rows of a person; it rises in 100 % of the"),
                         i == 0);
        assert_int_equal(proposes(s, "order: came: may order the rows of a person; it falls in 100 % of the"),
                         i == 1);
        assert_int_equal(
            strstr(notes.data, "came: rises in 63 % of the steps from one row of a person") != NULL, i == 2);
        assert_int_equal(proposes(s, "order: "), i < 2);
        assert_false(proposes(s, "per: ward") || proposes(s, "per: died") || proposes(s, "per: came") ||
                     proposes(s, "order: left"));
    }
}

TEST(the_number_of_rows_that_count_holds_everybody)
{
    static const char names[] = "patient,sex,born,came,left,ward,died";
    static const struct {
        void (*row)(char *, int);
        const char *rows;
    } cases[] = {{stay_row, "\"max_rows_per_unit\": 50"}, {heavy_row, "\"max_rows_per_unit\": 128"}};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(sbl_text_clear) sbl_text notes = {0};
        const char *table = table_of(names, cases[i].row, 700);
        FREED(free) char *text = inspected_text(table, strlen(table), &notes);
        assert_non_null(strstr(text, cases[i].rows));
    }
}

static void stepped_row(char *text, int r)
{
    static const char *const odd[] = {"77", "99", "12"};
    sprintf(text, "%d,%d.%02d,%d,%d,%d,%s", r * 7 % 31 * 10, r % 40, r * 3 % 4 * 25,
            r % 20 == 3 ? 999 : r * 11 % 9 * 10, r % 25 == 4 ? -1 : r * 13 % 80, r % 50 == 1 ? 99 : r % 98,
            odd[r % 3]);
}

/* Tens, quarters, and tens but for 999; -1 among what is never negative is a code, 99 after 97 is none. */
TEST(steps_and_codes_far_off_are_proposed)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free)
    sbl_schema *s = inspected(table_of("dose,hours,score,count,age,odd", stepped_row, 600), &notes);
    assert_true(proposes(s, "step: dose: every value is a multiple of 10"));
    assert_true(proposes(s, "step: hours: every value is a multiple of 0.25"));
    assert_true(proposes(s, "step: score: every value but codes is a multiple of 10"));
    assert_true(proposes(s,
                         "spikes: score: 5 % of the rows hold 999; all else lies between 0 and "
                         "80, so that 999 looks like a code"));
    assert_true(proposes(s, "spikes: count: 4 % of the rows hold -1; all else lies between 0 and 79"));
    for (size_t i = 0; i < s->proposals.count; i++) {
        assert_null(strstr(s->proposals.items[i], "age"));
        assert_null(strstr(s->proposals.items[i], "odd"));
    }
}

static void short_date_row(char *text, int r)
{
    sprintf(text, "%d.%d.%02d,%02d.%02d.%02d", 1 + r % 28, 1 + r % 12, r % 100, 1 + r % 28, 1 + r % 12,
            20 + r % 4);
}

TEST(years_of_two_digits_are_dates)
{
    CLEARED(sbl_text_clear) sbl_text notes = {0};
    FREED(sbl_schema_free) sbl_schema *s = inspected(table_of("born,seen", short_date_row, 200), &notes);
    for (size_t c = 0; c < 2; c++) {
        assert_int_equal(s->columns[c].type, SBL_TYPE_DATE);
        assert_string_equal(s->columns[c].format, "%d.%m.%y");
    }
    assert_non_null(strstr(notes.data, "born: years of two digits"));
}

/* The table fits its schema, which inspected() sees to: the reader skips them, too. */
TEST(lines_above_the_header_are_skipped)
{
    static const struct {
        const char *text;
        unsigned titles;
    } cases[] = {{"sep=;\na;b\n1;x\n2;y\n3;x\n", 1},
                 {"sep=;\r\na;b\r\n1;x\r\n2;y\r\n3;x\r\n", 1},
                 {"A report, of \"2024\n\na;b;c\n1;x;2\n2;y;2\n3;x;3\n", 2},
                 {"Report;;\n;;\na;b;c\n1;x;2\n2;y;2\n3;x;3\n", 2},
                 {"# till\nReport\na;b;c\n1;x;2\n2;y;2\n3;x;3\n", 2},
                 {"a;b;c\n1;x;2\n2;y;2\n3;x;3\n", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CLEARED(sbl_text_clear) sbl_text notes = {0};
        FREED(sbl_schema_free) sbl_schema *s = inspected(cases[i].text, &notes);
        assert_int_equal(s->dialect.delimiter, ';');
        assert_int_equal(s->dialect.titles, cases[i].titles);
        assert_true(s->dialect.header);
        assert_string_equal(s->columns[1].name, "b");
        assert_true((cases[i].titles > 0) ==
                    (notes.data != NULL && strstr(notes.data, "column names are in line") != NULL));
    }
}

TEST(first_line_of_data_is_said_to_be_no_header)
{
    sbl_text notes = {0};
    sbl_schema *s = inspected("Ayr,01.02.2024\nBath,02.02.2024\nCork,05.02.2024\n", &notes);
    assert_false(s->dialect.header);
    assert_non_null(strstr(notes.data, "line 1 is not a header"));
    sbl_schema_free(s);
    sbl_text_clear(&notes);
    /* A column of row numbers has no name, and is left out. */
    s = inspected(",a,b\n0,5,x\n1,6,y\n2,7,x\n", &notes);
    assert_true(s->dialect.header);
    assert_int_equal(s->column_count, 2);
    assert_non_null(strstr(notes.data, "column 1 has no name in the header: left out"));
    sbl_schema_free(s);
    sbl_text_clear(&notes);
}

TEST(what_is_no_table_is_refused)
{
    static const struct {
        const char *text;
        size_t size;
        const char *words;
    } cases[] = {{"", 0, "empty"},
                 {"a,b\n", 4, "no rows"},
                 {"PK\3\4....", 8, "spreadsheet"},
                 {"a,b\n1\0,2\n", 9, "binary"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = in_folder(folder, "bad.csv");
        CLEARED(sbl_text_clear) sbl_text notes = {0};
        sbl_error err = {0};
        char *text;
        FILE *file = fopen(path, "w");
        assert_true(file != NULL && fwrite(cases[i].text, 1, cases[i].size, file) == cases[i].size &&
                    fclose(file) == 0);
        assert_int_equal(sbl_table_inspect(&text, &notes, (sbl_table[1]){sbl_csv_table(path)}, &nothing_said,
                                           epsilon_of, &err),
                         SBL_EINPUT);
        if (strstr(err.message, cases[i].words) == NULL) fail_msg("%s", err.message);
    }
}

ALL_TESTS(make_folder, remove_folder)
