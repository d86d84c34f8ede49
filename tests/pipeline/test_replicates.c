/* SPDX-License-Identifier: Apache-2.0 */
/* The randomness of replicates, by its moments: how often a record is drawn again, what a posterior adds to the releases,
 * and what a table of a replicate's model adds to the model. Seeds and the noise key are fixed. */
#include <math.h>
#include <string.h>

#include "run/pipeline/draw.h"
#include "run/pipeline/replicates.h"
#include "run/pipeline/resample.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/run_kit.h"

enum { ROWS = 400, DRAWS = 200, SEEDS = 300 };

typedef struct moments {
    double sum, squares, count;
} moments;

static void add(moments *m, double value)
{
    m->sum += value;
    m->squares += value * value;
    m->count++;
}

static double mean(const moments *m) { return m->sum / m->count; }

static double variance(const moments *m) { return m->squares / m->count - mean(m) * mean(m); }

#define BETWEEN(value, low, high)                                                                \
    do {                                                                                         \
        const double found = (value);                                                            \
        if (!(found >= (low) && found <= (high)))                                                \
            fail_msg("%s is %g, not in [%g, %g]", #value, found, (double)(low), (double)(high)); \
    } while (0)

/* ---- a sink that counts ---- */

typedef struct counted {
    uint64_t times[ROWS]; /* by the number that a row has as its first column */
    uint64_t rows, yes;   /* rows, and those whose first category is the second one */
    uint64_t person, persons, left, wrong;
} counted;

static sbl_status count_rows(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    counted *to = sink->state;
    const sbl_heads *heads = &sink->facts->heads;
    (void)err;
    if (sink->most != 0 && rows > sink->most - sink->written) rows = (size_t)(sink->most - sink->written);
    for (size_t r = 0; r < rows; r++) {
        if (heads->numeric_count > 0) to->times[(size_t)records->numeric[r * heads->numeric_count] % ROWS]++;
        if (heads->categorical_count > 0) to->yes += records->codes[r * heads->categorical_count] == 1;
        if (records->persons == NULL || heads->numeric_count == 0) continue;
        /* Persons 0, 1, ... in turn, each with the rows of one of those that were given: i % 3 + 1 rows of number i. */
        const uint64_t source = (uint64_t)records->numeric[r * heads->numeric_count];
        if (to->left == 0) {
            to->wrong += records->persons[r] != to->persons++;
            to->person = source;
            to->left = source % 3 + 1;
        }
        to->wrong += source != to->person || records->persons[r] + 1 != to->persons;
        to->left--;
    }
    to->rows += rows;
    sink->written += rows;
    return SBL_OK;
}

static sbl_status finish_count(sbl_sink *sink, sbl_error *err)
{
    (void)sink;
    (void)err;
    return SBL_OK;
}

static void close_count(sbl_sink *sink) { (void)sink; }

static const sbl_sink_kind counting = {count_rows, finish_count, close_count};

static void facts_of(sbl_facts *facts, const char *json)
{
    sbl_schema *schema;
    sbl_error err = {0};
    must(sbl_schema_from_json(&schema, json, strlen(json), NULL, &err), &err);
    must(sbl_facts_of_table(facts, schema, &err), &err);
}

static const char number[] = JSON({"fields":[{"name":"x","type":"number","constraints":{"minimum":0,
    "maximum":400,"required":true}}]});

/* All records in two writes of different sizes: as many as are known, or unknown. */
static void resample(counted *to, const sbl_facts *facts, const sbl_drawn *records, bool known, uint64_t seed)
{
    sbl_sink sink = {.kind = &counting, .facts = facts, .state = to};
    sbl_resample s;
    sbl_drawn rest = *records;
    sbl_error err = {0};
    *to = (counted){0};
    rest.numeric += ROWS / 4;
    must(sbl_resample_init(&s, facts, known ? ROWS : 0, false, 64, seed, &err), &err);
    must(sbl_resample_write(&s, &sink, records, ROWS / 4, &err), &err);
    must(sbl_resample_write(&s, &sink, &rest, ROWS - ROWS / 4, &err), &err);
    sbl_resample_clear(&s);
}

TEST(copies_are_multinomial_if_the_number_is_known_and_poisson_otherwise)
{
    sbl_facts facts;
    sbl_drawn records = {0};
    counted to;
    facts_of(&facts, number);
    assert_ok(sbl_drawn_make(&records, &facts, ROWS, false, NULL));
    for (size_t r = 0; r < ROWS; r++) records.numeric[r] = (double)r;
    for (int known = 0; known < 2; known++) {
        moments copies = {0}, early = {0}, all = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            uint64_t first = 0;
            resample(&to, &facts, &records, known == 1, seed);
            for (size_t r = 0; r < ROWS; r++) add(&copies, (double)to.times[r]);
            for (size_t r = 0; r < ROWS / 4; r++) first += to.times[r];
            add(&early, (double)first);
            add(&all, (double)to.rows);
        }
        BETWEEN(mean(&copies), 0.99, 1.01);
        BETWEEN(variance(&copies), 0.98, 1.02);
        BETWEEN(mean(&early), ROWS / 4 - 3, ROWS / 4 + 3);
        if (known == 1) { /* a quarter of them: binomial */
            assert_true(mean(&all) == ROWS && variance(&all) == 0);
            BETWEEN(variance(&early), 0.75 * ROWS * 3 / 16, 1.25 * ROWS * 3 / 16);
        } else {
            BETWEEN(variance(&early), 0.75 * ROWS / 4, 1.25 * ROWS / 4);
            BETWEEN(variance(&all), 0.75 * ROWS, 1.25 * ROWS);
        }
    }
    sbl_drawn_clear(&records, &facts);
    sbl_facts_clear(&facts);
}

TEST(persons_are_copied_whole_and_numbered_anew)
{
    sbl_facts facts;
    sbl_drawn records = {0};
    sbl_resample s;
    counted to = {0};
    sbl_error err = {0};
    facts_of(&facts, number);
    sbl_sink sink = {.kind = &counting, .facts = &facts, .state = &to};
    must(sbl_drawn_make(&records, &facts, 3 * ROWS, false, &err), &err);
    must(sbl_drawn_keep_persons(&records, &err), &err);
    size_t rows = 0;
    for (uint64_t p = 0; p < ROWS; p++)
        for (uint64_t j = 0; j <= p % 3; j++, rows++) {
            records.persons[rows] = p;
            records.numeric[rows] = (double)p;
        }
    must(sbl_resample_init(&s, &facts, ROWS, true, 2, 5, &err), &err); /* chunks that a person overflows */
    must(sbl_resample_write(&s, &sink, &records, rows, &err), &err);
    assert_int_equal(to.wrong, 0);
    assert_int_equal(to.left, 0);
    assert_int_equal(to.persons, ROWS);
    sbl_resample_clear(&s);
    sbl_drawn_clear(&records, &facts);
    sbl_facts_clear(&facts);
}

/* ---- models ---- */

static const char schema[] =
    JSON({"fields":[{"name":"sick","type":"string","constraints":{"enum":["no","yes"],
    "required":true}},{"name":"town","type":"string","constraints":{"enum":["Ayr","Bath"],"required":true}}]});

static const char persons[] = JSON({"fields":[{"name":"who","semblance":{"role":"id","id":"P-####"}},
    {"name":"sick","type":"string","constraints":{"enum":["no","yes"],"required":true},"semblance":{"per":"unit"}},
    {"name":"town","type":"string","constraints":{"enum":["Ayr","Bath"],"required":true}}],
    "semblance":{"unit":"who","max_rows_per_unit":2}});

AROUND(fresh)
{
    temp_folder_make(folder);
    write_file("schema.json", schema);
    FILE *file = create("data.csv");
    (void)fputs("sick,town\n", file);
    for (size_t r = 0; r < ROWS; r++)
        (void)fprintf(file, "%s,%s\n", r % 2 == 0 ? "yes" : "no", r % 3 == 0 ? "Ayr" : "Bath");
    (void)fclose(file);
}

/* The posterior of a run, ready to be drawn from. */
static void refit(sbl_refit *run, const char *method, double epsilon)
{
    sbl_synth_options options;
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    options.method = method;
    options.epsilon = epsilon;
    options.health = "off";
    options.threads = 1;
    options.overwrite = true;
    run_with(3, "data.csv", method, &options);
    sbl_synth_options_init(&options);
    options.threads = 1;
    *run = (sbl_refit){0};
    must(sbl_refit_load(run, sbl_file_item(release_of(method, 1)), &options, &err), &err);
    must(sbl_refit_fit(run, &options, &err), &err);
}

/* The share of rows that are sick in a table of the model. */
static double share_of(sbl_model *model, uint64_t rows, uint64_t seed)
{
    counted to = {0};
    sbl_sink sink = {.kind = &counting, .facts = sbl_model_output(model), .state = &to};
    const sbl_amount amount = {.rows = rows};
    const sbl_synth_options options = {.struct_size = sizeof options, .seed = seed, .threads = 1};
    sbl_error err = {0};
    must(sbl_draw(&sink, model, &amount, NULL, &options, &err), &err);
    assert_int_equal(to.rows, rows);
    return (double)to.yes / (double)to.rows;
}

/* A marginal of two cells, c and n - c: its share moves by the noise of both counts and by the error of sampling. Both are
 * of one size here, so that a posterior without either has half the variance. */
TEST(draws_have_the_variance_of_noise_and_of_sampling)
{
    sbl_refit run;
    moments shares = {0};
    sbl_error err = {0};
    refit(&run, "marginals", 0.6);
    for (uint64_t i = 0; i < DRAWS; i++) {
        sbl_model *model;
        must(sbl_posterior_draw(run.posterior, &model, i, &err), &err);
        assert_true(model->replicate);
        model->replicate = false; /* the model itself, by a large table */
        add(&shares, share_of(model, 20000, 1));
        sbl_model_free(model);
    }
    const sbl_release *release = run.rounds.items[0].release;
    const double share = share_of(run.fitted, 20000, 1);
    const double noise = sbl_release_noise_deviation(release, &release->blocks[0]) / ROWS;
    const double wanted =
        noise * noise * (share * share + (1 - share) * (1 - share)) + share * (1 - share) / ROWS;
    BETWEEN(mean(&shares), share - 0.01, share + 0.01);
    BETWEEN(variance(&shares), 0.75 * wanted, 1.3 * wanted);
    sbl_refit_clear(&run);
}

/* Tables of one replicate's model have the error of as many rows, or persons, that are drawn independently. */
static void check_tables(const char *method)
{
    sbl_refit run;
    sbl_model *model;
    moments shares = {0};
    sbl_error err = {0};
    refit(&run, method, 5);
    must(sbl_posterior_draw(run.posterior, &model, 0, &err), &err);
    for (uint64_t seed = 0; seed < DRAWS; seed++) add(&shares, share_of(model, ROWS, seed));
    const double share = mean(&shares);
    BETWEEN(share, 0.4, 0.6);
    BETWEEN(variance(&shares), 0.75 * share * (1 - share) / ROWS, 1.3 * share * (1 - share) / ROWS);
    sbl_model_free(model);
    sbl_refit_clear(&run);
}

TEST(tables_have_the_error_of_sampling_once)
{
    check_tables("marginals");
    check_tables("pairs");
    check_tables("forest");
}

TEST(tables_of_persons_have_the_error_of_sampling_once)
{
    write_file("schema.json", persons);
    FILE *file = create("data.csv");
    (void)fputs("who,sick,town\n", file);
    for (size_t r = 0; r < ROWS; r++)
        (void)fprintf(file, "%zu,%s,%s\n", r, r % 2 == 0 ? "yes" : "no", r % 3 == 0 ? "Ayr" : "Bath");
    (void)fclose(file);
    check_tables("histories");
}

EACH_TEST(fresh, remove_folder)
