/* SPDX-License-Identifier: Apache-2.0 */
/* Times the real gather on made-up records, four times as many each turn until the clock can
 * tell, and scales that to n; adds measured constants for reading and writing cells and the
 * method's own cost of a fit. Records are never opened, so the numbers may be shown. */
#include "run/pipeline/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/compute/threads.h"
#include "records/source/kept_source.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/keep_records.h"

/* What was measured of CSV files on one core at 2.1 to 2.6 GHz: seconds a cell to read, check and encode, and to draw,
 * format and write. */
#define SECONDS_TO_READ_CELL 4e-8
#define READING_THAT_COUNTS 0.15 /* of a reading: where records end, and no cells */
#define SECONDS_TO_DRAW_CELL 2.5e-7
/* Of the rehearsal: long enough to be seen, short against any run that one waits for. */
#define LEAST_SECONDS 0.01
#define MOST_SECONDS 0.5
#define MOST_RECORDS 65536
#define ROWS_OF_A_PERSON 4
#define BYTES_TO_READ 6e6 /* batches and tables of threads, of tables as of images */

/* Made-up records: all zeros, of the first category and class. */
typedef struct made_up {
    sbl_drawn rows;
    uint32_t *starts, *parents; /* of linked tables */
    sbl_records records;
} made_up;

/* For linked tables, a person has one row of each: every one is a start. */
static sbl_status make_linked(made_up *made, const sbl_facts *facts, size_t rows, sbl_error *err)
{
    const size_t persons = rows / sbl_events_tables(facts);
    sbl_status status = SBL_OK;
    SBL_ALLOC(made->starts, rows + 1, "made-up records");
    SBL_ALLOC(made->parents, rows, "made-up records");
    for (size_t r = 0; r <= rows; r++) made->starts[r] = (uint32_t)r;
    made->records = (sbl_records){.units = made->rows.units,
                                  .misfits = made->rows.misfits,
                                  .events = {.numeric = made->rows.numeric,
                                             .codes = made->rows.codes,
                                             .starts = made->starts,
                                             .parents = made->parents},
                                  .rows = persons};
done:
    return status;
}

/* Where a unit may own several rows, each unit here owns one: no table of units is larger for this number of
 * rows. A whole person has a few. */
static sbl_status make_records(made_up *made, const sbl_rounds *rounds, size_t rows, sbl_error *err)
{
    const bool linked = rounds->facts->table_facts != NULL;
    const size_t each = rounds->method->whole_units && !linked ? ROWS_OF_A_PERSON : 1;
    SBL_CHECK(sbl_drawn_make(&made->rows, rounds->facts, rows, true, err));
    for (size_t r = 0; made->rows.units != NULL && r < rows; r++)
        made->rows.units[r].low = (r / each + 1) * UINT64_C(0x9E3779B97F4A7C15); /* spread as hashes are */
    made->records = sbl_drawn_records(&made->rows, rounds->facts, 0, rows);
    if (linked) SBL_CHECK(make_linked(made, rounds->facts, rows, err));
    return SBL_OK;
}

static void clear_records(made_up *made, const sbl_facts *facts)
{
    sbl_drawn_clear(&made->rows, facts);
    sbl_free(made->starts);
    sbl_free(made->parents);
}

/* Processor seconds to sum this number of made-up records. */
static sbl_status time_sum(double *seconds, const sbl_rounds *rounds, size_t rows,
                           const sbl_synth_options *options, sbl_error *err)
{
    const sbl_synth_options alone = {.threads = options->threads, .neighbours = options->neighbours};
    made_up made = {0};
    sbl_source *source = NULL;
    sbl_sum *sum = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(make_records(&made, rounds, rows, err));
    SBL_TRY(sbl_source_open_memory(&source, &made.records, "made-up records", rounds->facts, err));
    if (rounds->method->whole_units && made.starts == NULL)
        SBL_TRY(sbl_source_open_persons(&source, source, err));
    const double started = sbl_processor_seconds();
    SBL_TRY(sbl_gather(&sum, source, &rounds->items[0].features, "nothing", &alone, err));
    *seconds = sbl_processor_seconds() - started;
done:
    sbl_sum_free(sum);
    sbl_source_close(source);
    clear_records(&made, rounds->facts);
    return status;
}

/* Of four times as many records, is what they take more theirs, and not what starts, ends and spins? */
static bool is_theirs(double less, double more)
{
    return more - less >= LEAST_SECONDS && 3.0 * (more - less) >= more;
}

/* For one record: the extra time of four times as many records, until the clock can measure it. If it never can,
 * because starting the threads takes longer than their work, the total time, an upper bound. */
static sbl_status time_record(double *seconds, const sbl_rounds *rounds, size_t threads,
                              const sbl_synth_options *options, sbl_error *err)
{
    const double most = MOST_SECONDS * (double)threads;
    size_t rows = sbl_slice_rows(rounds->facts) * threads;
    double less = 0.0;
    double more = 0.0;
    SBL_CHECK(time_sum(&less, rounds, rows, options, err)); /* warms up */
    SBL_CHECK(time_sum(&less, rounds, rows, options, err));
    for (;; rows *= 4) {
        SBL_CHECK(time_sum(&more, rounds, 4 * rows, options, err));
        if (is_theirs(less, more) || more >= most || rows >= MOST_RECORDS) break;
        less = more;
    }
    /* For linked tables a record is a person. */
    const size_t records = rows / sbl_events_tables(rounds->facts);
    *seconds =
        is_theirs(less, more) ? (more - less) / (3.0 * (double)records) : more / (4.0 * (double)records);
    return SBL_OK;
}

/* The most memory that this program had so far. What getrusage(2) says may be that of the process which started it. */
static double bytes_now(void)
{
    struct rusage used;
    char line[128];
    double kilobytes = 0.0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status != NULL && kilobytes == 0.0 && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    if (status != NULL) (void)fclose(status);
    if (kilobytes > 0.0) return 1024.0 * kilobytes;
    return getrusage(RUSAGE_SELF, &used) == 0 ? 1024.0 * (double)used.ru_maxrss : 0.0;
}

double sbl_planned_records(const sbl_rounds *rounds, uint64_t n)
{
    const json_t *settings = rounds->items[0].plan.settings;
    double persons = 0.0;
    if (rounds->method->whole_units) persons = json_number_value(json_object_get(settings, "persons"));
    if (persons > 0.0) return persons;
    return n != 0 ? (double)n : json_number_value(json_object_get(settings, "rows"));
}

double sbl_planned_rows(const sbl_rounds *rounds, uint64_t n)
{
    const bool linked = rounds->facts->table_facts != NULL;
    return linked ? sbl_planned_records(rounds, n) * (double)sbl_events_tables(rounds->facts) : (double)n;
}

double sbl_planned_waiting(const sbl_rounds *rounds, uint64_t n)
{
    const sbl_person_bytes bytes = sbl_source_person_bytes(rounds->facts, n);
    return sbl_planned_records(rounds, n) * bytes.person + sbl_planned_rows(rounds, n) * bytes.row;
}

/* How many records that is, of `records` that are read; where persons of one table are asked for, with as many
 * rows each as those that are planned for. */
static double records_drawn(const sbl_amount *drawn, const sbl_rounds *rounds, double records, uint64_t n)
{
    if (drawn == NULL) return 0.0;
    if (drawn->persons != 0) {
        const double persons = sbl_planned_records(rounds, n);
        return (double)drawn->persons * (records / persons);
    }
    return drawn->rows != 0 ? (double)drawn->rows : records;
}

/* Of records that are kept between the rounds; 0: each round reads them again. */
static double bytes_kept(const sbl_rounds *rounds, double records, const sbl_synth_options *options)
{
    const double bytes = records * (double)sbl_source_kept_bytes(rounds->facts);
    return sbl_keep_most(rounds, records, options) != 0 ? bytes : 0.0;
}

sbl_status sbl_estimate_run(sbl_estimate *estimate, const sbl_rounds *rounds, uint64_t n,
                            const sbl_amount *drawn, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_facts *facts = rounds->facts;
    const bool linked = facts->table_facts != NULL;
    const double records = linked ? sbl_planned_records(rounds, n) : (double)n;
    const double cells = facts->kind == SBL_DATA_TABLE ? (double)facts->columns : 0.0;
    sbl_fit_cost fit = {0};
    double each = 0.0;
    const size_t threads = options->threads != 0 ? options->threads : (size_t)sbl_thread_limit();
    const double before = bytes_now(); /* rehearsals of records take more than a run does */
    *estimate = (sbl_estimate){.threads = threads, .draws = drawn != NULL};
    SBL_CHECK(time_record(&each, rounds, threads, options, err));
    sbl_synth_options told = *options;
    told.threads = (unsigned)threads;
    if (rounds->method->cost != NULL)
        SBL_CHECK(rounds->method->cost(&fit, facts, &rounds->items[0], (uint64_t)records, &told, err));
    memcpy(estimate->device, fit.device, sizeof fit.device);
    memcpy(estimate->why, fit.why, sizeof fit.why);
    /* Rows of a table are counted first; linked ones are read once, and so are rows that are kept between rounds. */
    const double kept = bytes_kept(rounds, records, options);
    const double readings =
        linked ? 1.0 : (kept > 0 ? 1.0 : (double)rounds->most) + (cells > 0 ? READING_THAT_COUNTS : 0.0);
    const double summing = records * each * (double)rounds->most;
    const double parsing = records * SECONDS_TO_READ_CELL * cells * readings;
    const double drawings = records_drawn(drawn, rounds, records, n);
    const double writing = drawings * SECONDS_TO_DRAW_CELL * cells;
    estimate->reading = summing / (double)threads + parsing;
    estimate->fitting = fit.seconds + drawings * fit.draw_seconds + writing;
    estimate->processor = summing + parsing + fit.processor + drawings * fit.draw_processor + writing;
    estimate->bytes = fit.bytes + (fit.rehearsed ? bytes_now() : before + BYTES_TO_READ);
    estimate->bytes += kept + (double)sbl_source_lane_bytes(facts, threads);
    if (rounds->method->whole_units) estimate->bytes += sbl_planned_waiting(rounds, n);
    if (fit.forest_seconds == 0.0) return SBL_OK;
    estimate->forest_fitting = estimate->fitting - fit.seconds + fit.forest_seconds;
    estimate->forest_processor = estimate->processor - fit.processor + fit.forest_processor;
    estimate->forest_bytes = estimate->bytes - fit.bytes + fit.forest_bytes;
    return SBL_OK;
}

/* Two digits are more than is known. */
static double rounded(double value)
{
    if (!(value >= 1.0)) return value > 0.0 ? 1.0 : 0.0;
    const double unit = pow(10.0, floor(log10(value)) - 1.0);
    return unit >= 1.0 ? unit * round(value / unit) : round(value);
}

static void put_time(sbl_text *text, double seconds)
{
    if (seconds < 120.0)
        sbl_text_printf(text, "%.0f s", rounded(seconds));
    else if (seconds < 7200.0)
        sbl_text_printf(text, "%.0f minutes", rounded(seconds / 60.0));
    else
        sbl_text_printf(text, "%.0f hours", rounded(seconds / 3600.0));
}

/* Does another than the CPU train? */
static bool is_device(const sbl_estimate *estimate)
{
    return estimate->device[0] != '\0' && strcmp(estimate->device, SBL_DEVICE_CPU) != 0;
}

void sbl_estimate_words(sbl_text *text, const sbl_estimate *estimate)
{
    sbl_text_printf(text, "about ");
    put_time(text, estimate->reading + estimate->fitting);
    sbl_text_printf(text, " with %zu thread%s on this machine (", estimate->threads,
                    estimate->threads == 1 ? "" : "s");
    put_time(text, estimate->reading);
    sbl_text_printf(text, " to read, ");
    put_time(text, estimate->fitting);
    sbl_text_printf(text, " to fit%s%s%s; ", is_device(estimate) ? " on " : "",
                    is_device(estimate) ? estimate->device : "", estimate->draws ? " and draw" : "");
    put_time(text, estimate->processor);
    sbl_text_printf(text, " of processor time) and %.0f MB", rounded(estimate->bytes / 1e6));
    if (estimate->forest_fitting == 0.0) return;
    sbl_text_printf(text, "; with forests, if a probe asks for them, ");
    put_time(text, estimate->reading + estimate->forest_fitting);
    sbl_text_printf(text, " (");
    put_time(text, estimate->forest_processor);
    sbl_text_printf(text, " of processor time) and %.0f MB", rounded(estimate->forest_bytes / 1e6));
}
