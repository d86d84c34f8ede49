/* SPDX-License-Identifier: Apache-2.0 */
/* The page around the sections: head, banners, table of contents. */
#include "owner/report/report_page.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "door/certificate/certificate_content.h"
#include "door/certificate/certificate_document.h"
#include "owner/report/html.h"
#include "owner/report/sections.h"
#include "semblance/version.h"

static const char certificate_where[] = "the certificate";
static const char evaluation_where[] = "the evaluation";

typedef struct page {
    const char *title;
    /* The certificate: its text, what it says in words, its facts (which borrow from json). */
    const char *text;
    char *statement;
    json_t *json;
    sbl_certificate_content content;
    json_t *evaluation;                /* NULL: none, or left out */
    const sbl_report_preview *preview; /* NULL: none, or left out */
    const json_t *pictures;            /* NULL: none, or left out */
    bool of_images;                    /* what the page is about */
} page;

static void page_clear(page *p)
{
    sbl_free(p->statement);
    sbl_certificate_content_clear(&p->content);
    json_decref(p->json);
    json_decref(p->evaluation);
}

/* ---- reading ---- */

static sbl_status read_certificate(page *p, const char *text, sbl_error *err)
{
    const size_t length = strlen(text);
    SBL_CHECK(sbl_certificate_check(&p->statement, text, length, NULL, certificate_where, err));
    SBL_CHECK(sbl_json_parse(&p->json, text, length, certificate_where, err));
    SBL_CHECK(sbl_certificate_extract(&p->content, p->json, certificate_where, err));
    SBL_CHECK(sbl_certificate_derive(&p->content, certificate_where, err));
    p->text = text;
    return SBL_OK;
}

/* A section is absent, null or of its type: a document that was mangled is refused, not shown in
 * part. */
static sbl_status check_section(const json_t *evaluation, const char *name, bool is_list, sbl_error *err)
{
    const json_t *section = json_object_get(evaluation, name);
    if (section == NULL || json_is_null(section)) return SBL_OK;
    if (is_list ? json_is_array(section) : json_is_object(section)) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' must be %s", evaluation_where, name,
                    is_list ? "a list" : "an object");
}

static sbl_status read_evaluation(page *p, const char *text, sbl_error *err)
{
    static const char *const objects[] = {"inputs",    "schema",        "association", "mmd",
                                          "utility",   "out_of_domain", "disclosure",  "images",
                                          "histories", "units",         "worst"};
    const char *format;
    uint64_t version;
    SBL_CHECK(sbl_json_parse(&p->evaluation, text, strlen(text), evaluation_where, err));
    SBL_CHECK(sbl_json_get_string(&format, p->evaluation, "format", evaluation_where, err));
    if (strcmp(format, "semblance-evaluation") != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not an evaluation: field 'format' has another value",
                        evaluation_where);
    SBL_CHECK(sbl_json_get_u64(&version, p->evaluation, "version", evaluation_where, err));
    if (version != 1) {
        return sbl_fail(err, SBL_EINPUT,
                        "%s: field 'version' is %llu, but this program knows version 1 only: use the program "
                        "that made it",
                        evaluation_where, (unsigned long long)version);
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        SBL_CHECK(check_section(p->evaluation, objects[i], false, err));
    SBL_CHECK(check_section(p->evaluation, "columns", true, err));
    SBL_CHECK(check_section(p->evaluation, "pairs", true, err));
    SBL_CHECK(check_section(p->evaluation, "marginals", true, err));
    SBL_CHECK(check_section(p->evaluation, "constraints", true, err));
    SBL_CHECK(check_section(p->evaluation, "by", true, err));
    SBL_CHECK(check_section(p->evaluation, "tables", true, err));
    return SBL_OK;
}

static bool is_of_images(const json_t *evaluation)
{
    const char *kind = sbl_fact_text_of(evaluation, "kind");
    return kind != NULL && strcmp(kind, "images") == 0;
}

/* What the page is about; images are shown only beside a certificate of images. */
static sbl_status choose_kind(page *p, const sbl_page_options *options, sbl_error *err)
{
    const sbl_report_preview *preview = options != NULL ? options->preview : NULL;
    p->of_images = p->text != NULL ? sbl_report_is_of_images(&p->content) : is_of_images(p->evaluation);
    p->title = options != NULL ? options->title : NULL;
    if (p->title == NULL && p->text != NULL) p->title = p->content.title;
    if (p->title == NULL) p->title = p->of_images ? "Synthetic images report" : "Synthetic data report";
    if (p->text != NULL && p->evaluation == NULL && options != NULL) p->pictures = options->pictures;
    if (p->text == NULL || preview == NULL || preview->png == NULL) return SBL_OK;
    if (!p->of_images)
        return sbl_fail(err, SBL_EINPUT,
                        "%s is for a table, not for an image set: give the certificate of these images",
                        certificate_where);
    p->preview = preview;
    return SBL_OK;
}

/* ---- writing ---- */

static void write_head(sbl_text *out, const page *p)
{
    sbl_html_page_open(out, p->title, p->evaluation != NULL);
    /* Stripes for synthetic bars, and for what is not defined; used by every chart. */
    sbl_html_print(out,
                   "<svg class=\"patterns\" aria-hidden=\"true\"><defs>"
                   "<pattern id=\"stripes\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
                   "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"4\" "
                   "fill=\"var(--synthetic)\"/></pattern>"
                   "<pattern id=\"undefined\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                   "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#fff\"/><rect "
                   "width=\"1\" height=\"5\" fill=\"#bbb\"/></pattern></defs></svg>\n");
}

typedef struct contents_line {
    const char *id;
    const char *words;
    const char *field; /* of the evaluation; NULL: of the certificate */
} contents_line;

static void write_contents(sbl_text *out, const page *p)
{
    static const contents_line lines[] = {
        {"columns", "Single columns", "columns"},
        {"pairs", "Pairs of columns", "pairs"},
        {"histories", "Persons and their histories", "histories"},
        {"linked", "Linked tables", "tables"},
        {"images", "Images compared", "images"},
        {"guarantee", "The guarantee", NULL},
        {"marginals", "Columns together", "marginals"},
        {"constraints", "Constraints", "constraints"},
        {"association", "Associations", "association"},
        {"utility", "Training on it", "utility"},
        {"disclosure", "Disclosure", "disclosure"},
    };
    if (p->evaluation == NULL && p->preview == NULL && p->pictures == NULL) return;
    sbl_html_print(out, "<nav aria-label=\"Contents\"><ul>\n");
    if (p->preview != NULL) sbl_html_print(out, "<li><a href=\"#preview\">Synthetic images</a></li>\n");
    if (p->pictures != NULL) sbl_html_print(out, "<li><a href=\"#pictures\">The synthetic table</a></li>\n");
    if (sbl_report_has_glance(p->evaluation))
        sbl_html_print(out, "<li><a href=\"#glance\">Verdict</a></li>\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const json_t *section = json_object_get(p->evaluation, lines[i].field);
        if (lines[i].field == NULL ? p->text == NULL
                                   : json_object_size(section) + json_array_size(section) == 0)
            continue;
        sbl_html_print(out, "<li><a href=\"#%s\">%s</a></li>\n", lines[i].id, lines[i].words);
    }
    sbl_html_print(out, "</ul></nav>\n");
}

static void write_input(sbl_text *out, const json_t *inputs, const char *name, const char *words, bool images)
{
    char rows[SBL_HTML_COUNT_SIZE];
    const json_t *input = json_object_get(inputs, name);
    const double count = sbl_fact_number_of(input, "rows");
    if (!json_is_object(input)) return;
    sbl_html_print(out, "<div><dt>%s</dt><dd>%.200s", words, sbl_fact_text_of(input, "path"));
    if (count >= 0 && count < 9e15)
        sbl_html_print(out, ", %s %s%s", sbl_html_count_text(rows, (uint64_t)count),
                       images ? "image" : "record", count == 1.0 ? "" : "s");
    sbl_html_print(out, "</dd></div>\n");
}

static void write_inputs(sbl_text *out, const json_t *inputs, bool images)
{
    if (json_object_size(inputs) == 0) return;
    sbl_html_print(out, "<dl class=\"facts\">\n");
    write_input(out, inputs, "synthetic", images ? "synthetic images" : "synthetic data", images);
    write_input(out, inputs, "real",
                images ? "real images they were compared with" : "real data it was compared with", images);
    write_input(out, inputs, "train",
                images ? "real images they were made from" : "real data it was made from", images);
    sbl_html_print(out, "</dl>\n");
}

/* What a reader wants to know first: the verdict, and pictures. */
static void write_pictures(sbl_text *out, const page *p)
{
    sbl_html_print(out, "<div class=\"private\">\n");
    sbl_report_glance(out, p->evaluation);
    sbl_report_columns(out, p->evaluation);
    sbl_report_pairs(out, p->evaluation);
    sbl_report_histories(out, p->evaluation);
    sbl_report_linked(out, p->evaluation);
    sbl_report_images(out, p->evaluation);
    sbl_html_print(out, "</div>\n");
}

static void write_measures(sbl_text *out, const page *p)
{
    const bool images = is_of_images(p->evaluation);
    sbl_html_print(out, "<div class=\"private\">\n");
    if (p->text != NULL)
        sbl_html_print(out,
                       "<p class=\"banner danger\" role=\"note\"><strong>NOT PRIVATE</strong> "
                       "Everything from here to the end of the page was computed from real %s "
                       "again. The guarantee does not cover it.</p>\n",
                       images ? "images" : "records");
    write_inputs(out, json_object_get(p->evaluation, "inputs"), images);
    sbl_report_marginals(out, p->evaluation);
    sbl_report_constraints(out, p->evaluation);
    sbl_report_association(out, p->evaluation);
    sbl_report_utility(out, p->evaluation);
    sbl_report_disclosure(out, p->evaluation);
    sbl_html_print(out, "</div>\n");
}

static void write_banner(sbl_text *out, const page *p)
{
    if (p->evaluation != NULL)
        sbl_html_print(out,
                       "<p class=\"banner danger\" role=\"note\"><strong>NOT PRIVATE</strong> This "
                       "file holds %s, wherever these two words appear. It is for people who may "
                       "see the real %s. Do not publish it, and do not use it to choose settings of a "
                       "release that you publish.%s</p>\n",
                       p->of_images ? "numbers that were computed from real images, and some real images"
                                    : "numbers and pictures that were computed from real records",
                       p->of_images ? "images" : "data",
                       p->text != NULL ? " A report of the public part only leaves them out." : "");
    else
        sbl_html_print(out,
                       "<p class=\"banner good\" role=\"note\"><strong>PUBLIC</strong> This file may "
                       "be published: it holds what the certificate says%s, and nothing else that "
                       "was computed from the private %s.</p>\n",
                       p->preview != NULL    ? " and some of the synthetic images"
                       : p->pictures != NULL ? " and pictures of the synthetic table"
                                             : "",
                       p->of_images ? "images" : "records");
}

static void write_top(sbl_text *out, const page *p)
{
    const char *set = p->of_images ? "image set" : "data set";
    sbl_html_print(out, "<div class=\"page\">\n<header>\n<h1>%.200s</h1>\n<p class=\"subtitle\">", p->title);
    if (p->evaluation == NULL)
        sbl_html_print(out, "What is guaranteed about a synthetic %s.</p>\n", set);
    else if (p->text != NULL)
        sbl_html_print(out, "How good a synthetic %s is, and what is guaranteed about it.</p>\n", set);
    else
        sbl_html_print(out, "How good a synthetic %s is.</p>\n", set);
    write_banner(out, p);
    write_contents(out, p);
    sbl_html_print(out, "</header>\n<main>\n");
}

static void write_page(sbl_text *out, const page *p)
{
    write_head(out, p);
    write_top(out, p);
    if (p->preview != NULL)
        sbl_report_show_preview(out, p->preview, sbl_certificate_no_guarantee(&p->content) == NULL);
    if (p->pictures != NULL)
        sbl_report_show_pictures(out, p->pictures, sbl_certificate_no_guarantee(&p->content) == NULL);
    if (p->evaluation != NULL) write_pictures(out, p);
    if (p->text != NULL) sbl_report_guarantee(out, &p->content, p->statement, p->text);
    if (p->evaluation != NULL) write_measures(out, p);
    sbl_html_print(out,
                   "</main>\n<footer><p>Written by semblance %s. This file holds no script and asks "
                   "nothing of the network.</p></footer>\n</div>\n</body>\n</html>\n",
                   SBL_VERSION_STRING);
}

sbl_status sbl_report_render(char **html, const char *certificate, const char *evaluation,
                             const sbl_page_options *options, sbl_error *err)
{
    page p = {0};
    sbl_text out = {0};
    sbl_status status = SBL_OK;
    *html = NULL;
    if (certificate == NULL && evaluation == NULL)
        return sbl_fail(err, SBL_EARG,
                        "a report needs a certificate or an evaluation: give at least one of them");
    if (certificate != NULL) SBL_TRY(read_certificate(&p, certificate, err));
    if (evaluation != NULL) SBL_TRY(read_evaluation(&p, evaluation, err));
    SBL_TRY(choose_kind(&p, options, err));
    write_page(&out, &p);
    if (out.failed) {
        status = sbl_no_memory(err, "a report");
        sbl_text_clear(&out);
    }
    *html = out.data;
done:
    page_clear(&p);
    return status;
}
