/* SPDX-License-Identifier: Apache-2.0 */
/* One person, several rows, through the public API with a fixed key: runs over tables in which all
 * rows of one person differ, side by side; whose row it is; ids that are made up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semblance/ledger.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/run_kit.h"
#include "support/sum_kit.h"

enum { K = 3, OTHERS = 60 };

#define FIELDS                                                                                     \
    "{\"fields\":["                                                                                \
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":100,"       \
    "\"required\":true}},"                                                                         \
    "{\"name\":\"who\",\"type\":\"string\"%s},"                                                    \
    "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath\",\"Cork\"]" \
    "}},"                                                                                          \
    "{\"name\":\"sick\",\"type\":\"string\",\"constraints\":{\"enum\":[\"no\",\"yes\"],"           \
    "\"required\":true}}],\"semblance\":{\"label\":\"sick\"%s}}"

static int fresh(void **unused)
{
    char text[1024];
    (void)unused;
    temp_folder_make(folder);
    (void)snprintf(text, sizeof text, FIELDS, "", ",\"unit\":\"who\",\"max_rows_per_unit\":3");
    write_file("schema.json", text);
    (void)snprintf(text, sizeof text, FIELDS, ",\"semblance\":{\"role\":\"ignore\"}", "");
    write_file("rows.json", text);
    return 0;
}

/* Others with one to seven rows each, mixed up, and a few of nobody; among them the rows of Xan, given
 * as texts with a %s for the id, `count` of them in turn. */
static void write_table(const char *name, const char *const *rows, size_t kinds, size_t count)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", ""};
    FILE *file = create(name);
    size_t own = 0;
    (void)fputs("age,who,town,sick\n", file);
    for (size_t i = 0; i < 7 * OTHERS; i++) {
        const size_t at = i * 37 % (7 * OTHERS);
        const size_t person = at % OTHERS;
        if (i % 30 == 5 && own < count) {
            (void)fprintf(file, rows[own % kinds], "Xan");
            own++;
        }
        if (at / OTHERS > person % 7) continue;
        (void)fprintf(file, "%zu,%s%zu,%s,%s\n", at * 13 % 101, person == 0 ? "" : "P", person,
                      towns[(at + person) % 4], at % 3 == 0 ? "yes" : "no");
    }
    for (; own < count; own++) (void)fprintf(file, rows[own % kinds], "Xan");
    for (size_t i = 0; i < 5; i++) (void)fprintf(file, "50,,Bath,no\n");
    (void)fclose(file);
}

static sbl_synth_options options_of(const char *method, sbl_neighbours neighbours)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = 8;
    options.neighbours = neighbours;
    options.threads = 2;
    return options;
}

static sbl_status try_rows(const char *input, const char *output, const sbl_synth_options *options,
                           sbl_error *err)
{
    return table_run(NULL, at(input), at("rows.json"), at(output), 0, NULL, options, err);
}

static void run(const char *input, const char *output, const sbl_synth_options *options)
{
    run_with(7, input, output, options);
}

/* ---- replay ---- */

typedef struct rows_of_xan {
    const char *rows[2];
    size_t kinds, count;
    const char *what;
} rows_of_xan;

static const rows_of_xan worlds[] = {
    {{"0,%s,Ayr,no\n"}, 1, 5, "five rows alike"},
    {{"100,%s,Cork,yes\n"}, 1, 5, "five other rows"},
    {{"100,%s,Cork,yes\n"}, 1, 1, "one row"},
    {{"0,%s,,yes\n", "100,%s,Bath,no\n"}, 2, 40, "forty rows"},
    {{"nan,%s,nowhere,perhaps\n", "\"1e308\",\" %s\t\",,\n"}, 2, 4, "rows of nonsense"},
};

/* Whatever Xan's rows become, and however many they are, nothing moves but noisy values, and they by
 * no more than was charged; the worst of it is all that was. */
TEST(all_rows_of_a_person_move_by_what_was_charged)
{
    for (int run_of = 0; run_of < 4; run_of++) { /* other methods: `semblance audit` */
        const int relation = run_of % 2;
        const bool health = run_of >= 2;
        sbl_synth_options options = options_of("marginals", (sbl_neighbours)relation);
        const bool replace = relation == SBL_REPLACE_ONE;
        /* What moves the health block most moves nothing else most: it is one of four runs. */
        options.health = health ? "tell" : "off";
        double most = 0.0;
        (void)remove_folder(NULL);
        (void)fresh(NULL);
        write_table("own.csv", worlds[0].rows, 1, replace ? worlds[0].count : 0);
        run("own.csv", "own", &options);
        for (size_t w = replace ? 1 : 0; w < sizeof worlds / sizeof worlds[0]; w++) {
            char names[2][32];
            (void)snprintf(names[0], sizeof names[0], "other%zu.csv", w);
            (void)snprintf(names[1], sizeof names[1], "other%zu", w);
            write_table(names[0], worlds[w].rows, worlds[w].kinds, worlds[w].count);
            run(names[0], names[1], &options);
            const double part = compare_runs((const char *[]){"own.csv", names[0]},
                                             (const char *[]){"own", names[1]}, 1, worlds[w].what);
            if (part > most) most = part;
        }
        if (most < (health ? 0.97 : 0.99999)) fail_msg("the worst rows use %.6f of the charge", most);
    }
}

TEST(releases_do_not_depend_on_threads)
{
    sbl_synth_options options = options_of("marginals", SBL_ADD_REMOVE);
    write_table("one.csv", worlds[3].rows, 2, 40);
    options.threads = 1;
    run("one.csv", "one", &options);
    options.overwrite = true;
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        options.threads = threads;
        write_table("many.csv", worlds[3].rows, 2, 40);
        run("many.csv", "many", &options);
        assert_true(compare_runs((const char *[]){"one.csv", "many.csv"}, (const char *[]){"one", "many"}, 1,
                                 "threads") == 0.0);
        (void)remove(at("many.csv.ledger"));
    }
}

/* ---- whose row it is ---- */

/* The persons that a table has, by their rows, under the plan of a run over persons. */
static void expect_persons(const char *table, uint64_t rows, int64_t one, int64_t two, int64_t three)
{
    replayed any;
    planned p;
    sbl_synth_options options = options_of("marginals", SBL_ADD_REMOVE);
    write_file("t.csv", table);
    run("t.csv", "t", &options);
    load_run(&any, "t.csv", "t", 1);
    planned_make(&p, any.release->plan);
    sbl_sum *sum = sum_of_table(&p, at("t.csv"), 2);
    const int64_t *persons = sbl_sum_values(sum, 1);
    assert_int_equal(sbl_sum_rows(sum), rows);
    assert_int_equal(persons[0], one);
    assert_int_equal(persons[1], two);
    assert_int_equal(persons[2], three);
    sbl_sum_free(sum);
    planned_clear(&p);
    replayed_clear(&any);
    (void)remove_folder(NULL);
    (void)fresh(NULL);
}

TEST(ids_are_read_as_they_are_meant)
{
    /* Every empty cell is a person, and so is a row too short to have one. */
    expect_persons("age,who,town,sick\n1,,Ayr,no\n2,,Ayr,no\n3,  ,Ayr,no\n4,\"\",Ayr,no\n5\n\n", 6, 6, 0, 0);
    /* Blanks and quotes around an id do not make another person. */
    expect_persons(
        "age,who,town,sick\r\n1,A,Ayr,no\r\n2, A,Ayr,no\r\n3,\"A\",Ayr,no\r\n"
        "4,\tA ,Ayr,no\r\n5,a,Ayr,no\r\n",
        4, 1, 0, 1);
    /* Where the id stands last, and where there are further columns. */
    expect_persons("age,town,sick,who\r\n1,Ayr,no,A\r\n2,Ayr,no,A\r\n3,Ayr,no,B", 3, 1, 1, 0);
    expect_persons("x,who,age,town,sick\n9,A,1,Ayr,no\n9,A,1,Ayr,no\n9,A,1,Ayr,no\n9,A,1,Ayr,no\n", 3, 0, 0,
                   1);
    expect_persons("age,who,town,sick\n", 0, 0, 0, 0);
}

/* However a table is written: without a header, with other signs, in another encoding. */
TEST(ids_are_read_in_any_dialect)
{
    static const struct {
        const char *dialect, *table;
    } cases[] = {
        {"\"dialect\":{\"header\":false},", "1,A,Ayr,no\n2,A,Ayr,no\n3,A,,no\n4,A,Ayr,no\n5,B,Ayr,no\n"},
        {"\"dialect\":{\"header\":false,\"delimiter\":\";\",\"quoteChar\":\"'\"},",
         "1;A;Ayr;no\n2;'A';Ayr;no\n3; A;;no\n4;A;Ayr;no\n5;B;Ayr;no\n"},
        {"\"dialect\":{\"delimiter\":\"\\t\",\"commentChar\":\"#\"},",
         "# x\nwho\tage\ttown\tsick\nA\t1\tAyr\tno\nA\t1\tAyr\tno\nB\t1\tAyr\tno\nA\t1\tAyr\tno\n"
         "A\t1\tAyr\tno\n"},
        {"\"encoding\":\"iso-8859-1\",",
         "age,who,town,sick\n1,\xe4,Ayr,no\n2,\xe4,Ayr,no\n3,\xe4,,no\n"
         "4,\xe4,Ayr,no\n5,\xf6,Ayr,no\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], whole[1200];
        (void)snprintf(text, sizeof text, FIELDS, "", ",\"unit\":\"who\",\"max_rows_per_unit\":3");
        (void)snprintf(whole, sizeof whole, "{%s%s", cases[i].dialect, text + 1);
        write_file("schema.json", whole);
        expect_persons(cases[i].table, 4, 1, 0, 1);
    }
}

TEST(table_without_its_ids_is_refused_before_anything_is_charged)
{
    sbl_error err = {0};
    const sbl_synth_options options = options_of("marginals", SBL_REPLACE_ONE);
    write_file("t.csv", "age,town,sick\n1,Ayr,no\n");
    assert_int_equal(try_run("t.csv", "t", &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "column 'who' is missing from the header"));
    assert_false(exists("t.csv.ledger"));
}

TEST(ledger_of_rows_is_not_charged_for_persons)
{
    sbl_error err = {0};
    const sbl_synth_options options = options_of("marginals", SBL_REPLACE_ONE);
    write_table("t.csv", worlds[0].rows, 1, 5);
    must(try_rows("t.csv", "rows", &options, &err), &err);
    assert_int_equal(try_run("t.csv", "persons", &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "t.csv.ledger adds up the cost for a row"));
    assert_int_equal(remove(at("t.csv.ledger")), 0);
    run("t.csv", "persons", &options);
    assert_int_equal(try_rows("t.csv", "again", &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "adds up the cost for a person, up to 3 of its rows"));
}

/* How far a reading is would tell how many rows there are. */
static int no_steps(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)context, (void)steps, (void)loss;
    if (strcmp(what, "reading") == 0) assert_int_equal(step, 0);
    return 0;
}

/* ---- ids that are made up ---- */

/* Numbers from 1 on, each at most k times and all of them together; returns the last. */
static unsigned long check_ids(const char *name, const char *header)
{
    char line[256];
    unsigned long last = 0;
    unsigned times = 0;
    FILE *file = fopen(at(name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, header);
    while (fgets(line, sizeof line, file) != NULL) {
        const unsigned long id = strtoul(strchr(line, ',') + 1, NULL, 10);
        assert_true(id == last || id == last + 1);
        times = id == last ? times + 1 : 1;
        assert_true(times <= K);
        last = id;
    }
    (void)fclose(file);
    return last;
}

TEST(synthetic_persons_have_rows_and_ids_of_their_own)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of("marginals", SBL_REPLACE_ONE);
    options.progress = no_steps;
    options.epsilon = 20;
    write_table("t.csv", worlds[0].rows, 1, 5);
    sbl_test_key_set(7);
    must(table_run(NULL, at("t.csv"), at("schema.json"), at("out.csv"), 0, at("model"), &options, &err),
         &err);
    /* Of 58 others 8 or 9 have 1, 2, ..., 7 rows; 7 rows have no id; and Xan. */
    const unsigned long persons = check_ids("out.csv", "age,who,town,sick\n");
    assert_in_range(persons, 50, 85);
    /* A model that was saved draws the same persons, and so does one of the release alone. */
    must(table_sample(at("model"), at("s.csv"), 0, NULL, &options, &err), &err);
    options.progress = NULL;
    must(train_files(at("out.csv.release"), at("model2"), &options, &err), &err);
    must(table_sample(at("model2"), at("s2.csv"), 0, NULL, &options, &err), &err);
    assert_int_equal(check_ids("s.csv", "age,who,town,sick\n"), persons);
    assert_int_equal(check_ids("s2.csv", "age,who,town,sick\n"), persons);
    expect_same_text("out.csv", "s.csv");
}

/* The ids look as declared and repeat for the rows of a person, and so does a name and what is declared to
 * be the person's; a visit's own id and its text are of the row. None is in the input. */
TEST(ids_and_names_are_of_the_person_and_look_as_declared)
{
    char line[256], id[32], name[96], visit[32], text[96], card[32];
    char last_id[32] = "", last_name[96] = "", last_card[32] = "";
    size_t rows = 0, persons = 0, texts = 0;
    const sbl_synth_options options = options_of("marginals", SBL_REPLACE_ONE);
    write_file("schema.json",
               "{\"fields\":[{\"name\":\"who\",\"semblance\":{\"role\":\"id\",\"id\":\"P-####\"}},"
               "{\"name\":\"name\",\"semblance\":{\"role\":\"fake\",\"fake\":\"name\"}},"
               "{\"name\":\"visit\",\"semblance\":{\"role\":\"id\"}},"
               "{\"name\":\"note\",\"semblance\":{\"role\":\"fake\",\"fake\":\"text\"}},"
               "{\"name\":\"card\",\"semblance\":{\"role\":\"id\",\"per\":\"unit\"}},"
               "{\"name\":\"town\",\"type\":\"string\",\"constraints\":{\"enum\":[\"Ayr\",\"Bath\","
               "\"Cork\"]}}],\"semblance\":{\"unit\":\"who\",\"max_rows_per_unit\":3}}");
    write_table("t.csv", worlds[0].rows, 1, 5);
    run("t.csv", "out.csv", &options);
    FILE *file = fopen(at("out.csv"), "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "who,name,visit,note,card,town\n");
    char last_text[96] = "";
    while (fgets(line, sizeof line, file) != NULL) {
        assert_int_equal(
            sscanf(line, "%31[^,],%95[^,],%31[^,],%95[^,],%31[^,],", id, name, visit, text, card), 5);
        assert_true(strlen(id) == 6 && strncmp(id, "P-", 2) == 0);
        assert_int_equal(strtoul(visit, NULL, 10), ++rows);
        const bool same = strcmp(id, last_id) == 0;
        if (same) assert_string_equal(name, last_name);
        assert_int_equal(strcmp(card, last_card) == 0, same);
        texts += same && strcmp(text, last_text) != 0;
        persons += !same;
        memcpy(last_id, id, sizeof id);
        memcpy(last_name, name, sizeof name);
        memcpy(last_card, card, sizeof card);
        memcpy(last_text, text, sizeof text);
    }
    (void)fclose(file);
    assert_in_range(persons, rows / 3, rows - rows / 4);
    assert_true(texts > 0);
}

/* The look at the data's health costs persons what it costs rows: less than 1 % more noise, with a
 * noisy number of rows, because that is private. */
TEST(health_of_persons_takes_its_share_and_no_more)
{
    for (int run_of = 0; run_of < 4; run_of++) {
        double multipliers[2];
        sbl_synth_options options = options_of("marginals", (sbl_neighbours)(run_of % 2));
        options.pure = run_of >= 2;
        for (int health = 0; health < 2; health++) {
            replayed release;
            (void)remove_folder(NULL);
            (void)fresh(NULL);
            options.health = health ? "tell" : "off";
            write_table("t.csv", worlds[0].rows, 1, 5);
            run("t.csv", "out", &options);
            load_run(&release, "t.csv", "out", 1);
            const sbl_block *block = sbl_release_find(release.release, "health");
            multipliers[health] = (double)release.release->blocks[0].multiplier;
            assert_true((block != NULL) == (health == 1));
            if (health) assert_int_equal(block->width, 4); /* three columns and the rows */
            replayed_clear(&release);
        }
        if (!(multipliers[1] < multipliers[0] && multipliers[1] > 0.985 * multipliers[0]))
            fail_msg("run %d: %.6f of the precision is left", run_of, multipliers[1] / multipliers[0]);
    }
}

/* A schema is discovered from rows: the delta of its categories is not one of persons. */
TEST(no_schema_is_discovered_from_a_ledger_of_persons)
{
    sbl_error err = {0};
    sbl_synth_options options = options_of("marginals", SBL_REPLACE_ONE);
    sbl_ledger_options ledger;
    options.epsilon = 40; /* enough for so few rows */
    sbl_ledger_options_init(&ledger);
    ledger.rows_per_unit = 3;
    write_table("t.csv", worlds[0].rows, 1, 5);
    assert_ok(sbl_ledger_init(at("t.csv.ledger"), &ledger, &err));
    sbl_test_key_set(7);
    assert_int_equal(table_run(NULL, at("t.csv"), NULL, at("out.csv"), 0, NULL, &options, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "adds up the cost for a person"));
    assert_false(exists("out.csv.release"));
}

EACH_TEST(fresh, remove_folder)
