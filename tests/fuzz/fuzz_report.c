/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: any bytes as an evaluation and as a title, any JSON object made into an evaluation, and
 * a good evaluation in which the bytes say what becomes of each value. What is rendered is
 * well-formed HTML that holds no script and asks nothing of the network. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "owner/report/report_page.h"
#include "report/html_check.h"
#include "report/report_kit.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const char *evaluation, const char *title)
{
    const sbl_page_options options = {.title = title};
    sbl_error err;
    size_t where;
    char *html = NULL;
    const sbl_status status = sbl_report_render(&html, NULL, evaluation, &options, &err);
    CHECK((status == SBL_OK) == (html != NULL));
    if (html == NULL) {
        CHECK(status == SBL_EINPUT && strchr(err.message, '\n') == NULL);
        return;
    }
    const char *wrong = html_check(html, &where);
    if (wrong != NULL) (void)fprintf(stderr, "%s: %.100s\n", wrong, html + where);
    CHECK(wrong == NULL);
    CHECK(strstr(html, "<strong>NOT PRIVATE</strong>") != NULL);
    sbl_free(html);
}

/* ---- a good document, changed ---- */

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static uint8_t next(bytes *b)
{
    if (b->left == 0) return 0;
    b->left--;
    return *b->at++;
}

static json_t *changed_text(bytes *b)
{
    const size_t wanted = next(b);
    const size_t length = wanted < b->left ? wanted : b->left;
    json_t *text = json_stringn((const char *)b->at, length); /* NULL: ill-formed */
    b->at += length;
    b->left -= length;
    return text != NULL ? text : json_string("\"'><script>");
}

static json_t *changed_number(bytes *b)
{
    uint64_t bits = 0;
    double number;
    for (int i = 0; i < 8; i++) bits = bits << 8 | next(b);
    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? json_real(number) : json_integer((json_int_t)bits);
}

/* What stands in place of value: mostly itself, its own parts changed. */
static json_t *change(json_t *value, bytes *b)
{
    const uint8_t what = next(b);
    size_t i;
    const char *key;
    void *safe;
    json_t *member;
    if (what >= 0xf8) return json_null();
    if (what >= 0xf0) return json_array();
    if (what >= 0xe8) return json_object();
    if (what >= 0xc0) return changed_text(b);
    if (what >= 0xa0) return changed_number(b);
    json_array_foreach(value, i, member)(void) json_array_set_new(value, i, change(member, b));
    json_object_foreach_safe(value, safe, key, member)(void)
        json_object_set_new(value, key, change(member, b));
    return json_incref(value);
}

static void render_changed(const uint8_t *data, size_t size)
{
    static const char *const kept[] = {"columns", "pairs",         "marginals", "association",
                                       "mmd",     "inputs",        "utility",   "disclosure",
                                       "images",  "out_of_domain", "worst"};
    const kit_evaluation facts = {.columns = 3, .images = true, .regression = size % 2 != 0};
    bytes b = {data, size};
    char *text = kit_evaluation_text(&facts);
    json_t *document = json_loads(text, 0, NULL);
    CHECK(document != NULL);
    free(text);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        json_t *section = json_object_get(document, kept[i]);
        (void)json_object_set_new(document, kept[i], change(section, &b));
    }
    text = json_dumps(document, JSON_COMPACT);
    CHECK(text != NULL);
    render(text, NULL);
    free(text);
    json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *object = NULL;
    char *text = sbl_alloc_array(size + 1, 1);
    CHECK(text != NULL);
    if (size != 0) memcpy(text, data, size);
    render(text, text);
    if (sbl_json_parse(&object, text, strlen(text), "input", NULL) == SBL_OK) {
        (void)json_object_set_new(object, "format", json_string("semblance-evaluation"));
        (void)json_object_set_new(object, "version", json_integer(1));
        char *evaluation = sbl_json_canonical(object);
        CHECK(evaluation != NULL);
        render(evaluation, NULL);
        sbl_free(evaluation);
        json_decref(object);
    }
    sbl_free(text);
    render_changed(data, size);
    return 0;
}
