/* SPDX-License-Identifier: Apache-2.0 */
/* The annex of a data-protection impact assessment: one page, every number from a certificate that was checked. Two forms of the
 * same list of rows, so that neither says more than the other. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/sha256.h"
#include "door/certificate/certificate_document.h"
#include "owner/register/books.h"
#include "owner/report/html.h"
#include "semblance/register.h"

#define LARGEST ((size_t)64 << 20)
#define MOST_ROWS 20

typedef struct annex {
    struct {
        const char *question;
        sbl_text answer;
    } rows[MOST_ROWS];
    size_t count;
} annex;

/* The next row; its answer is to be filled. */
static sbl_text *ask(annex *a, const char *question)
{
    a->rows[a->count].question = question;
    return &a->rows[a->count++].answer;
}

static const json_t *part(const json_t *certificate, const char *name)
{
    return json_object_get(certificate, name);
}

/* A text of the certificate, or other words where it has none. */
static const char *or_words(const char *text, const char *words) { return text[0] != '\0' ? text : words; }

static void list_texts(sbl_text *text, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        sbl_text_printf(text, "%s%s", i == 0 ? "" : "; ", json_string_value(json_array_get(list, i)));
}

static void list_files(sbl_text *text, const json_t *files)
{
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        sbl_text_printf(text, "%s%s (%s, sha256 %.16s...)", i == 0 ? "" : "; ",
                        or_words(sbl_register_member(file, "name"), "a file"),
                        sbl_register_member(file, "kind"), sbl_register_member(file, "sha256"));
    }
    if (json_array_size(files) == 0) sbl_text_printf(text, "the releases alone; no file is listed");
}

static void describe(annex *a, const json_t *certificate)
{
    const json_t *about = part(certificate, "about"), *schema = part(certificate, "schema");
    sbl_text_printf(ask(a, "Data set"), "%s (%s)",
                    or_words(sbl_register_member(about, "title"), "no title was given"),
                    sbl_register_member(certificate, "data"));
    sbl_text_printf(ask(a, "Released by, on"), "%s, %s",
                    or_words(sbl_register_member(about, "by"), "no name was given"),
                    sbl_register_member(about, "date"));
    sbl_text_printf(ask(a, "What leaves the organisation"), "%s", "");
    list_files(&a->rows[a->count - 1].answer, part(certificate, "files"));
    sbl_text_printf(
        ask(a, "How it was made"),
        "method %s: %zu release%s of noisy sums, each charged to a ledger before its noise was drawn",
        sbl_register_member(certificate, "method"), json_array_size(part(certificate, "mechanisms")),
        json_array_size(part(certificate, "mechanisms")) == 1 ? "" : "s");
    sbl_text_printf(ask(a, "Where bounds and categories are from"), "%s",
                    or_words(sbl_register_member(schema, "origin"), "no schema is named"));
}

static void promise(annex *a, const json_t *certificate)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE], own[SBL_DOUBLE_TEXT_SIZE], delta[SBL_DOUBLE_TEXT_SIZE];
    const json_t *guarantee = part(certificate, "guarantee");
    const bool holds = strcmp(sbl_register_member(guarantee, "kind"), "NONE") != 0;
    sbl_text *answer = ask(a, "Guarantee");
    if (holds)
        sbl_text_printf(
            answer,
            "differential privacy with epsilon %s at delta %s over all releases of the ledger; this run "
            "alone: %s",
            sbl_register_number(epsilon, guarantee, "epsilon", true),
            sbl_double_to_text(delta, json_number_value(json_object_get(guarantee, "delta"))),
            sbl_register_number(own, guarantee, "epsilon_of_this_run", true));
    else
        sbl_text_printf(answer, "NONE: this certificate guarantees nothing");
    if (json_object_get(guarantee, "epsilon_all_periods") != NULL)
        sbl_text_printf(ask(a, "Over all periods"), "epsilon %s for a person who is in the data of each",
                        sbl_register_number(epsilon, guarantee, "epsilon_all_periods", true));
    sbl_text_printf(ask(a, "Who is protected"), "%s; %s neighbours", sbl_register_member(guarantee, "unit"),
                    sbl_register_member(guarantee, "neighbours"));
    if (holds)
        sbl_text_printf(
            ask(a, "Residual risk"),
            "the odds of any belief about one protected record change by at most a factor e^epsilon, "
            "except with probability delta; what is true of people in general is not hidden");
}

static void assume(annex *a, const json_t *certificate, const char *hash)
{
    const json_t *ledger = part(certificate, "ledger"), *program = part(certificate, "program");
    sbl_text *text = ask(a, "Taken as public");
    list_texts(text, part(certificate, "assumes_public"));
    text = ask(a, "Kept secret");
    list_texts(text, part(certificate, "assumes_secret"));
    text = ask(a, "Not covered");
    list_texts(text, part(certificate, "not_covered"));
    sbl_text_printf(ask(a, "Account"), "ledger %s, line %lld; budget epsilon %s, delta %s",
                    sbl_register_member(ledger, "id"),
                    (long long)json_integer_value(json_object_get(ledger, "seq")),
                    sbl_register_member(part(ledger, "budget"), "epsilon"),
                    sbl_register_member(part(ledger, "budget"), "delta"));
    sbl_text_printf(ask(a, "How to check"),
                    "%s verify with this certificate and its ledger; version %s, sha256 %s",
                    sbl_register_member(program, "name"), sbl_register_member(program, "version"), hash);
}

/* ---- the two forms ---- */

static const char title[] = "Annex: differential privacy of a release";
static const char intro[] =
    "For a data-protection impact assessment. Every line is filled from the certificate of the release, "
    "whose fields were "
    "recomputed. The legal basis, the necessity and the proportionality of the processing are not part of "
    "it.";

/* Nothing in a cell ends it or becomes markup. */
static void write_plain(sbl_text *out, const char *answer)
{
    sbl_text plain = {0};
    sbl_text_append_plain(&plain, answer);
    out->failed = out->failed || plain.failed;
    for (const char *c = plain.failed ? "" : plain.data; *c != '\0'; c++)
        sbl_text_printf(out, strchr("|\\`*_<>[]&", *c) != NULL ? "\\%c" : "%c", *c);
    sbl_text_clear(&plain);
}

static void write_markdown(sbl_text *out, const annex *a)
{
    sbl_text_printf(out, "# %s\n\n%s\n\n| | |\n|---|---|\n", title, intro);
    for (size_t i = 0; i < a->count; i++) {
        sbl_text_printf(out, "| **%s** | ", a->rows[i].question);
        write_plain(out, a->rows[i].answer.data);
        sbl_text_printf(out, " |\n");
    }
}

static void write_html(sbl_text *out, const annex *a)
{
    sbl_html_page_open(out, title, false);
    sbl_html_print(out, "<body>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n", title, intro);
    sbl_html_table_open(out, "From the certificate", "Question|Answer");
    for (size_t i = 0; i < a->count; i++)
        sbl_html_print(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", a->rows[i].question,
                       a->rows[i].answer.data);
    sbl_html_table_close(out);
    sbl_html_print(out, "</main>\n</body>\n</html>\n");
}

static sbl_status write_annex(char **made, const json_t *certificate, const char *hash, bool html,
                              sbl_error *err)
{
    annex a = {0};
    sbl_text out = {0};
    describe(&a, certificate);
    promise(&a, certificate);
    assume(&a, certificate, hash);
    for (size_t i = 0; i < a.count; i++) {
        sbl_text_printf(&a.rows[i].answer, "%s", ""); /* so that an empty answer is a text */
        out.failed = out.failed || a.rows[i].answer.failed;
    }
    if (!out.failed && html) write_html(&out, &a);
    if (!out.failed && !html) write_markdown(&out, &a);
    for (size_t i = 0; i < a.count; i++) sbl_text_clear(&a.rows[i].answer);
    if (!out.failed) {
        *made = out.data;
        return SBL_OK;
    }
    sbl_text_clear(&out);
    return sbl_no_memory(err, "an annex");
}

sbl_status sbl_certificate_annex(char **text, const char *path, bool html, const char *output, bool overwrite,
                                 sbl_error *err)
{
    char hash[SBL_SHA256_TEXT_SIZE];
    uint8_t digest[SBL_SHA256_SIZE];
    uint8_t *bytes = NULL;
    json_t *certificate = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_NEED(text);
    *text = NULL;
    SBL_NEED(path);
    if (output != NULL) SBL_TRY(sbl_file_check_target(output, overwrite, err));
    SBL_TRY(sbl_file_read(&bytes, &size, path, LARGEST, err));
    SBL_TRY(sbl_certificate_check(NULL, (const char *)bytes, size, NULL, path, err));
    SBL_TRY(sbl_json_parse(&certificate, (const char *)bytes, size, path, err));
    SBL_TRY(sbl_sha256(digest, bytes, size, NULL, 0, err));
    SBL_TRY(write_annex(text, certificate, sbl_hex_encode(hash, digest, sizeof digest), html, err));
    if (output != NULL)
        SBL_TRY(sbl_file_write(output, *text, strlen(*text),
                               (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
done:
    if (status != SBL_OK && text != NULL) {
        sbl_free(*text);
        *text = NULL;
    }
    json_decref(certificate);
    sbl_free(bytes);
    return status;
}
