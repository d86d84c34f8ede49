/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables as a source: files in, whole persons out, as often as they are asked for. What persons are is
 * tested in test_linked_rows.c; here keys are texts of files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static const char package[] = JSON({"resources":[{"name":"persons","schema":{"primaryKey":"id",
    "fields":[{"name":"id"},{"name":"sex","type":"string","constraints":{"enum":["f","m"],
    "required":true}}]}},{"name":"visits","schema":{"primaryKey":"visit","foreignKeys":[{"fields":"person",
    "reference":{"resource":"persons","fields":"id"}}],"fields":[{"name":"visit"},{"name":"person"},
    {"name":"from","type":"integer","constraints":{"minimum":0,"maximum":100,"required":true}},
    {"name":"to","type":"integer","constraints":{"minimum":0,"maximum":100,"required":true}}],
    "semblance":{"order":"from","max_rows_per_unit":3,"constraints":["to >= from"]}}},{"name":"drugs",
    "schema":{"foreignKeys":[{"fields":"visit","reference":{"resource":"visits","fields":"visit"}}],
    "fields":[{"name":"visit"},{"name":"drug","type":"string","constraints":{"enum":["a","b","c"]}}],
    "semblance":{"max_rows_per_unit":4}}}]});
enum { PERSONS, VISITS, DRUGS, TABLES };
static const char *const names[TABLES] = {"persons", "visits", "drugs"};

static sbl_facts facts;
static char folder[256];

static int make_facts(void **state)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, package, strlen(package), "dp.json", &err) != SBL_OK ||
        sbl_facts_of_table(&facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
    temp_folder_make(folder);
    (void)state;
    return 0;
}

AROUND(drop_facts)
{
    sbl_facts_clear(&facts);
    temp_folder_remove(folder);
}

ALL_TESTS(make_facts, drop_facts)

/* ---- files ---- */

static sbl_data *table_of(const char *name, const char *text)
{
    sbl_data *data;
    sbl_error err = {0};
    const char *path = in_folder(folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    assert_ok_or_say(sbl_data_open(&data, path, NULL, &err));
    return data;
}

/* In another order than the package's; the handles of the tables are given away at once. */
static sbl_data *link_tables(const char *const texts[TABLES])
{
    sbl_data *tables[TABLES], *data;
    const char *own[TABLES];
    sbl_error err = {0};
    for (size_t i = 0; i < TABLES; i++) {
        own[i] = names[TABLES - 1 - i];
        tables[i] = table_of(own[i], texts[TABLES - 1 - i]);
    }
    assert_ok_or_say(sbl_data_link(&data, tables, own, TABLES, NULL, &err));
    for (size_t i = 0; i < TABLES; i++) sbl_data_free(tables[i]);
    return data;
}

/* All persons, one after the other in words: sex; from-to of visits; drugs with the place of their visit. */
static void tell_persons(sbl_text *text, sbl_source *source)
{
    const sbl_records *batch;
    sbl_error err = {0};
    do {
        assert_ok_or_say(sbl_source_read(source, &batch, &err));
        for (size_t p = 0; p < batch->rows; p++) {
            const sbl_events *e = &batch->events;
            const uint32_t *starts = e->starts + p * TABLES;
            const double *numeric = e->numeric + starts[0] * facts.heads.numeric_count;
            const uint32_t *codes = e->codes + starts[0] * facts.heads.categorical_count;
            const size_t wide = facts.heads.numeric_count;
            sbl_text_printf(text, "%s", facts.schema->columns[1].categories.items[codes[0]]);
            for (size_t v = starts[1] - starts[0]; v < starts[2] - starts[0]; v++)
                sbl_text_printf(text, " %.0f+%.0f", numeric[v * wide] * 100, numeric[v * wide + 1] * 100);
            for (size_t d = starts[2]; d < starts[3]; d++)
                sbl_text_printf(text, " %c%u", "abc-"[e->codes[d * facts.heads.categorical_count + 1]],
                                e -> parents[d]);
            for (size_t c = 0; c < facts.columns; c++)
                if (batch->misfits[p * facts.columns + c]) sbl_text_printf(text, " !%zu", c);
            sbl_text_printf(text, "\n");
        }
    } while (batch->rows > 0 || source->working);
}

static void expect(const char *const texts[TABLES], const char *wanted)
{
    sbl_data *data = link_tables(texts);
    sbl_source *source;
    sbl_text first = {0}, again = {0};
    sbl_error err = {0};
    assert_ok_or_say(sbl_source_open(&source, data, &facts, NULL, NULL, &err));
    tell_persons(&first, source);
    assert_string_equal(first.data != NULL ? first.data : "", wanted);
    assert_ok(sbl_source_rewind(source, &err));
    tell_persons(&again, source);
    assert_string_equal(again.data != NULL ? again.data : "", wanted);
    sbl_source_close(source);
    sbl_data_free(data);
    sbl_text_clear(&first);
    sbl_text_clear(&again);
}

/* ---- tests ---- */

TEST(tables_become_persons_with_their_rules_and_their_order)
{
    expect(
        (const char *const[]){"id,sex\n1,f\n2,m\n", "visit,person,from,to\nA,1,30,35\nB,2,5,5\nC,1,10,20\n",
                              "drug,visit\na,A\nb,C\nc,B\na,C\n"},
        "f 10+10 30+5 b0 a0 a1\n"
        "m 5+0 c0\n");
}

/* As numbers are ids in one table (unit_id.h): 7, 7.0 and " 7 " are one key. */
TEST(spellings_of_a_key_are_one_key_in_all_tables)
{
    expect((const char *const[]){"id,sex\n7,m\n", "visit,person,from,to\n1.0,7.0,1,2\n2,\" 7 \",2,2\n",
                                 "visit,drug\n1,a\n 2.0,b\n"},
           "m 1+1 2+0 a0 b1\n");
}

/* The root row without a key and that of key 1 are persons. */
TEST(rows_with_empty_cells_or_absent_keys_add_nothing)
{
    expect((const char *const[]){"id,sex\n,m\n1,f\n", "visit,person,from,to\nA,,1,1\nB,9,2,2\n",
                                 "visit,drug\nA,a\nB,b\nZ,c\n,c\n"},
           "m\n"
           "f\n");
}

TEST(cells_that_do_not_fit_are_counted_in_their_own_table)
{
    expect((const char *const[]){"id,sex\n1,x\n2,f\n", "visit,person,from,to\nA,2,1,1\nB,2,x,3\nC,1,2,300\n",
                                 "visit,drug\nA,z\n"},
           "f 2+98 !0 !2\n"
           "f 1+0 50+0 -0 !1 !3\n");
}

TEST(tables_without_rows_give_nobody)
{
    expect((const char *const[]){"id,sex\n", "visit,person,from,to\n", "visit,drug\n"}, "");
    expect((const char *const[]){"id,sex\n1,m\n", "visit,person,from,to\n", "visit,drug\n"}, "m\n");
}

/* Beyond what a record may be long, keys are read all the same. */
TEST(a_record_that_is_too_long_has_its_keys)
{
    char *visits = malloc(3000000);
    char *at = visits + sprintf(visits, "visit,more,person,from,to\n");
    assert_non_null(visits);
    at += sprintf(at, "A,\"");
    memset(at, ',', 2000000);
    at += 2000000;
    (void)sprintf(at, "\",1,5,6\nB,,1,60,60\n");
    expect((const char *const[]){"id,sex\n1,m\n", visits, "visit,drug\nA,a\nB,b\n"},
           "m 50+0 60+0 a0 b1 !1 !2\n");
    free(visits);
}

TEST(a_person_with_very_many_rows_is_one_of_its_first_ones)
{
    enum { ROWS = 100000 };
    char *visits = malloc(ROWS * 24), *drugs = malloc(ROWS * 24);
    assert_true(visits != NULL && drugs != NULL);
    char *at = visits + sprintf(visits, "visit,person,from,to\n");
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "%d,1,%d,100\n", i, i < 3 ? 3 - i : 50);
    at = drugs + sprintf(drugs, "visit,drug\n");
    for (int i = ROWS; i-- > 0;) at += sprintf(at, "%d,%c\n", i, "abc"[i % 3]);
    expect((const char *const[]){"id,sex\n2,m\n1,m\n", visits, drugs}, "m\nm 1+99 2+98 3+97 c0 b1 a2\n");
    free(visits);
    free(drugs);
}

/* ---- refused ---- */

static void expect_refusal(const char *const texts[TABLES], const char *message)
{
    sbl_data *data = link_tables(texts);
    sbl_source *source;
    sbl_error err = {0};
    assert_int_equal(sbl_source_open(&source, data, &facts, NULL, NULL, &err), SBL_EINPUT);
    assert_null(source);
    if (strstr(err.message, message) == NULL) fail_msg("got '%s'", err.message);
    sbl_data_free(data);
}

TEST(key_columns_must_be_there)
{
    static const char persons[] = "id,sex\n1,f\n", drugs[] = "visit,drug\n";
    expect_refusal((const char *const[]){persons, "visit,from,to\n", drugs},
                   "column 'person' is missing from the header");
    expect_refusal((const char *const[]){persons, "person,from,to\n", drugs},
                   "column 'visit' is missing from the header");
    expect_refusal((const char *const[]){"sex\n", "visit,person,from,to\n", drugs},
                   "column 'id' is missing from the header");
    /* Nothing hangs on a drug, so that it needs no key of its own. */
}

TEST(links_are_checked)
{
    sbl_data *tables[] = {table_of("a", "x\n"), table_of("b", "x\n"), NULL};
    static const char *const two[] = {"persons", "visits"};
    sbl_data *data, *linked;
    sbl_source *source;
    sbl_error err = {0};
    assert_int_equal(sbl_data_link(NULL, tables, two, 2, NULL, &err), SBL_EARG);
    assert_int_equal(sbl_data_link(&data, NULL, two, 2, NULL, &err), SBL_EARG);
    assert_ok(sbl_data_link(&data, tables, NULL, 2, NULL, &err)); /* tables are called by their files */
    sbl_data_free(data);
    assert_int_equal(sbl_data_link(&data, tables, two, 1, NULL, &err), SBL_EARG);
    assert_int_equal(sbl_data_link(&data, tables + 1, two, 2, NULL, &err), SBL_EARG);
    assert_int_equal(sbl_data_link(&data, tables, (const char *const[]){"a", "a"}, 2, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "two linked tables have the name 'a'"));
    assert_null(data);
    assert_ok(sbl_data_link(&linked, tables, two, 2, "dp.json", &err));
    assert_string_equal(sbl_data_tell(linked).path, "dp.json");
    assert_int_equal(sbl_data_link(&data, tables, two, 2, NULL, &err), SBL_EBUSY);
    /* A table is missing; one table for the schema of several. */
    assert_int_equal(sbl_source_open(&source, linked, &facts, NULL, NULL, &err), SBL_EARG);
    sbl_data_free(linked);
    assert_int_equal(sbl_source_open(&source, tables[0], &facts, NULL, NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "is a single table, but the schema describes linked tables"));
    sbl_data_free(tables[0]);
    sbl_data_free(tables[1]);
}
