/* SPDX-License-Identifier: Apache-2.0 */
/* The methods `pairs` and `forest` through the public API, with a fixed key: three or six releases, each of
 * which moves by no more than its own charge when one row changes, the earlier ones being what they are; a
 * run that was stopped between them and goes on; streams, threads, and rows of one class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "public/account/budget.h"
#include "records/features/leaves.h"
#include "records/features/marginal_counts.h"
#include "support/by_path.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/run_kit.h"
#include "support/sum_kit.h"

enum { ROWS = 300, NO_ROW = ROWS };

/* A run's method and how many releases it makes: by name forests are grown whatever their probe says, and
 * under auto these rows have nothing for them. */
typedef struct course {
    const char *method;
    size_t rounds;
} course;
static const course pairs_course = {"pairs", 3}, forest_course = {"forest", 6};
static const course *const courses[] = {&pairs_course, &forest_course};
static const course *now = &pairs_course;
#define EACH_COURSE                                                                                  \
    for (size_t which = 0; which < sizeof courses / sizeof *courses && (now = courses[which], true); \
         which++, now = &pairs_course)

static const char schema[] = JSON({"fields":[{"name":"age","type":"integer","constraints":{"minimum":0,
    "maximum":100,"required":true}},
    {"name":"pay","type":"number","constraints":{"minimum":0,"maximum":9999},"semblance":{"decimals":2,
    "transform":"log"}},{"name":"town","type":"string","constraints":{"enum":["Ayr","Bath","Cork"]}},
    {"name":"sick","type":"string","constraints":{"enum":["no","yes"],"required":true}}],"missingValues":[""],
    "semblance":{"label":"sick","task":"classification"}});

/* ---- data ---- */

/* Columns that follow each other, so that there is something to find. Row `which` is `raw` instead, or
 * is not there when raw is NULL. */
static void write_table(const char *name, size_t which, const char *raw)
{
    static const char *const towns[] = {"Ayr", "Bath", "Cork", ""};
    FILE *file = create(name);
    (void)fputs("age,pay,town,sick\n", file);
    for (size_t r = 0; r < ROWS; r++) {
        const size_t age = r * 37 % 101;
        if (r != which)
            (void)fprintf(file, "%zu,%zu.%02zu,%s,%s\n", age, age * age % 9999, r % 100,
                          towns[(age / 30 + r % 7 / 6) % 4], age > 60 ? "yes" : "no");
        else if (raw != NULL)
            (void)fprintf(file, "%s\n", raw);
    }
    (void)fclose(file);
}

AROUND(fresh)
{
    temp_folder_make(folder);
    write_file("schema.json", schema);
    write_table("data.csv", NO_ROW, NULL);
}

static void start_afresh(void)
{
    (void)remove_folder(NULL);
    (void)fresh(NULL);
}

/* ---- runs ---- */

static sbl_synth_options options_of(sbl_neighbours neighbours)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.method = now->method;
    options.epsilon = 8;
    options.delta = 1e-5;
    options.neighbours = neighbours;
    options.threads = 2;
    options.health = "off"; /* what moves it most moves nothing else most: see test_health */
    return options;
}

typedef sbl_status way_to_run(char **statement, const char *input, const char *schema_path,
                              const char *output, uint64_t rows, const char *model_path,
                              const sbl_synth_options *options, sbl_error *err);

static sbl_status run_by(way_to_run *way, const char *input, const char *output, uint64_t rows,
                         const sbl_synth_options *options, sbl_error *err)
{
    return way(NULL, at(input), at("schema.json"), at(output), rows, NULL, options, err);
}

static void run(const char *input, const char *output, uint64_t rows, const sbl_synth_options *options)
{
    sbl_error err = {0};
    sbl_test_key_set(99);
    must(run_by(table_run, input, output, rows, options, &err), &err);
}

/* Stops a run as soon as it reads, or draws, while the file `context` is there. */
static int stop_after(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    (void)what, (void)step, (void)steps, (void)loss;
    return access(context, F_OK) == 0;
}

/* A run that ends after its release number `round`. */
static void run_until(const char *input, const char *output, size_t round, sbl_error *err,
                      const sbl_synth_options *options)
{
    char last[512];
    sbl_synth_options stopping = *options;
    (void)snprintf(last, sizeof last, "%s", release_of(output, round));
    stopping.progress = stop_after;
    stopping.context = last;
    sbl_test_key_set(99);
    assert_int_equal(run_by(table_run, input, output, 0, &stopping, err), SBL_ESTOPPED);
}

/* ---- replay ---- */

typedef struct change {
    size_t at;       /* the row that is changed */
    const char *raw; /* into this; NULL: it is left out */
} change;

static const change replaced[] = {
    {ROWS - 1, "100,9999,Cork,yes"},
    {ROWS - 1, "0,0,Ayr,no"},
    {0, "100,9999,,yes"},
    {0, "0,0,,yes"},
    {ROWS - 1, ",,,"},
    {0, "nan,inf,nowhere,perhaps"},
    {ROWS - 1, "1e308,-1e308,Bath,yes"},
    {ROWS / 2, "7"},
    {0, ""},
    {ROWS - 1, "1,2,3,4,5,6,7,8"},
    {1, "\xff\xfe,\x80,\xc0,\xf5"},
};
static const change removed[] = {{0, NULL}, {ROWS - 1, NULL}, {ROWS / 2, NULL}};

/* m^2 (S - S')^2, over all values that get noise. */
static sbl_u128 moved_of(const sbl_release *release, const sbl_sum *a, const sbl_sum *b)
{
    const sbl_layout *layout = sbl_sum_layout(a);
    sbl_u128 moved = 0;
    assert_int_equal(release->block_count, layout->block_count);
    for (size_t i = 0; i < release->block_count; i++)
        for (size_t v = 0; v < release->blocks[i].width; v++) {
            const sbl_i128 step =
                (sbl_i128)release->blocks[i].multiplier * (sbl_sum_values(a, i)[v] - sbl_sum_values(b, i)[v]);
            moved += (sbl_u128)step * (sbl_u128)step;
        }
    return moved;
}

/* What is released are these sums: what is left without them looks like noise of scale 2^56. */
static void check_noise(const sbl_release *release, const sbl_sum *sum)
{
    double squares = 0.0;
    for (size_t i = 0; i < release->block_count; i++)
        for (size_t v = 0; v < release->blocks[i].width; v++) {
            const sbl_i128 exact = (sbl_i128)release->blocks[i].multiplier * sbl_sum_values(sum, i)[v];
            const double noise = (double)(release->values[release->blocks[i].offset + v] - exact) * 0x1p-56;
            squares += noise * noise;
        }
    /* Of n squares the deviation is sqrt(2 / n): six of them. */
    const double n = (double)release->value_count;
    assert_true(fabs(squares / n - 1.0) < 6.0 * sqrt(2.0 / n));
}

/* Counts of `count` entries: none below 0, and all of them together one a record. */
static void check_total(const int64_t *counts, size_t count, int64_t rows)
{
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(counts[i] >= 0);
        total += counts[i];
    }
    assert_int_equal(total, rows);
}

/* Every record is counted once in every table, and in one leaf of every tree. */
static void check_totals(const planned *p, const sbl_sum *sum, int64_t rows)
{
    for (size_t f = 0; f < p->features.count; f++) {
        const sbl_feature_instance *item = &p->features.items[f];
        if (item->kind == &sbl_feature_tables) {
            const sbl_table_list *tables = item->made;
            for (size_t t = 0; t < tables->plan.table_count; t++)
                check_total(sbl_sum_values(sum, item->block + tables->block_of[t]) + tables->offset[t],
                            sbl_pairs_table_entries(&tables->plan, t), rows);
        } else {
            const sbl_trees *trees = &((const sbl_leaves *)item->made)->trees;
            assert_ptr_equal(item->kind, &sbl_feature_leaves);
            for (size_t t = 0; t < trees->tree_count; t++)
                check_total(sbl_sum_values(sum, item->block) + trees->trees[t].at, sbl_tree_entries(trees, t),
                            rows);
        }
    }
}

/* The largest part of the charge of release `round` that a change moves, all before it fixed. */
static double worst_of_round(size_t round, const change *changes, size_t count)
{
    replayed release;
    planned p;
    double worst = 0.0;
    load_run(&release, "data.csv", "out.csv", round);
    planned_make(&p, release.release->plan);
    assert_int_equal(p.plan.round, round);
    sbl_sum *own = sum_of_table(&p, at("data.csv"), 2);
    check_totals(&p, own, ROWS);
    check_noise(release.release, own);
    for (size_t i = 0; i < count; i++) {
        write_table("other.csv", changes[i].at, changes[i].raw);
        sbl_sum *other = sum_of_table(&p, at("other.csv"), 1);
        check_totals(&p, other, ROWS - (changes[i].raw == NULL));
        const double part = replayed_part(&release, moved_of(release.release, own, other));
        if (part > 1.0)
            fail_msg("round %zu: '%s' moves %g of what was charged", round,
                     changes[i].raw != NULL ? changes[i].raw : "one row less", part);
        if (part > worst) worst = part;
        sbl_sum_free(other);
    }
    sbl_sum_free(own);
    planned_clear(&p);
    replayed_clear(&release);
    return worst;
}

TEST(every_round_moves_by_no_more_than_it_was_charged)
{
    EACH_COURSE
    for (int relation = 0; relation < 2; relation++) {
        const bool add_remove = relation == SBL_ADD_REMOVE;
        const sbl_synth_options options = options_of((sbl_neighbours)relation);
        start_afresh();
        run("data.csv", "out.csv", 0, &options);
        for (size_t round = 1; round <= now->rounds; round++) {
            const double worst = add_remove
                                     ? worst_of_round(round, removed, sizeof removed / sizeof *removed)
                                     : worst_of_round(round, replaced, sizeof replaced / sizeof *replaced);
            /* A record is a 1 in each table, whatever it is: the charge is none too large. */
            if (!(worst > 0.99)) fail_msg("round %zu: only %g of the charge", round, worst);
        }
    }
}

/* What is before the first release is public: it does not know the rows. */
TEST(first_release_is_public_but_for_its_noisy_counts)
{
    for (int relation = 0; relation < 2; relation++) {
        const sbl_synth_options options = options_of((sbl_neighbours)relation);
        const change *changes = relation == SBL_ADD_REMOVE ? removed : replaced;
        const size_t count = relation == SBL_ADD_REMOVE ? sizeof removed / sizeof *removed
                                                        : sizeof replaced / sizeof *replaced;
        for (size_t i = 0; i < count; i++) {
            sbl_error err = {0};
            CLEARED(replayed_clear) replayed own;
            start_afresh();
            write_table("other.csv", changes[i].at, changes[i].raw);
            run_until("data.csv", "a", 1, &err, &options);
            run_until("other.csv", "b", 1, &err, &options);
            (void)compare_runs((const char *[]){"data.csv", "other.csv"}, (const char *[]){"a", "b"}, 1,
                               changes[i].raw != NULL ? changes[i].raw : "one row less");
            load_run(&own, "data.csv", "a", 1);
            assert_int_equal(own.release->n, relation == SBL_ADD_REMOVE ? 0 : ROWS);
        }
    }
}

/* ---- the budget ---- */

TEST(rounds_spend_their_shares_and_no_more_than_the_budget)
{
    EACH_COURSE
    for (int relation = 0; relation < 2; relation++) {
        sbl_error err = {0};
        double mu;
        double epsilon;
        double shares = 0.0;
        const sbl_synth_options options = options_of((sbl_neighbours)relation);
        start_afresh();
        run("data.csv", "out.csv", 0, &options);
        must(sbl_gdp_mu(&mu, options.epsilon, options.delta, &err), &err);
        for (size_t round = 1; round <= now->rounds; round++) {
            CLEARED(replayed_clear) replayed release;
            CLEARED(planned_clear) planned p;
            load_run(&release, "data.csv", "out.csv", round);
            planned_make(&p, release.release->plan);
            shares += p.plan.share;
            const double spent = sbl_fixed96_to_double_up(release.charge.mu2) / (mu * mu);
            assert_true(spent <= p.plan.share && spent > 0.9 * p.plan.share);
            assert_int_equal(release.release->n, relation == SBL_ADD_REMOVE ? 0 : ROWS);
        }
        assert_true(shares <= 1.0 + 1e-12);
        const sbl_totals totals = totals_of("data.csv");
        assert_int_equal(totals.releases, now->rounds);
        must(sbl_totals_epsilon(&epsilon, &totals, options.delta, &err), &err);
        assert_true(epsilon <= options.epsilon);
        expect_certified("data.csv", "out.csv", "GUARANTEE");
    }
}

/* ---- going on ---- */

TEST(run_that_was_stopped_goes_on_to_the_same_table_and_pays_once)
{
    EACH_COURSE
    for (int relation = 0; relation < 2; relation++) {
        const sbl_synth_options options = options_of((sbl_neighbours)relation);
        start_afresh();
        run("data.csv", "out.csv", 0, &options);
        FREED(free) char *whole = text_of("out.csv");
        const sbl_totals paid = totals_of("data.csv");
        /* After the last release only drawing is left, which can be stopped too. */
        for (size_t round = 1; round <= now->rounds; round++) {
            sbl_error err = {0};
            start_afresh();
            run_until("data.csv", "out.csv", round, &err, &options);
            assert_int_equal(err.hint, round < now->rounds ? SBL_HINT_RESUME : SBL_HINT_TRAIN);
            assert_non_null(strstr(err.message, round < now->rounds
                                                    ? "and is not paid for again"
                                                    : "and going on from there costs nothing"));
            assert_int_equal(totals_of("data.csv").releases, round);
            must(run_by(table_resume, "data.csv", "out.csv", 0, &options, &err), &err);
            char *text = text_of("out.csv");
            assert_string_equal(text, whole);
            free(text);
            const sbl_totals total = totals_of("data.csv");
            assert_int_equal(total.releases, now->rounds);
            assert_true(total.charge.mu2 == paid.charge.mu2);
        }
    }
}

/* How often a fit said how far it was, and the last that it said. */
typedef struct heard {
    size_t calls;
    uint64_t last, steps;
    uint64_t stop_at; /* 0: never */
} heard;

static int hear(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    heard *h = context;
    (void)loss;
    if (strcmp(what, "fitting") != 0) return 0;
    assert_true(step >= h->last && step <= steps && steps > 0);
    h->calls++;
    h->last = step;
    h->steps = steps;
    return h->stop_at != 0 && step >= h->stop_at;
}

TEST(a_fit_says_how_far_it_is_to_its_end_and_can_be_stopped)
{
    sbl_error err = {0};
    heard h = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    options.progress = hear;
    options.context = &h;
    run("data.csv", "out.csv", 0, &options);
    assert_true(h.calls >= 25);
    assert_int_equal(h.last, h.steps);
    h = (heard){.stop_at = h.steps / 2};
    start_afresh();
    assert_int_equal(run_by(table_run, "data.csv", "out.csv", 0, &options, &err), SBL_ESTOPPED);
    assert_int_equal(err.hint, SBL_HINT_TRAIN);
    assert_true(h.last < h.steps);
    assert_int_equal(totals_of("data.csv").releases, now->rounds);
}

/* The files that are public say all that the run knew: how many rows there were included. */
TEST(model_of_the_releases_alone_draws_the_same_table)
{
    EACH_COURSE
    for (int relation = 0; relation < 2; relation++) {
        const bool add_remove = relation == SBL_ADD_REMOVE;
        sbl_error err = {0};
        sbl_synth_options options = options_of((sbl_neighbours)relation);
        start_afresh();
        options.epsilon = add_remove ? 1 : 8;
        run("data.csv", "out.csv", 0, &options);
        must(train_files(release_of("out.csv", 1), at("m"), &options, &err), &err);
        must(table_sample(at("m"), at("again.csv"), 0, NULL, &options, &err), &err);
        expect_same_text("out.csv", "again.csv");
        /* A noisy number, which under this key is another one. */
        assert_int_equal(lines_of("out.csv") == ROWS + 1, !add_remove);
    }
}

/* ---- one release, streams, threads, rows ---- */

/* The table through a pipe, by a process of its own. */
static pid_t feed(const char *pipe)
{
    char *text = text_of("data.csv");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *file = fopen(pipe, "w");
        const bool good = file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
        _exit(good ? 0 : 1);
    }
    free(text);
    return child;
}

TEST(stream_is_enough_for_one_release_and_for_no_more)
{
    EACH_COURSE
    for (int relation = 0; relation < 2; relation++) {
        sbl_error err = {0};
        sbl_synth_options options = options_of((sbl_neighbours)relation);
        start_afresh();
        options.expected_rows = ROWS; /* nobody can count a stream and read it, too */
        assert_int_equal(mkfifo(at("pipe"), 0600), 0);
        give(&options, "rounds", "2");
        assert_int_equal(run_by(table_run, "pipe", "out.csv", 0, &options, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "stream"));
        give(&options, "rounds", NULL); /* not said: one, as it is a stream */
        const pid_t child = feed(at("pipe"));
        sbl_test_key_set(99);
        must(run_by(table_run, "pipe", "out.csv", 0, &options, &err), &err);
        int ended;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
        assert_true(exists("out.csv.release") && !exists("out.csv.release.2"));
        give(&options, "rounds", "1");
        run("data.csv", "same.csv", 0, &options);
        expect_same_text("out.csv", "same.csv");
    }
}

TEST(rows_do_not_depend_on_threads)
{
    for (unsigned t = 0; t < 2; t++) {
        sbl_synth_options options = options_of(SBL_REPLACE_ONE);
        options.threads = t + 1;
        run("data.csv", t == 0 ? "one.csv" : "two.csv", 700, &options);
    }
    expect_same_text("one.csv", "two.csv");
}

TEST(records_that_are_kept_between_rounds_change_nothing)
{
    static const char *const megabytes[] = {"0", "1"};
    EACH_COURSE
    {
        for (size_t i = 0; i < 2; i++) {
            sbl_synth_options options = options_of(SBL_REPLACE_ONE);
            give(&options, "keep-records", megabytes[i]);
            options.overwrite = true;
            run("data.csv", i == 0 ? "read.csv" : "kept.csv", 700, &options);
        }
        expect_same_text("read.csv", "kept.csv");
    }
}

TEST(any_number_of_rows_is_drawn_and_of_one_class_alone)
{
    static const uint64_t wanted[] = {1, 7, ROWS, 1000};
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    options.overwrite = true;
    sbl_test_key_set(99);
    must(table_fit(NULL, at("data.csv"), at("schema.json"), at("m"), &options, &err), &err);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (int class = 0; class < 3; class ++) {
            static const char *const where[] = {NULL, "sick=no", "sick=yes"};
            must(table_sample(at("m"), at("rows.csv"), wanted[i], where[class], &options, &err), &err);
            FREED(free) char *text = text_of("rows.csv");
            assert_int_equal(lines_of("rows.csv"), wanted[i] + 1);
            if (class == 1) assert_null(strstr(text, ",yes\n"));
            if (class == 2) assert_null(strstr(text, ",no\n"));
        }
    assert_int_equal(table_sample(at("m"), at("rows.csv"), 5, "sick=maybe", &options, &err), SBL_EARG);
    assert_int_equal(table_sample(at("m"), at("rows.csv"), 5, "nothing=Cork", &options, &err), SBL_EARG);
}

/* Every row of a table with these words in its columns; the words of the first are NULL where they
 * do not matter. */
static void rows_are(const char *name, size_t rows, const char *begin, const char *end)
{
    FREED(free) char *text = text_of(name);
    size_t seen = 0;
    char *line = strtok(text, "\n");
    for (line = strtok(NULL, "\n"); line != NULL; line = strtok(NULL, "\n"), seen++) {
        const size_t length = strlen(line);
        assert_true(strncmp(line, begin, strlen(begin)) == 0);
        assert_true(length >= strlen(end) && strcmp(line + length - strlen(end), end) == 0);
    }
    assert_int_equal(seen, rows);
}

TEST(rows_are_drawn_with_any_columns_fixed)
{
    static const char *const bad[][2] = {{"age=101", "'age'"},
                                         {"age=old", "'age'"},
                                         {"age=", "'age'"},
                                         {"town=Oslo", "'town'"},
                                         {"sick=yes\nsick=no", "'sick'"},
                                         {"height=3", "'height', which is not a column"},
                                         {"town=Cork\n", "ends where a value"}};
    sbl_error err = {0};
    sbl_synth_options options = options_of(SBL_REPLACE_ONE);
    options.overwrite = true;
    sbl_test_key_set(99);
    must(table_fit(NULL, at("data.csv"), at("schema.json"), at("m"), &options, &err), &err);
    must(table_sample(at("m"), at("rows.csv"), 3000, "town=Cork\nage=70\nsick=yes", &options, &err), &err);
    rows_are("rows.csv", 3000, "70,", ",Cork,yes");
    char *before = text_of("rows.csv");
    options.threads = 1;
    must(table_sample(at("m"), at("rows.csv"), 3000, "sick=yes\ntown=Cork\nage=70", &options, &err), &err);
    char *after = text_of("rows.csv");
    assert_string_equal(before, after); /* of any number of threads, and in any order */
    free(before);
    free(after);
    must(table_sample(at("m"), at("rows.csv"), 20, "town=\npay=", &options, &err), &err);
    rows_are("rows.csv", 20, "", "");
    char *text = text_of("rows.csv");
    assert_non_null(strstr(text, ",,,"));
    free(text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(table_sample(at("m"), at("rows.csv"), 5, bad[i][0], &options, &err), SBL_EARG);
        assert_non_null(strstr(err.message, bad[i][1]));
        assert_null(strstr(err.message, "Oslo"));
    }
}

EACH_TEST(fresh, remove_folder)
