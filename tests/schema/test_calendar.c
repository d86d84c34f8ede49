/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and datetimes: exact both ways, ISO 8601 only. */
#include <string.h>
#include <time.h>

#include "public/schema/calendar.h"
#include "support/cmocka_all.h"

TEST(every_day_of_ten_thousand_years_comes_back)
{
    int64_t first;
    int64_t last;
    assert_true(sbl_date_parse(&first, "0000-01-01", 10));
    assert_true(sbl_date_parse(&last, "9999-12-31", 10));
    assert_int_equal(last - first + 1, 3652425); /* 25 eras of 146097 days */
    for (int64_t day = first; day <= last; day++) {
        char text[SBL_DATE_LENGTH];
        int64_t again;
        assert_int_equal(sbl_date_format(text, day), SBL_DATE_LENGTH);
        assert_true(sbl_date_parse(&again, text, SBL_DATE_LENGTH));
        assert_int_equal(again, day);
    }
}

TEST(days_agree_with_the_c_library)
{
    for (int64_t day = -25000; day < 60000; day += 13) {
        const time_t seconds = (time_t)(day * 86400);
        struct tm parts;
        char expected[16];
        char text[SBL_DATE_LENGTH];
        assert_non_null(gmtime_r(&seconds, &parts));
        assert_int_equal(strftime(expected, sizeof expected, "%Y-%m-%d", &parts), 10);
        (void)sbl_date_format(text, day);
        assert_memory_equal(text, expected, 10);
    }
}

TEST(impossible_dates_are_refused)
{
    static const char *const bad[] = {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-04-31",
                                      "2024-01-00", "2024-1-01",  "2024/01/01", "24-01-01",   "2024-01-0x",
                                      "x024-01-01", "2024-x1-01", "",           "2024-01-011"};
    int64_t day;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sbl_date_parse(&day, bad[i], strlen(bad[i])));
    assert_true(sbl_date_parse(&day, "2000-02-29", 10));
}

static int64_t seconds_of(const char *text)
{
    int64_t seconds;
    assert_true(sbl_datetime_parse(&seconds, NULL, text, strlen(text)));
    return seconds;
}

TEST(datetimes_are_seconds_in_utc)
{
    assert_int_equal(seconds_of("1970-01-01T00:00:00Z"), 0);
    assert_int_equal(seconds_of("1970-01-01"), 0);
    assert_int_equal(seconds_of("1970-01-01 00:01"), 60);
    assert_int_equal(seconds_of("1969-12-31T23:59:59.999"), -1);
    assert_int_equal(seconds_of("1970-01-01T01:00:00+01:00"), 0);
    assert_int_equal(seconds_of("1970-01-01T01:00:00+0030"), 1800);
    assert_int_equal(seconds_of("1969-12-31T19:00:00-05"), 0);
    assert_int_equal(seconds_of("2001-09-09T01:46:40Z"), 1000000000);
}

TEST(datetime_zone_is_reported)
{
    int64_t seconds;
    bool zoned = true;
    assert_true(sbl_datetime_parse(&seconds, &zoned, "2024-01-01T00:00:00", 19));
    assert_false(zoned);
    assert_true(sbl_datetime_parse(&seconds, &zoned, "2024-01-01T00:00:00Z", 20));
    assert_true(zoned);
}

TEST(impossible_datetimes_are_refused)
{
    static const char *const bad[] = {"2024-01-01T24:00:00",
                                      "2024-01-01T00:60:00",
                                      "2024-01-01T00:00:60",
                                      "2024-01-01x00:00:00",
                                      "2024-01-01T",
                                      "2024-01-01T0:00:00",
                                      "2024-01-01T00:00:00.",
                                      "2024-01-01T00:00:00ZZ",
                                      "2024-01-01T00:00:00+1",
                                      "2024-01-01T00:00:00+01:",
                                      "2024-01-01T00:00:00+24:00",
                                      "2024-01-01T00:00:00+01:60",
                                      "2024-01-01T00:00:00+01:0",
                                      "2024-01-01T00:00:xx",
                                      "2024-02-30T00:00:00",
                                      "0000-01-01T00:00:00+01:00",
                                      "9999-12-31T23:59:59-01:00",
                                      "2024-01-01T00-00"};
    int64_t seconds;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sbl_datetime_parse(&seconds, NULL, bad[i], strlen(bad[i])));
}

TEST(datetimes_come_back)
{
    for (int64_t seconds = -62167219200; seconds <= 253402300799; seconds += 31415927) {
        char text[SBL_DATETIME_LENGTH];
        int64_t again;
        const bool utc = seconds % 2 != 0;
        const size_t length = sbl_datetime_format(text, seconds, utc);
        assert_int_equal(length, utc ? 20 : 19);
        assert_true(sbl_datetime_parse(&again, NULL, text, length));
        assert_int_equal(again, seconds);
    }
}
