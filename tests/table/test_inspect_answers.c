/* SPDX-License-Identifier: Apache-2.0 */
/* What inspection says of small tables whose right answers are known: kinds, ids, persons, rules and shapes,
 * and the mistakes that an owner would not forgive. A table is one line per column, what is proposed, and which
 * columns have a note; the words of proposals and notes are not compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "owner/inspect/inspect.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "table/table_kit.h"

static sbl_data_options said; /* what the caller gives; a test that gives something takes it back */

static sbl_status inspect(char **text, sbl_text *notes, const char *path, sbl_error *err)
{
    return sbl_table_inspect(text, notes, (sbl_table[1]){sbl_csv_table(path)}, &said, NULL, err);
}

static void show_column(sbl_text *shown, const sbl_column *c)
{
    sbl_text_printf(shown, "%s: ", c->name);
    if (c->kind == SBL_COLUMN_NUMBER)
        sbl_text_printf(shown, "%g to %g, %d decimals%s", c->minimum, c->maximum, c->decimals,
                        c->log_transform ? ", log" : "");
    else if (c->kind == SBL_COLUMN_DATE)
        sbl_text_printf(shown, "date %s", c->format != NULL ? c->format : "ISO");
    else if (c->kind == SBL_COLUMN_CATEGORY && c->categories.count > 8)
        sbl_text_printf(shown, "%zu categories", c->categories.count);
    else if (c->kind == SBL_COLUMN_CATEGORY)
        for (size_t i = 0; i < c->categories.count; i++)
            sbl_text_printf(shown, "%s%s", i > 0 ? "|" : "", c->categories.items[i]);
    else
        sbl_text_printf(shown, "%s", c->kind == SBL_COLUMN_IGNORED ? "ignored" : "?");
    const bool may_miss = c->kind != SBL_COLUMN_IGNORED && c->missing_allowed;
    sbl_text_printf(shown, "%s\n", may_miss ? ", may be missing" : "");
}

/* Up to the second ": ", behind which there are only words. */
static void show_proposal(sbl_text *shown, const char *proposal)
{
    const char *first = strstr(proposal, ": ");
    const char *second = first != NULL ? strstr(first + 2, ": ") : NULL;
    const size_t length = second != NULL ? (size_t)(second - proposal) : strlen(proposal);
    sbl_text_printf(shown, "> %.*s\n", (int)length, proposal);
}

static void show_notes(sbl_text *shown, const char *notes)
{
    for (const char *line = notes; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        sbl_text_printf(shown, "! %.*s\n", (int)strcspn(line, ":"), line);
}

typedef void row_maker(char *text, int r);

static void expect(const char *head, row_maker *row, int rows, const char *expected)
{
    const char *path = in_folder(folder, "t.csv");
    FILE *file = fopen(path, "w");
    sbl_text notes = {0}, shown = {0};
    sbl_error err = {0};
    char cells[512], *text;
    assert_non_null(file);
    fprintf(file, "%s\n", head);
    for (int r = 0; r < rows; r++) {
        row(cells, r);
        fprintf(file, "%s\n", cells);
    }
    assert_int_equal(fclose(file), 0);
    assert_ok_or_say(inspect(&text, &notes, path, &err));
    sbl_schema *schema = kit_schema(text);
    for (size_t c = 0; c < schema->column_count; c++) show_column(&shown, &schema->columns[c]);
    for (size_t i = 0; i < schema->proposals.count; i++) show_proposal(&shown, schema->proposals.items[i]);
    show_notes(&shown, notes.data);
    assert_string_equal(shown.data, expected);
    sbl_schema_free(schema);
    sbl_text_clear(&shown);
    sbl_text_clear(&notes);
    free(text);
}

/* ---- what a column is (inspect_decide.c) ---- */

static void code_row(char *text, int r)
{
    static const char *const sizes[] = {"S", "M", "L"};
    sprintf(text, "0%d,%d,%d,%s,%d,%d%%", 1000 + r % 7, 2019 + r % 6, r % 2, sizes[r * 5 % 3], 1 + r * 7 % 5,
            r * 37 % 100);
}

/* A code that loses its zero, and a year that becomes a date, are wrong in every synthetic row. */
TEST(codes_keep_their_zeros_years_are_numbers_and_flags_two_categories)
{
    expect("zip,year,flag,size,grade,part", code_row, 210,
           "zip: 01000|01001|01002|01003|01004|01005|01006\n"
           "year: 2000 to 2100, 0 decimals\n"
           "flag: 0|1\n"
           "size: L|M|S\n"
           "grade: 1 to 5, 0 decimals\n"
           "part: 0 to 99, 0 decimals\n");
}

static void day_row(char *text, int r)
{
    sprintf(text, "%02d/%02d/2024,%02d/%02d/2024,%02d/%02d/2024,2024-%02d-%02d", 1 + r % 12, 1 + r * 5 % 12,
            1 + r % 28, 1 + r * 5 % 12, 1 + r * 5 % 12, 1 + r % 28, 1 + r * 5 % 12, 1 + r % 28);
}

/* Only where no day is above 12 may days and months be mixed up, and only then is there a note. */
TEST(days_and_months_are_told_apart_by_what_is_above_twelve)
{
    expect("either,day_first,month_first,iso", day_row, 120,
           "either: date %d/%m/%Y\n"
           "day_first: date %d/%m/%Y\n"
           "month_first: date %m/%d/%Y\n"
           "iso: date ISO\n"
           "! either\n");
}

static void gap_row(char *text, int r)
{
    static const char *const stages[] = {"I", "II", "NA"};
    char number[16], whole[16];
    sprintf(number, "%d.5", 1 + r * 7 % 17);
    sprintf(whole, "%d", r * 5 % 33);
    sprintf(text, "%s,%s,%s,%s", r % 10 == 0 ? "" : number, r % 10 == 1 ? "n/a" : whole, stages[r % 3],
            r % 4 == 0 ? "-" : "+");
}

/* A mark that means missing is not a category, does not make numbers texts, and is noted; "-" beside "+" is a value. */
TEST(missing_values_are_neither_categories_nor_texts)
{
    expect("empty,mark,stage,sign", gap_row, 120,
           "empty: 1.5 to 18, 1 decimals, may be missing\n"
           "mark: 0 to 32, 0 decimals, may be missing\n"
           "stage: I|II, may be missing\n"
           "sign: +|-\n"
           "> step: empty\n"
           "! mark\n"
           "! stage\n");
}

/* ---- how numbers lie (inspect_shape.c) ---- */

/* Of 100 rows 10 hold 0 in `rare` and 11 in `often`; 4 hold 999 in `few` and 5 in `coded`. */
static void spike_row(char *text, int r)
{
    sprintf(text, "%d,%d,%d,%d", r < 10 ? 0 : 1 + r * 37 % 97, r > 88 ? 0 : 1 + r * 53 % 97,
            r % 25 == 7 ? 999 : 1 + r * 29 % 97, r % 20 == 3 ? 999 : 1 + r * 71 % 97);
}

TEST(a_spike_is_more_than_a_tenth_and_a_code_five_rows_far_off)
{
    expect("rare,often,few,coded", spike_row, 100,
           "rare: 0 to 97, 0 decimals\n"
           "often: 0 to 97, 0 decimals\n"
           "few: 1 to 1000, 0 decimals\n"
           "coded: 1 to 1000, 0 decimals\n"
           "> spikes: often\n"
           "> spikes: coded\n");
}

/* Tens that come by chance once in a thousand are no step; those of every row are. */
static void step_row(char *text, int r)
{
    sprintf(text, "%d,%d,%d", r * 7 % 31 * 10, r == 150 ? 13 : r * 7 % 31 * 10, r % 3 * 10);
}

TEST(a_step_is_kept_by_every_value_or_none)
{
    expect("tens,nearly,three", step_row, 200,
           "tens: 0 to 300, 0 decimals\n"
           "nearly: 0 to 300, 0 decimals\n"
           "three: 0 to 20, 0 decimals\n"
           "> step: tens\n");
}

/* ---- ids and persons (inspect_ids.c, inspect_persons.c) ---- */

static void sale_row(char *text, int r)
{
    sprintf(text, "C%05d,%d.%02d,u%d@example.org,%s", r * 7, 3 + r * 137 / 100, r * 37 % 100, r,
            r % 3 ? "card" : "cash");
}

/* A price that never repeats is a number all the same. */
TEST(a_code_that_never_repeats_is_an_id_and_a_price_is_not)
{
    expect("case,price,mail,paid", sale_row, 200,
           "case: ignored\n"
           "price: 3 to 280, 2 decimals\n"
           "mail: ignored\n"
           "paid: card|cash\n"
           "> id: case\n"
           "! case\n"
           "! mail\n");
}

/* 60 persons with six rows each, one after the other. Sex is the person's; of smoking every second person
 * changes its mind; the ward differs. */
static void visit_row(char *text, int r)
{
    const int person = r / 6, turn = r % 6;
    sprintf(text, "P%03d,%s,%s,%d,%s", person, person * 7 % 5 < 2 ? "f" : "m",
            (person % 2 && turn > 2) != (person % 3 == 0) ? "yes" : "no", 2 + turn * 3 + person % 3,
            (person + turn * 5) % 3 ? "eyes" : "skin");
}

TEST(a_person_keeps_its_sex_and_not_its_ward)
{
    expect("patient,sex,smokes,day,ward", visit_row, 360,
           "patient: ignored\n"
           "sex: f|m\n"
           "smokes: no|yes\n"
           "day: 2 to 19, 0 decimals\n"
           "ward: eyes|skin\n"
           "> unit: patient\n"
           "> per: sex\n"
           "> order: day\n"
           "! patient\n");
}

/* The same visits, and an owner who says who the person is. */
TEST(a_person_that_the_owner_names_gets_an_order_and_constants)
{
    static const char columns[] =
        "sex: f|m\n"
        "smokes: no|yes\n"
        "day: 2 to 19, 0 decimals\n"
        "ward: eyes|skin\n";
    char expected[400];
    said.person = "patient";
    (void)snprintf(expected, sizeof expected,
                   "patient: ignored\n%s> unit: patient\n> per: sex\n> order: day\n! patient\n", columns);
    expect("patient,sex,smokes,day,ward", visit_row, 360, expected);
    said.person = "ward"; /* another one: neither an order nor a constant follows */
    (void)snprintf(expected, sizeof expected, "patient: ignored\n%s> unit: ward\n! patient\n", columns);
    expect("patient,sex,smokes,day,ward", visit_row, 360, expected);
    said.person = ""; /* each row is a different person */
    (void)snprintf(expected, sizeof expected, "patient: ignored\n%s! patient\n", columns);
    expect("patient,sex,smokes,day,ward", visit_row, 360, expected);
    said.person = NULL;
}

TEST(a_person_that_is_not_a_column_is_refused_by_name)
{
    const char *path = in_folder(folder, "t.csv");
    FILE *file = fopen(path, "w");
    sbl_text notes = {0};
    sbl_error err = {0};
    char *text = NULL;
    assert_non_null(file);
    fprintf(file, "a,b\n1,2\n3,4\n");
    assert_int_equal(fclose(file), 0);
    said.person = "c";
    assert_int_equal(inspect(&text, &notes, path, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "person: there is no column 'c'"));
    assert_null(text);
    said.person = NULL;
    sbl_text_clear(&notes);
}

/* ---- rules (inspect_rules.c) ---- */

static int broken_every = 0; /* in one row of that number nothing holds; 0: everything holds in all rows */
static void stay_row(char *text, int r)
{
    const int first = 1 + r % 10, days = r * 3 % 7, a = r * 13 % 50, b = r * 29 % 71;
    const bool odd = broken_every > 0 && r % broken_every == 0, female = r % 2 != 0;
    sprintf(text, "2024-01-%02d,2024-01-%02d,%d,%d,%d,%d,%d,%d,%s,%s", odd ? first + days + 1 : first,
            first + days, days + odd, a, b, a + b + odd, 18 + r % 60, 20000 + r * 37, female ? "f" : "m",
            (female && r % 6 == 1) || odd ? "yes" : "no");
}

#define STAY "came,went,days,a,b,total,age,income,sex,pregnant"
#define STAY_COLUMNS(least, total, age, income)                                          \
    "came: date ISO\nwent: date ISO\ndays: 0 to 6, 0 decimals\na: 0 to 49, 0 decimals\n" \
    "b: 0 to 70, 0 decimals\ntotal: " least " to " total ", 0 decimals\nage: 18 to " age \
    ", 0 decimals\n"                                                                     \
    "income: 20000 to " income ", 0 decimals\nsex: f|m\npregnant: no|yes\n"

#define STAY_RULES                       \
    "> constraint: total = a + b\n"      \
    "> constraint: days = went - came\n" \
    "> constraint: if sex = 'm' then pregnant = 'no'\n"

/* age <= income holds in every row, because of where the columns lie: it says nothing. */
TEST(what_holds_in_every_row_and_would_not_by_chance_is_proposed)
{
    broken_every = 0;
    expect(STAY, stay_row, 400, STAY_COLUMNS("0", "120", "77", "35000") STAY_RULES);
}

TEST(what_nearly_holds_is_proposed)
{
    broken_every = 200;
    expect(STAY, stay_row, 400, STAY_COLUMNS("1", "120", "77", "35000") STAY_RULES);
}

/* b <= total holds there, too. */
TEST(what_one_row_in_28_breaks_is_not_proposed)
{
    broken_every = 28;
    expect(STAY, stay_row, 400, STAY_COLUMNS("1", "120", "77", "35000") "> constraint: b <= total\n");
}

TEST(few_rows_prove_no_rule)
{
    broken_every = 0;
    expect(STAY, stay_row, 29, STAY_COLUMNS("0", "110", "46", "22000") "! pregnant\n");
}

ALL_TESTS(make_folder, remove_folder)
