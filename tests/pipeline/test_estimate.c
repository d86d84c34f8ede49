/* SPDX-License-Identifier: Apache-2.0 */
/* How long the rehearsal says that reading takes, by a clock that the test sets, and drawing, by a method that says
 * what one record takes. */
#include <math.h>
#include <string.h>

#include "records/source/kept_source.h"
#include "run/pipeline/estimate.h"
#include "run/pipeline/keep_records.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/option_kit.h"

/* Seconds of one rehearsed sum after the other; behind the last no time passes. */
static const double *takes;
static size_t sums, asked;

double __wrap_sbl_processor_seconds(void);
double __wrap_sbl_processor_seconds(void)
{
    const size_t i = asked++;
    return i % 2 == 1 && i / 2 < sums ? takes[i / 2] : 0.0;
}

/* Of 60,000 records on one thread: the seconds it says, over those of one slice's records at a second
 * each. */
static double slices_said(const double *seconds, size_t count)
{
    enum { RECORDS = 60000 };
    sbl_synth_options options;
    sbl_facts facts;
    sbl_rounds rounds;
    sbl_estimate estimate;
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.method = "marginals";
    options.threads = 1;
    data_facts(&facts, DATA_LABELLED);
    assert_ok(sbl_rounds_begin(&rounds, &facts, &options, &err));
    takes = seconds;
    sums = count;
    asked = 0;
    assert_ok(sbl_estimate_run(&estimate, &rounds, RECORDS, NULL, &options, &err));
    const double parsing = RECORDS * 4e-8 * (double)facts.columns * ((double)rounds.most + 0.15);
    const double slice = (double)sbl_slice_rows(&facts);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    return (estimate.reading - parsing) * slice / RECORDS;
}

/* The first two are of one slice each, and every one behind them of four times the records. */
TEST(reading_takes_what_more_records_take_more)
{
    static const double steady[] = {9, 0.1, 0.34};              /* .08 a slice, .02 to start */
    static const double slow_to_start[] = {9, 0.2, 0.21, 0.34}; /* of 4 slices .21, of 16 .34 */
    assert_true(fabs(slices_said(steady, 3) - 0.08) < 1e-9);
    assert_true(fabs(slices_said(slow_to_start, 4) - 0.13 / 12) < 1e-9);
}

/* Threads that spin and start for longer than they work: not nothing, but at most what all of it took. */
TEST(reading_is_not_nothing_where_the_clock_cannot_tell)
{
    static const double falling[] = {9, 2.0, 1.9};
    assert_true(fabs(slices_said(falling, 3) - 1.9 / 4) < 1e-9);
}

/* ---- drawing ---- */

#define CELL 2.5e-7 /* seconds to decode and write one, on top */

static size_t rehearsals;

static sbl_status say_cost(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                           const sbl_synth_options *options, sbl_error *err)
{
    (void)facts, (void)first, (void)n, (void)options, (void)err;
    rehearsals++;
    cost->seconds = 100;
    cost->processor = 200;
    cost->draw_seconds = 2;
    cost->draw_processor = 3;
    return SBL_OK;
}

/* Of n records by a method of those costs; the words into words. */
static sbl_estimate drawing_said(sbl_text *words, const sbl_facts *facts, sbl_synth_options *options,
                                 uint64_t n, const sbl_amount *drawn)
{
    const sbl_method *like = NULL;
    sbl_rounds rounds;
    sbl_estimate estimate;
    sbl_error err = {0};
    assert_ok(sbl_method_find(&like, options->method, facts->kind, NULL, &err));
    sbl_method mine = *like;
    const sbl_method *const more[] = {&mine, NULL};
    mine.name = "mine";
    mine.cost = say_cost;
    sums = asked = 0;
    options->epsilon = 1;
    options->threads = 1;
    options->method = "mine";
    options->more_methods = more;
    if (sbl_rounds_begin(&rounds, facts, options, &err) != SBL_OK ||
        sbl_estimate_run(&estimate, &rounds, n, drawn, options, &err) != SBL_OK)
        fail_msg("%s", err.message);
    options->method = like->name;
    options->more_methods = NULL;
    sbl_estimate_words(words, &estimate);
    sbl_rounds_clear(&rounds);
    return estimate;
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-9 * fmax(fabs(a), fabs(b)); }

TEST(drawing_is_counted_by_how_much_is_drawn)
{
    static const sbl_amount as_many = {0};
    static const sbl_amount some = {.rows = 7};
    const struct {
        const sbl_amount *drawn;
        double records;
        const char *words;
    } cases[] = {{NULL, 0, "to fit; "}, {&as_many, 1000, "to fit and draw; "}, {&some, 7, "draw; "}};
    sbl_synth_options options;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    double beside = 0; /* of the processor, to read */
    sbl_synth_options_init(&options);
    options.method = "marginals";
    data_facts(&facts, DATA_LABELLED);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_text words = {0};
        const double records = cases[i].records;
        const double writing = records * CELL * (double)facts.columns;
        const sbl_estimate e = drawing_said(&words, &facts, &options, 1000, cases[i].drawn);
        if (i == 0) beside = e.processor - 200;
        assert_true(is_near(e.fitting, 100 + 2 * records + writing));
        assert_true(is_near(e.processor, beside + 200 + 3 * records + writing));
        assert_int_equal(e.draws, cases[i].drawn != NULL);
        assert_non_null(strstr(words.data, cases[i].words));
        sbl_text_clear(&words);
    }
}

/* A table of 4000 rows of 1000 persons: of 500 persons there are 2000. */
TEST(persons_are_drawn_with_as_many_rows_as_are_planned)
{
    static const char json[] = JSON({"fields": [{"name": "ward", "type": "string",
        "constraints": {"enum": ["a", "b"], "required": true}}, {"name": "id", "type": "string"}],
        "semblance": {"unit": "id", "max_rows_per_unit": 5}});
    static const sbl_amount persons = {.persons = 500};
    sbl_synth_options options;
    sbl_schema *schema = NULL;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_text_clear) sbl_text words = {0};
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, json, sizeof json - 1, "s.json", &err) != SBL_OK ||
        sbl_facts_of_table(&facts, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
    sbl_synth_options_init(&options);
    options.method = "histories";
    give(&options, "expect-persons", "1000");
    const sbl_estimate e = drawing_said(&words, &facts, &options, 4000, &persons);
    assert_true(is_near(e.fitting, 100 + 2000 * (2 + CELL * (double)facts.columns)));
}

/* ---- where nobody asks ---- */

TEST(a_plan_without_an_estimate_rehearses_nothing)
{
    const sbl_method *marginals = NULL;
    sbl_synth_options options;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_rounds_clear) sbl_rounds rounds;
    sbl_error err = {0};
    data_facts(&facts, DATA_LABELLED);
    assert_ok(sbl_method_find(&marginals, "marginals", facts.kind, NULL, &err));
    sbl_method mine = *marginals;
    const sbl_method *const more[] = {&mine, NULL};
    mine.name = "mine";
    mine.cost = say_cost;
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.method = "mine";
    options.more_methods = more;
    assert_ok(sbl_rounds_begin(&rounds, &facts, &options, &err));
    for (int without = 0; without < 2; without++) {
        options.no_estimate = without;
        for (int json = 0; json < 2; json++) {
            char *text = NULL;
            sums = asked = rehearsals = 0;
            assert_ok_or_say(sbl_rounds_show(&text, &rounds, 1000, json, &options, &err));
            assert_int_equal(rehearsals, without ? 0 : 1);
            assert_int_equal(asked == 0, without);
            assert_non_null(strstr(text, json ? "\"blocks\"" : "one joint release of"));
            assert_int_equal(strstr(text, json ? "\"estimate\"" : "a run takes") == NULL, without);
            sbl_free(text);
        }
    }
}

/* ---- records between rounds ---- */

/* What a number of records decides about keeping them, with a limit in MiB and the method of that name. */
static size_t kept_of(const char *method, const char *mebibytes, double records)
{
    sbl_synth_options options;
    CLEARED(sbl_facts_clear) sbl_facts facts;
    CLEARED(sbl_rounds_clear) sbl_rounds rounds;
    sbl_error err = {0};
    data_facts(&facts, DATA_LABELLED);
    sbl_synth_options_init(&options);
    options.epsilon = 1;
    options.method = method;
    if (mebibytes != NULL) give(&options, "keep-records", mebibytes);
    assert_ok_or_say(sbl_rounds_begin(&rounds, &facts, &options, &err));
    return sbl_keep_most(&rounds, records, &options);
}

TEST(records_are_kept_where_their_number_may_fit)
{
    CLEARED(sbl_facts_clear) sbl_facts facts;
    data_facts(&facts, DATA_LABELLED);
    const size_t limit = (size_t)3 << 20;
    const double fit = floor((double)limit / (double)sbl_source_kept_bytes(&facts));
    assert_int_equal(kept_of("pairs", "3", 0), limit); /* unknown: until there is no more room */
    assert_int_equal(kept_of("pairs", "3", fit), limit);
    assert_int_equal(kept_of("pairs", "3", fit + 1), 0);
    assert_int_equal(kept_of("pairs", "0", 1), 0);
    assert_int_equal(kept_of("marginals", NULL, 1), 0); /* one round */
}
