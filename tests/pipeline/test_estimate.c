/* How long the rehearsal says that reading takes, by a clock that the test sets. */
#include <math.h>

#include "pipeline/estimate.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"

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
    assert_int_equal(sbl_rounds_begin(&rounds, &facts, &options, &err), SBL_OK);
    takes = seconds;
    sums = count;
    asked = 0;
    assert_int_equal(sbl_estimate_run(&estimate, &rounds, RECORDS, &options, &err), SBL_OK);
    const double parsing = RECORDS * 9e-8 * (double)facts.columns * (double)(rounds.most + 1);
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
