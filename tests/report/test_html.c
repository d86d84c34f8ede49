/* SPDX-License-Identifier: Apache-2.0 */
/* Writing HTML: what comes from data never becomes markup, whatever it is; numbers look the same in
 * every locale. And the checker that the other tests rely on finds what is wrong. */
#include <locale.h>
#include <math.h>
#include <string.h>
/* cmocka wants the four above first */

#include "owner/report/html.h"
#include "report/html_check.h"
#include "support/cmocka_all.h"
#include "support/comma_locale.h"

#define BAD "\xef\xbf\xbd"

static void expect(const char *wanted, sbl_text *out)
{
    assert_false(out->failed);
    assert_string_equal(out->data != NULL ? out->data : "", wanted);
    sbl_text_clear(out);
}

TEST(text_is_escaped)
{
    sbl_text out = {0};
    sbl_html_print(&out, "<b>%s</b>", "<script>\"a\" & 'b'</script>");
    expect("<b>&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;</b>", &out);
    const char *volatile absent = NULL;
    sbl_html_print(&out, "%s", absent);
    expect("\xe2\x80\x93", &out);
}

TEST(what_text_must_not_hold_is_replaced)
{
    static const char *const bad[] = {
        "\x01", /* control */
        "\x1b",         "\x7f",
        "\xc2\x85",     /* C1 control */
        "\xe2\x80\xae", /* right-to-left override */
        "\xe2\x81\xa9", /* end of an isolate */
        "\xe2\x80\xa8", /* line separator */
        "\xef\xbb\xbf", /* byte-order mark */
        "\xef\xbf\xbf", /* noncharacters */
        "\xef\xb7\x90", "\xf0\x9f\xbf\xbe",
        "\x80", /* ill-formed: a lone continuation, overlong, too short, too large */
        "\xff",         "\xc1",
        "\xe2",
    };
    sbl_text out = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_html_print(&out, "%s", bad[i]);
        expect(BAD, &out);
    }
    sbl_html_print(&out, "%s", "\xed\xa0\x80 \xf4\x90\x80\x80 \xe0\x80\xaf \xe2\x28\xa1");
    expect(BAD BAD BAD " " BAD BAD BAD BAD " " BAD BAD BAD " " BAD "(" BAD, &out);
}

TEST(good_text_stays_and_lines_stay_only_where_wanted)
{
    static const char good[] =
        "Gr\xc3\xb6\xc3\x9f"
        "e \xe6\x97\xa5 \xf0\x9f\x98\x80";
    sbl_text out = {0};
    sbl_html_print(&out, "%s", good);
    expect(good, &out);
    sbl_html_print(&out, "%s", "a\tb\r\nc");
    expect("a b  c", &out);
    sbl_html_lines(&out, "a\n<b>\n");
    expect("a\n&lt;b&gt;\n", &out);
}

TEST(long_text_is_cut_at_whole_characters)
{
    sbl_text out = {0};
    sbl_html_print(&out, "%.3s|%.3s|%.*s", "abcd", "abc", 2, "&&&");
    expect("abc\xe2\x80\xa6|abc|&amp;&amp;\xe2\x80\xa6", &out);
    sbl_html_print(&out, "%.3s", "\xe6\x97\xa5\xe6\x9c\xac"); /* each two columns wide */
    expect("\xe6\x97\xa5\xe2\x80\xa6", &out);
}

TEST(numbers_have_about_three_digits)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0.000"},
                 {0.12345, "0.123"},
                 {-0.5,
                  "\xe2\x88\x92"
                  "0.500"},
                 {9.9999, "10.00"},
                 {12.345, "12.35"},
                 {123.45, "123.5"},
                 {48842, "48842"},
                 {1234567, "1.23e6"},
                 {4e-5, "4.00e-5"},
                 {9.999e-5, "1.00e-4"},
                 {1e300, "1.00e300"},
                 {(double)NAN, "\xe2\x80\x93"},
                 {INFINITY, "infinite"}};
    sbl_text out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_html_print(&out, "%g", cases[i].value);
        expect(cases[i].text, &out);
    }
    sbl_html_print(&out, "%.0f %.1f %.2f %.3f %zu %d %%", 2.5, -0.04, 1.999, (double)NAN, (size_t)7, -3);
    expect("3 0.0 2.00 \xe2\x80\x93 7 -3 %", &out);
    sbl_html_print(&out, "%g", 1e-310); /* too small to be scaled exactly, still a number */
    assert_non_null(strstr(out.data, "e-310"));
    sbl_text_clear(&out);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    sbl_text out = {0};
    if (!enter_comma_locale()) skip();
    sbl_html_print(&out, "%.2f %g", 1.5, 0.25);
    (void)setlocale(LC_ALL, "C");
    expect("1.50 0.250", &out);
}

TEST(counts_are_grouped)
{
    char text[SBL_HTML_COUNT_SIZE];
    assert_string_equal(sbl_html_count_text(text, 999), "999");
    assert_string_equal(sbl_html_count_text(text, 2000), "2000");
    assert_string_equal(sbl_html_count_text(text, 48842),
                        "48\xe2\x80\xaf"
                        "842");
    assert_string_equal(sbl_html_count_text(text, 1234567),
                        "1\xe2\x80\xaf"
                        "234\xe2\x80\xaf"
                        "567");
    assert_int_equal(strlen(sbl_html_count_text(text, UINT64_MAX)), 20 + 6 * 3);
}

TEST(an_unknown_conversion_is_a_failure)
{
    sbl_text out = {0};
    const char *volatile unknown = "%c";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    sbl_html_print(&out, unknown);
    assert_true(out.failed);
    sbl_text_clear(&out);
    const char *volatile cut = "100%";
    sbl_html_print(&out, cut);
#pragma GCC diagnostic pop
    assert_true(out.failed);
    sbl_text_clear(&out);
}

/* ---- the checker ---- */

#define HEAD "<!DOCTYPE html>\n<html lang=\"en\">\n"

TEST(the_checker_takes_good_pages)
{
    static const char *const good[] = {
        HEAD "</html>\n",
        HEAD
        "<p class=\"a\">x &lt; y &amp; \xc3\xa9</p><img alt=\"\" "
        "src=\"data:image/png;base64,AA==\"></html>",
        HEAD "<style>a{fill:url(#x)}@media print{a{b:c}}</style><svg><path d=\"M0 0\"/></svg></html>",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_null(html_check(good[i], NULL));
}

TEST(the_checker_finds_what_is_planted)
{
    static const char *const bad[] = {
        "",
        "<p>no document</p>",
        HEAD "<script>x</script></html>",
        HEAD "<p onclick=\"x\">a</p></html>",
        HEAD "<p style=\"x\">a</p></html>",
        HEAD "<p>a</html>",
        HEAD "<p>a</p></p></html>",
        HEAD "<p>a",
        HEAD "<p>a > b</p></html>",
        HEAD "<p>a & b</p></html>",
        HEAD "<p>a &nbsp; b</p></html>",
        HEAD "<p>\x01</p></html>",
        HEAD "<p>\xff</p></html>",
        HEAD "<p>\xc3(</p></html>",
        HEAD "<p>\xe2\x80\xae</p></html>",
        HEAD "<p class=a>b</p></html>",
        HEAD "<p class=\"a<b\">b</p></html>",
        HEAD "<p class=\"a'b\">b</p></html>",
        HEAD "<a href=\"http://example.org\">b</a></html>",
        HEAD "<a href=\"data:,x\">b</a></html>",
        HEAD "<img alt=\"\" src=\"x.png\"></html>",
        HEAD "<style>@import 'x';</style></html>",
        HEAD "<style>a{b:url(http://x)}</style></html>",
        HEAD "<svg><path fill=\"url(http://x)\"/></svg></html>",
        HEAD "<p id=\"a\">b</p><p id=\"a\">b</p></html>",
        HEAD "<!-- x --></html>",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (html_check(bad[i], NULL) == NULL) fail_msg("not found: %s", bad[i]);
}
