/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to double: the C library's answer, bit for bit, and nothing but decimal text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public/rows/decimal.h"
#include "support/cmocka_all.h"

static uint64_t random_state = 42;

static uint64_t next(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The test runs in the C locale, so that strtod is a fair judge. */
static void expect_same(const char *text)
{
    double value = 0;
    const double expected = strtod(text, NULL);
    if (!sbl_decimal_parse(&value, text, strlen(text))) fail_msg("'%s' was refused", text);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("'%s' gave %.17g, not %.17g", text, value, expected);
}

TEST(quotients_are_correctly_rounded)
{
    for (int i = 0; i < 200000; i++) {
        char text[64];
        const uint64_t mantissa = next() >> (next() % 64);
        const unsigned divisor = (unsigned)(next() % (SBL_DECIMAL_MOST_DIVISOR + 1));
        (void)snprintf(text, sizeof text, "%" PRIu64 "e-%u", mantissa, divisor);
        const double expected = strtod(text, NULL);
        const double quick = sbl_decimal_quotient(mantissa, divisor);
        const double exact = sbl_decimal_divide(mantissa, divisor);
        assert_memory_equal(&quick, &expected, sizeof quick);
        assert_memory_equal(&exact, &expected, sizeof exact);
    }
}

TEST(halfway_cases_round_to_even)
{
    expect_same("9007199254740993");   /* 2^53 + 1: to even, down */
    expect_same("9007199254740995");   /* 2^53 + 3: to even, up */
    expect_same("4503599627370496.5"); /* 2^52 + 1/2 */
    expect_same("4503599627370497.5");
    expect_same("4503599627370496.50000000000000000000000001");
    expect_same("18446744073709551615"); /* 2^64 - 1 rounds up a power of two */
    expect_same("0.500000000000000166533453693773481063544750213623046875");
    expect_same("2.2250738585072011e-308");
    expect_same("4.9406564584124654e-324");
    expect_same("2.4703282292062327e-324");
    expect_same("1.7976931348623157e308");
}

TEST(printed_doubles_come_back)
{
    for (int i = 0; i < 100000; i++) {
        char text[64];
        double value;
        double again;
        const uint64_t bits = next();
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        (void)snprintf(text, sizeof text, "%.17g", value);
        assert_true(sbl_decimal_parse(&again, text, strlen(text)));
        assert_memory_equal(&value, &again, sizeof value);
        (void)snprintf(text, sizeof text, "%.*f", (int)(next() % 17), fmod(value, 1e6));
        expect_same(text);
    }
}

TEST(usual_forms_are_read)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+7",
                                       "007",
                                       ".5",
                                       "5.",
                                       "1e5",
                                       "1E+05",
                                       "-1.5e-3",
                                       "0.0000",
                                       "0e9",
                                       "1e22",
                                       "123e-27",
                                       "1e23",
                                       "0.00000000000000000001",
                                       "100000000000000000000000",
                                       "1e999",
                                       "-1e999",
                                       "1e-999",
                                       "12345678901234567890.5",
                                       "1e99999999999999999999",
                                       "1e-99999999999999999999",
                                       "0e99999999999999999999"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) expect_same(good[i]);
}

TEST(long_digit_strings_are_exact)
{
    char text[3000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    text[0] = '1';
    text[2000] = '1';
    text[2001] = '\0';
    expect_same(text); /* 1 and a far digit: nothing above one half ulp */
    /* 1 + 2^-53 exactly half way, then a far digit that breaks the tie upwards. */
    memset(text, '0', sizeof text);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    text[1500] = '1';
    text[1501] = '\0';
    expect_same(text);
    memset(text, '9', sizeof text);
    text[2999] = '\0';
    expect_same(text);
    memset(text, '0', sizeof text);
    text[2998] = '7';
    text[2999] = '\0';
    expect_same(text);
}

TEST(everything_else_is_refused)
{
    static const char *const bad[] = {"",     "-",     "+",     ".",    "e5",  "1e",       "1e+", "1e5x",
                                      "0x10", "nan",   "inf",   "-Inf", "1 ",  " 1",       "1,5", "1_000",
                                      "--1",  "1.2.3", "1e5.5", "NaN",  "1d5", "infinity", "١"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (sbl_decimal_parse(&value, bad[i], strlen(bad[i]))) fail_msg("'%s' was read", bad[i]);
    assert_false(sbl_decimal_parse(&value, "1\0", 2));
}
