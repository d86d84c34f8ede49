/* SPDX-License-Identifier: Apache-2.0 */
/* Probes give every cell one answer, and verdicts hold what the histograms show: bounds that contain
 * what is frequent and are not far from it, under any noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/discover/discovery.h"
#include "base/alloc.h"
#include "public/schema/calendar.h"
#include "records/rows/probe_cell.h"
#include "records/source/source.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static uint32_t answer(const sbl_probe *probe, const char *text)
{
    char padded[128] = {0};
    (void)snprintf(padded, sizeof padded, "%s", text);
    const uint32_t code = sbl_probe_cell(probe, padded, strlen(padded));
    assert_true(code < sbl_probe_answers(probe));
    return code;
}

TEST(cells_look_like_what_they_are)
{
    const sbl_probe probe = {.kind = SBL_PROBE_TYPE};
    static const struct {
        const char *text;
        uint32_t look;
    } cases[] = {
        {"", SBL_LOOKS_MISSING},
        {"?", SBL_LOOKS_MISSING + 1},
        {" NA ", SBL_LOOKS_MISSING + 2},
        {"true", SBL_LOOKS_BOOLEAN},
        {"yes", SBL_LOOKS_TEXT},
        {"17", SBL_LOOKS_INTEGER},
        {" -3 ", SBL_LOOKS_INTEGER},
        {"4.", SBL_LOOKS_INTEGER},
        {"4.5", SBL_LOOKS_DECIMAL},
        {"4.25", SBL_LOOKS_DECIMAL + 1},
        {"1e5", SBL_LOOKS_LONG_DECIMAL},
        {"0.1234567", SBL_LOOKS_LONG_DECIMAL},
        {"1e999", SBL_LOOKS_TEXT},
        {"2024-02-29", SBL_LOOKS_DATE},
        {"2023-02-29", SBL_LOOKS_TEXT},
        {"2024-02-29T10:00:00", SBL_LOOKS_DATETIME},
        {"a b", SBL_LOOKS_TEXT},
        {"1,5", SBL_LOOKS_COMMA},
        {" -1.234,50 ", SBL_LOOKS_COMMA},
        {"1,234", SBL_LOOKS_COMMA},
        {"1,2,3", SBL_LOOKS_TEXT},
        {"Ayr, old", SBL_LOOKS_TEXT},
        {"1,e999", SBL_LOOKS_TEXT},
        {",", SBL_LOOKS_TEXT},
        {"nan", SBL_LOOKS_MISSING + 5},
        {"01234", SBL_LOOKS_ZERO_LED},
        {"00", SBL_LOOKS_ZERO_LED},
        {"0", SBL_LOOKS_INTEGER},
        {"0.5", SBL_LOOKS_DECIMAL},
        {"-012", SBL_LOOKS_INTEGER},
        {"31.12.2024", SBL_LOOKS_DATE + 1},
        {"31/12/2024", SBL_LOOKS_DATE + 2},
        {"12/31/2024", SBL_LOOKS_DATE + 3},
        {"1/2/2024", SBL_LOOKS_EITHER},
        {"32/12/2024", SBL_LOOKS_TEXT},
        {"1/2/24", SBL_LOOKS_EITHER + 1},
        {"1/13/24", SBL_LOOKS_DATE + 8},
        {"1.2.24", SBL_LOOKS_DATE + 6},
        {"1/2/2024 9:30", SBL_LOOKS_EITHER + 2},
        {"31.12.2024 23:59:59", SBL_LOOKS_DATETIME + 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (answer(&probe, cases[i].text) != cases[i].look)
            fail_msg("'%s' is %u", cases[i].text, answer(&probe, cases[i].text));
    assert_int_equal(sbl_probe_cell(&probe, NULL, 0), SBL_LOOKS_TEXT);
}

/* A text that reads in several ways has one answer, which says so: were it two, a record would put two
 * ones into a histogram and cost twice what is charged. */
TEST(every_date_has_one_answer_that_is_true)
{
    const sbl_probe probe = {.kind = SBL_PROBE_TYPE};
    char text[64];
    int64_t at;
    srand(3);
    for (int i = 0; i < 50000; i++) {
        static const char *const shapes[] = {"%d/%d/%04d",       "%02d.%02d.%04d", "%d-%d-%04d",
                                             "%d/%d/%02d",       "%d.%d.%02d",     "%d/%d/%04d 9:30",
                                             "%d/%d/%04d 1:2:3", "%d.%d.%02d 7:05"};
        const int year = 1900 + rand() % 200;
        const size_t shape = (size_t)rand() % 8;
        const bool is_short = strstr(shapes[shape], "%04d") == NULL;
        (void)snprintf(text, sizeof text, shapes[shape], 1 + rand() % 32, 1 + rand() % 32,
                       is_short ? year % 100 : year);
        const uint32_t look = answer(&probe, text);
        for (int way = 0; way < SBL_DATE_WAYS; way++) {
            bool claimed = look == SBL_LOOKS_DATE + (uint32_t)way;
            for (uint32_t t = 0; t < SBL_DATE_TWINS; t++)
                claimed = claimed || (look == SBL_LOOKS_EITHER + t &&
                                      (sbl_date_twins[t][0] == way || sbl_date_twins[t][1] == way));
            if (claimed != sbl_date_way_read(&at, way, text, strlen(text)))
                fail_msg("'%s' is %u, and way %d", text, look, way);
        }
    }
}

/* Whatever the value, it lies in the span of its bin, or beyond all bins on that side. */
TEST(values_lie_in_the_span_of_their_bin)
{
    const sbl_probe probes[] = {
        {.kind = SBL_PROBE_MAGNITUDE, .type = SBL_TYPE_NUMBER},
        {.kind = SBL_PROBE_BINS, .type = SBL_TYPE_NUMBER, .low = -3.5, .width = 0.3, .bins = 40},
        {.kind = SBL_PROBE_BINS, .type = SBL_TYPE_INTEGER, .low = -8, .width = 2, .bins = 64},
    };
    char text[64];
    srand(11);
    for (size_t p = 0; p < 3; p++)
        for (int i = 0; i < 20000; i++) {
            double value = (rand() / (double)RAND_MAX - 0.5) * pow(2, rand() % 60 - 20);
            double low, high;
            if (p == 2) value = nearbyint(value);
            (void)snprintf(text, sizeof text, "%.17g", value);
            const uint32_t code = answer(&probes[p], text);
            const size_t bins = sbl_probe_answers(&probes[p]) - 1;
            assert_true(code < bins);
            sbl_probe_span(&low, &high, &probes[p], code);
            if (p == 0 && value < 0)
                assert_true(value > low && value <= high);
            else if (p == 0 || (code > 0 && code + 1 < bins))
                assert_true(value >= low - 1e-9 && (value < high + 1e-9 || value == 0));
            else
                assert_true(code == 0 ? value < high + 1e-9 : value >= low - 1e-9);
        }
    assert_int_equal(answer(&probes[0], "0"), SBL_MAGNITUDE_BINS / 2);
    assert_int_equal(answer(&probes[0], "1e300"), SBL_MAGNITUDE_BINS - 1);
    assert_int_equal(answer(&probes[0], "-1e300"), 0);
    assert_int_equal(answer(&probes[0], "1e999"), SBL_MAGNITUDE_BINS - 1);
    assert_int_equal(answer(&probes[0], "x"), SBL_MAGNITUDE_BINS);
    assert_int_equal(answer(&probes[1], "NA"), 40);
}

TEST(years_are_told_apart)
{
    const sbl_probe date = {.kind = SBL_PROBE_YEAR, .type = SBL_TYPE_DATE};
    const sbl_probe time = {.kind = SBL_PROBE_YEAR, .type = SBL_TYPE_DATETIME};
    double low, high;
    int64_t day;
    assert_int_equal(answer(&date, "1799-12-31"), 0);
    assert_int_equal(answer(&date, "1800-01-01"), 1);
    assert_int_equal(answer(&date, "2199-12-31"), SBL_YEAR_BINS - 2);
    assert_int_equal(answer(&date, "9999-12-31"), SBL_YEAR_BINS - 1);
    assert_int_equal(answer(&date, "17"), SBL_YEAR_BINS);
    /* An offset that leads out of the years that can be written is no datetime. */
    assert_int_equal(answer(&time, "0000-01-01T00:00:00+14:00"), SBL_YEAR_BINS);
    assert_int_equal(answer(&time, "9999-12-31T23:00:00-12:00"), SBL_YEAR_BINS);
    assert_int_equal(answer(&time, "2024-06-01T12:00:00"), answer(&date, "2024-06-01"));
    sbl_probe_span(&low, &high, &date, answer(&date, "2024-06-01"));
    assert_true(sbl_date_parse(&day, "2024-01-01", 10) && low == (double)day);
    assert_true(sbl_date_parse(&day, "2025-01-01", 10) && high == (double)day);
}

TEST(only_short_clean_texts_are_keys)
{
    size_t length;
    char text[100] = "  Bath, old ";
    const char *key = sbl_key_of_cell(&length, text, strlen(text), 64);
    assert_non_null(key);
    assert_int_equal(length, 9);
    static const char *const none[] = {"", "  ", "?", "NULL", "a\nb", "\x7f", "\xff", "\xc3"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(sbl_key_of_cell(&length, none[i], strlen(none[i]), 64));
    memset(text, 'a', 65);
    assert_null(sbl_key_of_cell(&length, text, 65, 64));
    assert_non_null(sbl_key_of_cell(&length, text, 64, 64));
    assert_null(sbl_key_of_cell(&length, NULL, 0, 64));
}

/* ---- verdicts ---- */

static double normal(void)
{
    const double u = (rand() + 1.0) / (RAND_MAX + 2.0), v = (rand() + 1.0) / (RAND_MAX + 2.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static void add_noise(double *counts, size_t count, double noise)
{
    for (size_t i = 0; i < count; i++) counts[i] += noise * normal();
}

TEST(votes_decide_types)
{
    static const struct {
        double votes[SBL_LOOKS_COUNT];
        sbl_field_type type;
        bool nullable;
        int decimals;
    } cases[] = {
        {{[SBL_LOOKS_INTEGER] = 9000}, SBL_TYPE_INTEGER, false, 0},
        {{[SBL_LOOKS_INTEGER] = 8000, [SBL_LOOKS_MISSING] = 1000}, SBL_TYPE_INTEGER, true, 0},
        {{[SBL_LOOKS_INTEGER] = 900, [SBL_LOOKS_DECIMAL + 1] = 8100}, SBL_TYPE_NUMBER, false, 2},
        /* Four deviations may be noise in one vote of seven: no cell need have such digits. */
        {{[SBL_LOOKS_INTEGER] = 9000, [SBL_LOOKS_DECIMAL + 4] = 400}, SBL_TYPE_INTEGER, false, 0},
        {{[SBL_LOOKS_DECIMAL] = 9000, [SBL_LOOKS_DECIMAL + 4] = 400}, SBL_TYPE_NUMBER, false, 1},
        {{[SBL_LOOKS_DECIMAL] = 9000, [SBL_LOOKS_DECIMAL + 4] = 600}, SBL_TYPE_NUMBER, false, 5},
        {{[SBL_LOOKS_LONG_DECIMAL] = 9000}, SBL_TYPE_NUMBER, false, -1},
        {{[SBL_LOOKS_TEXT] = 1500, [SBL_LOOKS_INTEGER] = 7500}, SBL_TYPE_STRING, false, -1},
        {{[SBL_LOOKS_TEXT] = 9000}, SBL_TYPE_STRING, false, -1},
        {{[SBL_LOOKS_COMMA] = 1500, [SBL_LOOKS_INTEGER] = 7500}, SBL_TYPE_STRING, false, -1},
        {{[SBL_LOOKS_DATE] = 9000}, SBL_TYPE_DATE, false, -1},
        {{[SBL_LOOKS_DATE] = 4000, [SBL_LOOKS_DATETIME] = 5000}, SBL_TYPE_DATETIME, false, -1},
        /* Both orders, or two ways: no pattern reads the column. */
        {{[SBL_LOOKS_DATE + 2] = 3000, [SBL_LOOKS_DATE + 3] = 3000, [SBL_LOOKS_EITHER] = 3000},
         SBL_TYPE_STRING,
         false,
         -1},
        {{[SBL_LOOKS_DATE] = 5000, [SBL_LOOKS_DATE + 1] = 4000}, SBL_TYPE_STRING, false, -1},
        /* Postcodes, and a number with a typo. */
        {{[SBL_LOOKS_INTEGER] = 8000, [SBL_LOOKS_ZERO_LED] = 1000}, SBL_TYPE_STRING, false, -1},
        {{[SBL_LOOKS_INTEGER] = 9000, [SBL_LOOKS_ZERO_LED] = 400}, SBL_TYPE_INTEGER, false, 0},
        {{[SBL_LOOKS_BOOLEAN] = 8000, [SBL_LOOKS_MISSING] = 1000}, SBL_TYPE_BOOLEAN, true, -1},
        {{[SBL_LOOKS_MISSING] = 9000}, SBL_TYPE_STRING, true, -1},
        {{0}, SBL_TYPE_STRING, false, -1},
    };
    srand(5);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_discovered column = {0};
        double votes[SBL_LOOKS_COUNT];
        memcpy(votes, cases[i].votes, sizeof votes);
        /* A twentieth of a deviation: the last case, of noise alone, must be what it is. */
        add_noise(votes, SBL_LOOKS_COUNT, 5.0);
        sbl_verdict_of_votes(&column, votes, 100.0);
        if (column.type != cases[i].type || column.nullable != cases[i].nullable ||
            column.decimals != cases[i].decimals)
            fail_msg("case %zu: type %d, nullable %d, decimals %d", i, (int)column.type, column.nullable,
                     column.decimals);
    }
}

TEST(votes_decide_how_dates_are_written)
{
    static const struct {
        double votes[SBL_LOOKS_COUNT];
        const char *format;
        bool clock, either_order;
    } cases[] = {
        {{[SBL_LOOKS_DATE] = 9000}, NULL, false, false},
        {{[SBL_LOOKS_DATE + 1] = 9000}, "%d.%m.%Y", false, false},
        {{[SBL_LOOKS_DATE + 2] = 5000, [SBL_LOOKS_EITHER] = 4000}, "%d/%m/%Y", false, false},
        {{[SBL_LOOKS_DATE + 3] = 5000, [SBL_LOOKS_EITHER] = 4000}, "%m/%d/%Y", false, false},
        {{[SBL_LOOKS_DATE + 2] = 90, [SBL_LOOKS_EITHER] = 9000}, "%d/%m/%Y", false, true},
        {{[SBL_LOOKS_DATE + 8] = 5000, [SBL_LOOKS_EITHER + 1] = 4000}, "%m/%d/%y", false, false},
        {{[SBL_LOOKS_DATETIME + 1] = 9000}, "%d.%m.%Y %H:%M", true, false},
    };
    srand(6);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_discovered column = {0};
        double votes[SBL_LOOKS_COUNT];
        memcpy(votes, cases[i].votes, sizeof votes);
        add_noise(votes, SBL_LOOKS_COUNT, 5.0);
        sbl_verdict_of_votes(&column, votes, 100.0);
        assert_int_equal(column.type, cases[i].clock ? SBL_TYPE_DATETIME : SBL_TYPE_DATE);
        assert_int_equal(column.either_order, cases[i].either_order);
        assert_int_equal(column.format == NULL, cases[i].format == NULL);
        if (column.format != NULL) assert_string_equal(column.format, cases[i].format);
    }
}

/* From noisy histograms of random columns: bounds hold 95 % of the values, whole columns are not
 * stretched beyond twice what is there, and integers have whole bounds. */
TEST(bounds_contain_what_is_frequent)
{
    enum { ROWS = 20000, TRIALS = 60 };
    static double values[ROWS];
    srand(19);
    for (int trial = 0; trial < TRIALS; trial++) {
        const bool whole = trial % 2 == 0;
        const double centre = (rand() % 2001 - 1000) * pow(10, rand() % 4 - 1);
        const double spread = pow(10, rand() % 4 - 1) * (whole ? 10 : 1);
        const double noise = 40.0;
        double histogram[SBL_PROBE_MOST_BINS + 1] = {0};
        double least = INFINITY, most = -INFINITY;
        sbl_discovered column = {.type = whole ? SBL_TYPE_INTEGER : SBL_TYPE_NUMBER};
        sbl_probe probe = {.kind = SBL_PROBE_MAGNITUDE, .type = column.type};
        char text[64];
        size_t inside = 0;
        for (size_t i = 0; i < ROWS; i++) {
            values[i] = centre + spread * (rand() / (double)RAND_MAX);
            if (whole) values[i] = nearbyint(values[i]);
            least = fmin(least, values[i]);
            most = fmax(most, values[i]);
        }
        for (int step = 0; step < 2; step++) {
            const size_t answers = sbl_probe_answers(&probe);
            memset(histogram, 0, sizeof histogram);
            for (size_t i = 0; i < ROWS; i++) {
                (void)snprintf(text, sizeof text, "%.17g", values[i]);
                histogram[answer(&probe, text)] += 1.0;
            }
            add_noise(histogram, answers, noise);
            if (step == 0) {
                sbl_verdict_of_ranges(&column, &probe, histogram, noise);
                probe = sbl_bins_of_range(&column);
                assert_true(probe.bins >= 1 && probe.bins <= 64 && probe.width > 0);
            } else {
                sbl_verdict_of_bins(&column, &probe, histogram, noise);
            }
        }
        for (size_t i = 0; i < ROWS; i++) inside += values[i] >= column.low && values[i] <= column.high;
        if (!(inside >= 0.95 * ROWS) || column.low > column.high)
            fail_msg("%g to %g: [%g, %g] holds %zu", least, most, column.low, column.high, inside);
        const double range = fmax(most - least, fmax(fabs(most), fabs(least)));
        assert_true(column.high - column.low <= 4.0 * range + 2.0);
        if (whole) assert_true(column.low == nearbyint(column.low) && column.high == nearbyint(column.high));
    }
}

/* Noise alone: some bounds, never a crash, whole for whole columns. */
TEST(noise_alone_gives_some_bounds)
{
    static const sbl_field_type types[] = {SBL_TYPE_INTEGER, SBL_TYPE_NUMBER, SBL_TYPE_DATE,
                                           SBL_TYPE_DATETIME};
    srand(23);
    for (int trial = 0; trial < 2000; trial++) {
        double histogram[SBL_YEAR_BINS + 1];
        sbl_discovered column = {.type = types[trial % 4]};
        sbl_probe probe = {.kind = trial % 4 < 2 ? SBL_PROBE_MAGNITUDE : SBL_PROBE_YEAR, .type = column.type};
        memset(histogram, 0, sizeof histogram);
        add_noise(histogram, sbl_probe_answers(&probe), 10.0);
        sbl_verdict_of_ranges(&column, &probe, histogram, 10.0);
        probe = sbl_bins_of_range(&column);
        assert_true(probe.bins >= 1 && probe.bins <= 64 && probe.width > 0);
        memset(histogram, 0, sizeof histogram);
        add_noise(histogram, sbl_probe_answers(&probe), 10.0);
        sbl_verdict_of_bins(&column, &probe, histogram, 10.0);
        assert_true(column.low <= column.high);
        if (column.type != SBL_TYPE_NUMBER)
            assert_true(column.low == nearbyint(column.low) && column.high == nearbyint(column.high));
    }
}

/* ---- headers ---- */

static sbl_status names_of(sbl_strings *names, const char *text, sbl_error *err)
{
    sbl_dialect usual = SBL_DIALECT_USUAL;
    const char *path = in_folder(folder, "t.csv");
    sbl_data *data;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(sbl_data_open(&data, path, NULL, err), SBL_OK);
    const sbl_status status = sbl_source_read_names(names, &usual, data, err);
    sbl_data_free(data);
    return status;
}

TEST(lines_that_may_be_records_are_no_headers)
{
    static const char *const bad[] = {"",        "\n",      "a,,b\n1,2,3\n", "17,x\n", "a,2024-01-01\n",
                                      "a,b,a\n", "a,\"b\n", "a,\xff\n"};
    sbl_strings names = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_error err = {0};
        if (names_of(&names, bad[i], &err) != SBL_EINPUT) fail_msg("'%s' was taken", bad[i]);
        assert_null(names.items);
        assert_null(strchr(err.message, '\n'));
        assert_null(strstr(err.message, "2024"));
    }
    assert_int_equal(names_of(&names, "a,\"b, c\"\n1\n\"x\"\"y\",2,3\n\"z\"q,4\n", NULL), SBL_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.items[1], "b, c");
    sbl_strings_clear(&names);
}

ALL_TESTS(make_folder, remove_folder)
