/* SPDX-License-Identifier: Apache-2.0 */
/* A method of whole persons, through the public API with a fixed key: persons of 1 to 1000 rows side by
 * side with and without them, what certificate and plan say, whose rows are drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/methods/method.h"
#include "semblance/ledger.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/run_kit.h"
#include "visits.h"

enum { K = 50, OTHERS = 80 };

static const char schema[] = JSON({"fields":[{"name":"town","type":"string","constraints":{"enum":["Ayr",
    "Bath","Cork"],"required":true}},{"name":"who","type":"string"},
    {"name":"age","type":"integer","constraints":{"minimum":0,"maximum":100}}],"semblance":{"unit":"who",
    "max_rows_per_unit":50}});

/* ---- the method: one release; what it draws are persons of 1, 2, 3, 1, 2, 3, ... rows ---- */

static sbl_status plan_visits(sbl_plan *plan, const sbl_facts *facts, const sbl_synth_options *options,
                              const sbl_round *rounds, size_t count, sbl_error *err)
{
    (void)facts;
    (void)options;
    (void)rounds;
    return count == 0 ? sbl_plan_add(plan, "visits", json_object(), 1.0, err) : SBL_OK;
}

static sbl_status seed_visits(sbl_model *model, uint64_t seed, sbl_error *err)
{
    (void)model;
    (void)seed;
    (void)err;
    return SBL_OK;
}

static uint64_t person_of(uint64_t row) { return row / 6 * 3 + (row % 6 > 0) + (row % 6 > 2); }

static sbl_status draw_visits(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows,
                              size_t wanted, sbl_error *err)
{
    (void)wanted;
    (void)err;
    assert_non_null(drawn->persons);
    for (size_t r = 0; r < rows; r++) {
        drawn->persons[r] = person_of(first + r);
        for (size_t c = 0; c < model->facts.heads.categorical_count; c++)
            drawn->codes[r * model->facts.heads.categorical_count + c] = 0;
        drawn->numeric[r] = (double)(drawn->persons[r] % 101) / 100.0;
    }
    return SBL_OK;
}

static void free_visits(void *state) { (void)state; }

static const sbl_model_kind kind_visits = {
    .name = "visits", .whole_units = true, .seed = seed_visits, .draw = draw_visits, .free = free_visits};

static sbl_status fit_visits(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                             const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    (void)facts;
    (void)options;
    (void)checkpoint;
    const sbl_status status = sbl_model_new(model, &kind_visits, &rounds[count - 1].plan, err);
    if (status == SBL_OK) (*model)->rows = 100.0;
    return status;
}

static const sbl_feature *const own_features[] = {&feature_visits, NULL};
static const sbl_method method_visits = {.name = "visits",
                                         .tables = true,

                                         .whole_units = true,
                                         .features = own_features,
                                         .plan = plan_visits,
                                         .fit = fit_visits};
static const sbl_method *const own_methods[] = {&method_visits, NULL};

static sbl_synth_options options_of(sbl_neighbours neighbours)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = method_visits.name;
    options.more_methods = own_methods;
    options.epsilon = 4;
    options.neighbours = neighbours;
    options.threads = 2;
    return options;
}

AROUND(fresh)
{
    temp_folder_make(folder);
    write_file("schema.json", schema);
}

/* Others of one to sixty rows, mixed up; Xan's rows, `count` of them in turn, among them. */
static void write_table(const char *name, const char *const rows[2], size_t count)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork"};
    FILE *file = create(name);
    size_t own = 0;
    (void)fputs("town,who,age\n", file);
    for (size_t i = 0; i < 60 * OTHERS; i++) {
        const size_t place = i * 37 % (60 * OTHERS);
        const size_t person = place % OTHERS;
        if (i % 20 == 5 && own < count) (void)fputs(rows[own++ % 2], file);
        if (place / OTHERS > person % 7 && (person != 13 || place / OTHERS > 58)) continue;
        (void)fprintf(file, "%s,%s%zu,%zu\n", towns[(place + person) % 3], person == 0 ? "" : "P", person,
                      place * 13 % 101);
    }
    while (own < count) (void)fputs(rows[own++ % 2], file);
    for (size_t i = 0; i < 5; i++) (void)fputs("Bath,,50\n", file); /* nobody's */
    (void)fclose(file);
}

typedef struct xan {
    const char *rows[2];
    size_t count;
    const char *what;
} xan;

static const xan worlds[] = {
    {{"Ayr,Xan,0\n", "Ayr,Xan,0\n"}, 1, "one row"},
    {{"Cork,Xan,100\n", "Cork,Xan,100\n"}, 1, "another row"},
    {{"Cork,Xan,100\n", "Bath,Xan,\n"}, 2, "two rows"},
    {{"Cork,Xan,100\n", "Cork,Xan,100\n"}, 50, "as many rows as enter, alike"},
    {{"Bath,Xan,3\n", "Ayr,Xan,4\n"}, 49, "rows in turn"},
    {{"Cork,Xan,1\n", "Cork,Xan,1\n"}, 1000, "a thousand rows"},
    {{"Ayr,Xan,1\n", "Cork,Xan,2\n"}, 999, "a thousand rows in turn"},
    {{"nowhere,\" Xan\t\",nan\n", "\"1e308\",Xan\n"}, 40, "rows of nonsense"},
};

/* Whatever Xan's rows are, and however many, nothing moves but noisy values, and they by no more than was
 * charged, which is the same for all and no more for fifty rows than for one. */
static void replay(sbl_neighbours relation, bool health)
{
    sbl_synth_options options = options_of(relation);
    const bool replace = relation == SBL_REPLACE_ONE;
    double most = 0.0;
    options.health = health ? "tell" : "off";
    (void)remove_folder(NULL);
    (void)fresh(NULL);
    write_table("own.csv", worlds[0].rows, replace ? 1 : 0);
    run_with(7, "own.csv", "own", &options);
    for (size_t w = 0; w < sizeof worlds / sizeof worlds[0]; w++) {
        write_table("other.csv", worlds[w].rows, worlds[w].count);
        run_with(7, "other.csv", "other", &options);
        const double part = compare_runs((const char *[]){"own.csv", "other.csv"},
                                         (const char *[]){"own", "other"}, 1, worlds[w].what);
        most = part > most ? part : most;
        (void)remove(at("other.csv.ledger"));
        options.overwrite = true;
    }
    if (most < 0.7) fail_msg("only %g of the charge was moved", most);
}

TEST(a_person_of_any_number_of_rows_moves_by_what_was_charged)
{
    replay(SBL_REPLACE_ONE, false);
    replay(SBL_ADD_REMOVE, false);
    replay(SBL_ADD_REMOVE, true);
}

TEST(certificate_and_plan_speak_of_whole_persons)
{
    sbl_synth_options options = options_of(SBL_ADD_REMOVE);
    char *text = NULL;
    sbl_error err = {0};
    write_table("data.csv", worlds[0].rows, 1);
    run_with(7, "data.csv", "out", &options);
    expect_certified("data.csv", "out", "at most 50 of them; the cost is that of one record");
    expect_certified("data.csv", "out", "persons with at least half of a column's cells");
    must(table_plan(&text, at("schema.json"), 5000, false, &options, &err), &err);
    assert_non_null(
        strstr(text, "unit       one person, with all rows; at most 50 of them enter, as one record"));
    assert_non_null(strstr(text, "a person takes 240 bytes, and each row "));
    assert_non_null(strstr(text, "MB for 5000 persons with 5000 rows in any order"));
    sbl_free(text);
    must(table_plan(&text, at("schema.json"), 5000, true, &options, &err), &err);
    assert_non_null(strstr(text, "\"rows_together\": 50"));
    sbl_free(text);
}

/* The ledger that a run of whole persons makes takes rows of persons, and the other way round. */
TEST(whole_persons_and_rows_of_persons_share_a_ledger)
{
    static const char *const methods[] = {"visits", "marginals", "visits"};
    write_table("data.csv", worlds[0].rows, 1);
    for (size_t i = 0; i < 3; i++) {
        sbl_synth_options options = options_of(SBL_ADD_REMOVE);
        char name[16];
        options.method = methods[i];
        options.epsilon = 0.5;
        (void)snprintf(name, sizeof name, "out%zu", i);
        run_with(7, "data.csv", name, &options);
        expect_certified("data.csv", name,
                         i == 1 ? "At most 50 rows of a person count" : "A person's rows enter together");
    }
    assert_int_equal(totals_of("data.csv").releases, 3);
}

/* Fifty rows of a person that are now and then wrong are no reason to stop; a column that is wrong is. */
TEST(health_speaks_of_persons)
{
    sbl_error err = {0};
    for (int wrong = 0; wrong < 2; wrong++) {
        sbl_synth_options options = options_of(SBL_ADD_REMOVE);
        FILE *file = create(wrong ? "wrong.csv" : "rare.csv");
        (void)fputs("town,who,age\n", file);
        for (size_t row = 0; row < 20000; row++)
            (void)fprintf(file, "Ayr,P%zu,%s\n", row % 400,
                          wrong                         ? "young"
                          : (row / 400 + row) % 10 == 0 ? "old"
                                                        : "7");
        (void)fclose(file);
        options.epsilon = 8;
        sbl_test_key_set(7);
        const sbl_status status =
            try_run(wrong ? "wrong.csv" : "rare.csv", wrong ? "b" : "a", &options, &err);
        if (!wrong) must(status, &err);
        if (!wrong) continue;
        assert_int_equal(status, SBL_EINPUT);
        assert_non_null(strstr(err.message, "column 'age': for about 100 % of the persons"));
    }
}

/* ---- the method `histories` ---- */

static const char stays[] = JSON({"fields":[{"name":"who","type":"string"},{"name":"sex","type":"string",
    "constraints":{"enum":["f","m"],"required":true},"semblance":{"per":"unit"}},{"name":"day","type":"date",
    "constraints":{"minimum":"2024-01-01","maximum":"2024-12-31","required":true}},
    {"name":"cost","type":"number","constraints":{"minimum":0,"maximum":9}}],"semblance":{"unit":"who",
    "order":"day","max_rows_per_unit":20}});

/* Unsorted rows of others, dates that go back; and, where asked for, one with a thousand rows whose sexes
 * disagree, rows of nobody, and rows of nonsense. */
static void write_stays(const char *name, bool bad)
{
    FILE *file = create(name);
    (void)fputs("who,sex,day,cost\n", file);
    for (unsigned i = 0; i < 3000; i++) {
        const unsigned row = i * 1277U % 3000U, person = row % 700U;
        (void)fprintf(file, "P%u,%s,2024-%02u-%02u,%u\n", person, person % 3 == 0 ? "f" : "m",
                      1 + row * 7 % 12, 1 + row * 11 % 28, row % 10);
        if (bad && i % 3 == 0)
            (void)fprintf(file, "Xan,%s,2024-%02u-05,1\n", i % 2 == 0 ? "f" : "m", 12 - i % 12);
        if (bad && i % 100 == 7) (void)fputs(",f,2024-05-05,3\n", file);
        if (bad && i % 100 == 9) (void)fputs("\"X\nY\",?,2023-99-99,nan\nZ\n", file);
    }
    (void)fclose(file);
}

/* Every synthetic person has one sex, and days that do not go back. */
static void expect_histories(const char *name)
{
    char *text = text_of(name);
    unsigned last = 0, persons = 0, rows = 0;
    char last_sex = '?', last_day[16] = "";
    for (const char *line = strchr(text, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        unsigned who = 0;
        char sex = '?', day[16] = "";
        assert_int_equal(sscanf(line, "%u,%c,%10s", &who, &sex, day), 3);
        if (who == last) {
            assert_int_equal(sex, last_sex);
            assert_true(strcmp(last_day, day) <= 0);
        } else {
            assert_int_equal(who, ++persons);
        }
        last = who;
        last_sex = sex;
        memcpy(last_day, day, sizeof day);
        rows++;
    }
    assert_true(persons > 100 && rows > persons);
    free(text);
}

TEST(bad_rows_of_persons_are_read_in_silence)
{
    sbl_synth_options options = options_of(SBL_ADD_REMOVE);
    write_file("schema.json", stays);
    options.method = "histories";
    options.health = "off"; /* what it says is noisy, and paid for */
    write_stays("good.csv", false);
    write_stays("bad.csv", true);
    run_with(7, "good.csv", "good", &options);
    run_with(7, "bad.csv", "bad", &options);
    expect_histories("good");
    expect_histories("bad");
    expect_certified("bad.csv", "bad", "at most 20 of them");
    /* The same budget, but for the last digits of multipliers that depend on the first release. */
    const double spent[] = {(double)totals_of("good.csv").charge.mu2,
                            (double)totals_of("bad.csv").charge.mu2};
    assert_true(spent[0] / spent[1] < 1.0001 && spent[1] / spent[0] < 1.0001);
}

TEST(drawn_rows_have_the_ids_of_their_persons)
{
    sbl_synth_options options = options_of(SBL_ADD_REMOVE);
    write_table("data.csv", worlds[0].rows, 1);
    run_with(7, "data.csv", "out", &options);
    char *text = text_of("out");
    const char *line = strchr(text, '\n') + 1;
    for (uint64_t row = 0; row < 100; row++, line = strchr(line, '\n') + 1) {
        unsigned id = 0, age = 0;
        assert_int_equal(sscanf(line, "Ayr,%u,%u", &id, &age), 2);
        assert_int_equal(id, person_of(row) + 1);
        assert_int_equal(age, person_of(row) % 101);
    }
    free(text);
}

/* How many rows a stream has. */
static sbl_status count_stream(sbl_synthesizer *synth, sbl_sample_options draw, int64_t *rows, sbl_error *err)
{
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch;
    draw.stream = &stream;
    *rows = 0;
    const sbl_status status = sbl_synthesizer_sample(synth, &draw, err);
    while (status == SBL_OK) {
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        if (batch.release == NULL) break;
        *rows += batch.length;
        batch.release(&batch);
    }
    if (stream.release != NULL) stream.release(&stream);
    return status;
}

TEST(persons_are_counted_by_whoever_asks_for_them)
{
    sbl_synth_options options = options_of(SBL_ADD_REMOVE);
    sbl_synthesizer *synth;
    sbl_sample_options draw;
    sbl_error err = {0};
    int64_t rows, cut;
    write_file("schema.json", stays);
    write_stays("data.csv", false);
    options.method = "histories";
    sbl_test_key_set(7);
    options.more_methods = NULL;
    must(table_fit(NULL, at("data.csv"), at("schema.json"), at("model"), &options, &err), &err);
    must(sbl_synthesizer_new(&synth, &err), &err);
    must(sbl_synthesizer_load(synth, NULL, 0, at("model"), &err), &err);
    sbl_sample_options_init(&draw);
    draw.persons = 50;
    must(count_stream(synth, draw, &rows, &err), &err);
    assert_true(rows > 50);
    /* Persons who have no row in the first half of the year are left as a whole. */
    draw.where = "day < 2024-07-01";
    must(count_stream(synth, draw, &cut, &err), &err);
    assert_true(cut >= 50);
    draw.where = NULL;
    draw.rows = (uint64_t)rows;
    assert_int_equal(count_stream(synth, draw, &cut, &err), SBL_EARG);
    assert_int_equal(err.hint, SBL_HINT_PERSONS);
    draw.persons = 0;
    must(count_stream(synth, draw, &cut, &err), &err);
    assert_int_equal(cut, rows);
    /* Buffers are of so many rows. */
    double cost[100];
    const sbl_column_buffer buffer = {sizeof buffer, "cost", SBL_VALUES_DOUBLE, cost, NULL};
    draw.columns = &buffer;
    draw.column_count = 1;
    draw.rows = 0;
    draw.persons = 5;
    assert_int_equal(sbl_synthesizer_sample(synth, &draw, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "persons have any number of rows"));
    sbl_synthesizer_free(synth);
}

EACH_TEST(fresh, remove_folder)
