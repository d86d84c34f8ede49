/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <locale.h>
#include <math.h>

#include "base/cmocka_plain.h"
#include "support/comma_locale.h"

TEST(numbers_in_c_notation_are_read)
{
    const struct {
        const char *text;
        double value;
    } cases[] = {{"1e-5", 1e-5},    {"1", 1.0},   {"-2.5", -2.5},        {"+3", 3.0},
                 {".5", 0.5},       {"0", 0.0},   {"inf", INFINITY},     {"-inf", -INFINITY},
                 {"Inf", INFINITY}, {"1E3", 1e3}, {"4.9e-324", 4.9e-324}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 7.0;
        assert_true(sbl_text_to_double(&value, cases[i].text));
        assert_true(value == cases[i].value);
    }
}

TEST(anything_else_is_no_number)
{
    const char *const bad[] = {"",   " 1", "1 ",  "1,5", "nan", "-nan", "NaN", "abc",
                               "1e", "1x", "--1", "e5",  "-",   "+",    "\t1", "ix"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 7.0;
        assert_false(sbl_text_to_double(&value, bad[i]));
        assert_true(value == 7.0);
    }
}

TEST(whole_numbers_are_read_and_overflow_is_refused)
{
    uint64_t value;
    assert_true(sbl_text_to_u64(&value, "0") && value == 0);
    assert_true(sbl_text_to_u64(&value, "18446744073709551615") && value == UINT64_MAX);
    const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "18446744073709551616", "184467440737095516150", "x", "1:"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        value = 7;
        assert_false(sbl_text_to_u64(&value, bad[i]));
        assert_int_equal(value, 7);
    }
}

TEST(doubles_are_written_shortest_and_read_back)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    assert_string_equal(sbl_double_to_text(text, 0.1), "0.1");
    assert_string_equal(sbl_double_to_text(text, 1e-5), "1e-05");
    assert_string_equal(sbl_double_to_text(text, 1.0), "1");
    assert_string_equal(sbl_double_to_text(text, INFINITY), "inf");
    const double numbers[] = {1.0 / 3.0,          0.1 + 0.2, 1e308, 4.9e-324, -2.2250738585072014e-308,
                              0.26805112321102453};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double back;
        assert_true(sbl_text_to_double(&back, sbl_double_to_text(text, numbers[i])));
        assert_true(back == numbers[i]);
    }
}

TEST(numbers_do_not_follow_a_comma_locale)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    double value;
    if (!enter_comma_locale()) skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_true(sbl_text_to_double(&value, "2.5") && value == 2.5);
    assert_false(sbl_text_to_double(&value, "2,5"));
    assert_string_equal(sbl_double_to_text(text, 2.5), "2.5");
    /* The host program's choice is put back. */
    assert_string_equal(localeconv()->decimal_point, ",");
    (void)snprintf(text, sizeof text, "%.1f", 2.5);
    assert_string_equal(text, "2,5");
    (void)setlocale(LC_ALL, "C");
}

TEST(hex_round_trips)
{
    const uint8_t bytes[4] = {0x00, 0x9f, 0xa0, 0xff};
    uint8_t back[4];
    char text[9];
    assert_string_equal(sbl_hex_encode(text, bytes, 4), "009fa0ff");
    assert_true(sbl_hex_decode(back, 4, text));
    assert_memory_equal(back, bytes, 4);
    assert_string_equal(sbl_hex_encode(text, bytes, 0), "");
    assert_true(sbl_hex_decode(back, 0, ""));
}

TEST(hex_of_wrong_length_or_case_is_refused)
{
    const char *const bad[] = {"",     "0",    "00",   "000",  "00000", "00f", "0G00",
                               "00FF", "0 00", "g000", "00/0", "00:0",  "00`0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t bytes[2];
        assert_false(sbl_hex_decode(bytes, 2, bad[i]));
    }
}

TEST(utf8_is_what_rfc_3629_says)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "caf\xc3\xa9s"};
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\xaf",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xc2x",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xe2\x28\xa1",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf0\x90\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "fine, then \xe9"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!sbl_text_is_utf8(good[i])) fail_msg("good text %zu is refused", i);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (sbl_text_is_utf8(bad[i])) fail_msg("bad text %zu is taken", i);
    assert_int_equal(sbl_utf8_length("\xe2\x82\xac", 3), 3);
    assert_int_equal(sbl_utf8_length("\xe2\x82\xac", 2), 0);
}

TEST(a_growing_text_keeps_everything)
{
    sbl_text text = {0};
    sbl_text_append(&text, NULL, 0);
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; i++) sbl_text_printf(&text, "%03d,", i);
    sbl_text_append(&text, "end", 3);
    sbl_text_printf(&text, "%0400d", 7); /* longer than the small buffer */
    assert_false(text.failed);
    assert_int_equal(text.length, 4000 + 3 + 400);
    assert_int_equal(strlen(text.data), text.length);
    assert_memory_equal(text.data + 396, "099,100,", 8);
    assert_memory_equal(text.data + 4000, "end000", 6);
    assert_int_equal(text.data[text.length - 1], '7');
    sbl_text_clear(&text);
    assert_null(text.data);
    assert_int_equal(text.length, 0);
}

TEST(a_failed_append_is_remembered_and_leaves_the_text_alone)
{
    sbl_text text = {0};
    sbl_text_append(&text, "kept", 4);
    sbl_text_append(&text, "x", SIZE_MAX); /* the size overflows before anything is read */
    assert_true(text.failed);
    sbl_text_append(&text, "y", 1);
    sbl_text_printf(&text, "z");
    sbl_text_printf(&text, "%0400d", 7);
    assert_string_equal(text.data, "kept");
    sbl_text_clear(&text);
}

/* Each of these alone; U+0041 for contrast is none of them. */
static const char *const not_plain[] = {
    "\x01",         "\t",
    "\r",           "\x1b",
    "\x7f",         "\xc2\x80",
    "\xc2\x85",     "\xc2\x9b",
    "\xc2\x9f",     "\xd8\x9c",
    "\xe2\x80\x8e", "\xe2\x80\x8f",
    "\xe2\x80\xa8", "\xe2\x80\xa9",
    "\xe2\x80\xaa", "\xe2\x80\xab",
    "\xe2\x80\xac", "\xe2\x80\xad",
    "\xe2\x80\xae", "\xe2\x81\xa6",
    "\xe2\x81\xa7", "\xe2\x81\xa8",
    "\xe2\x81\xa9", "\xef\xbb\xbf",
    "\xef\xbf\xbe", "\xf0\x9f\xbf\xbe",
};
#define NOT_PLAIN_COUNT (sizeof not_plain / sizeof not_plain[0])
#define WORDS "Z\xc3\xbcrich \xe2\x82\xac \xd7\x90 \xf0\x9f\x98\x80" /* letters that stay */

TEST(what_a_terminal_obeys_becomes_a_question_mark)
{
    char text[128];
    for (size_t i = 0; i < NOT_PLAIN_COUNT; i++) {
        (void)snprintf(text, sizeof text, WORDS "%sb%s", not_plain[i], not_plain[i]);
        assert_string_equal(sbl_plain_line(text), WORDS "?b?");
        (void)snprintf(text, sizeof text, "%s\n" WORDS, not_plain[i]);
        assert_string_equal(sbl_plain_lines(text), "?\n" WORDS);
    }
    (void)snprintf(text, sizeof text,
                   "a\nb\x9b"
                   "c\xe2\x80");
    assert_string_equal(sbl_plain_line(text), "a?b?c??");
    assert_string_equal(sbl_plain_line((char[]){""}), "");
}

/* Whatever a user types where a file name belongs comes back in messages: never its password. */
TEST(logins_of_addresses_are_not_shown)
{
    static const char *const lines[][2] = {
        {"cannot open postgresql://bob:SECRET@host/db: no such file",
         "cannot open postgresql://host/db: no such file"},
        {"cannot open mysql://bob:SE?C#R/E@T@host", "cannot open mysql://host"},
        {"'POSTGRES://bob:SECRET' is missing", "'POSTGRES://' is missing"},
        {"a postgresql://bob:SECRET", "a postgresql://"},
        {"a postgresql://bob:1SECRET b", "a postgresql:// b"},
        {"one://SECRET@a and two://SECRET@b", "one://b"},
        {"https://example.org:443/page, http://[::1]:80", "https://example.org:443/page, http://[::1]:80"},
        {"open host=h password=SECRET dbname=d", "open host=h password="},
        {"open host=h PASSWORD='SEC RET'", "open host=h PASSWORD="},
        {"mail someone@example.org", "mail someone@example.org"},
        {"://", "://"},
        {"://@", "://"},
    };
    char text[128];
    sbl_error err;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        (void)snprintf(text, sizeof text, "%s", lines[i][0]);
        assert_string_equal(sbl_plain_line(text), lines[i][1]);
        (void)sbl_fail(&err, SBL_EIO, "%s", lines[i][0]);
        assert_string_equal(err.message, lines[i][1]);
    }
}

TEST(what_a_terminal_obeys_is_escaped_as_json_escapes_it)
{
    sbl_text text = {0};
    sbl_text_append_plain(&text, WORDS
                          "\xc2\x9b"
                          "31m\n\x7f\xe2\x80\xae\xf0\x9f\xbf\xbe\xff.");
    assert_string_equal(text.data, WORDS "\\u009b31m\n\\u007f\\u202e\\ud83f\\udffe\\ufffd.");
    sbl_text_clear(&text);
}

TEST(a_message_holds_nothing_that_a_terminal_obeys)
{
    sbl_error err;
    for (size_t i = 0; i < NOT_PLAIN_COUNT; i++) {
        (void)sbl_fail(&err, SBL_EINPUT, "%s: column '%s'\n", "f", not_plain[i]);
        assert_string_equal(err.message, "f: column '?'?");
        (void)sbl_fail_hint(&err, SBL_EIO, SBL_HINT_NONE, NULL, "%s", not_plain[i]);
        assert_string_equal(err.message, "?");
    }
    /* A character that the end of the message cuts is not left in parts. */
    char longer[SBL_ERROR_MESSAGE_SIZE + 8];
    memset(longer, 'x', sizeof longer);
    memcpy(longer + SBL_ERROR_MESSAGE_SIZE - 2, "\xc3\xbc", 3);
    (void)sbl_fail(&err, SBL_EINPUT, "%s", longer);
    assert_int_equal(err.message[SBL_ERROR_MESSAGE_SIZE - 2], '?');
}

TEST(control_characters_are_found)
{
    assert_true(sbl_text_has_control("a\tb") && sbl_text_has_control("\x7f"));
    assert_false(sbl_text_has_control(WORDS) || sbl_text_has_control(""));
}
