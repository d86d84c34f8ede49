/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reports that the browser test opens:
 *     make_report table|wide|hostile|images|gallery|public|none REPORT.html [EVALUATION.json]
 * With a third argument the made-up evaluation is written there too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "owner/report/report_page.h"
#include "report/image_report_kit.h"
#include "report/report_kit.h"
#include "support/cmocka_all.h"

typedef struct kind {
    const char *name;
    kit_evaluation facts;
    size_t certificate; /* of kit_cases */
    bool public_only;
    kit_image_set images; /* of a certificate of images; count 0: it is of a table */
} kind;

static const kind kinds[] = {
    {.name = "table", .facts = {.columns = 14}, .certificate = 1},
    {.name = "wide", .facts = {.columns = 500}, .certificate = 0},
    {.name = "hostile", .facts = {.columns = 14, .hostile = true, .regression = true}, .certificate = 2},
    {.name = "images",
     .facts = {.columns = 2, .images = true, .without_real = true},
     .certificate = 3,
     .images = {{28, 28, 1}, 300, 10, true}},
    /* More classes than are shown, with names that try to be markup or go on and on. */
    {.name = "gallery",
     .facts = {.columns = 2},
     .certificate = 0,
     .public_only = true,
     .images = {{32, 32, 3}, 500, 50, false}},
    {.name = "public", .facts = {.columns = 14}, .certificate = KIT_TWO_RELEASES, .public_only = true},
    {.name = "none", .facts = {.columns = 14}, .certificate = 5},
};

/* An empty one where the report is of a table. */
static sbl_report_preview preview_of(const kind *k)
{
    sbl_report_preview preview = {0};
    const char *names[64];
    for (size_t i = 0; i < 64; i++) names[i] = i < KIT_HOSTILE_NAMES ? kit_hostile_names[i] : "ankle boots";
    if (k->images.count > 0 && kit_preview(&preview, &k->images, k->public_only ? names : NULL) != SBL_OK)
        (void)fprintf(stderr, "make_report: no preview\n");
    return preview;
}

static int write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return 1;
    (void)fputs(text, file);
    return fclose(file);
}

static int write_report(const kind *k, const char *path, const char *evaluation_path)
{
    certified c;
    sbl_error err;
    char *evaluation = kit_evaluation_text(&k->facts);
    if (k->images.count > 0)
        kit_certify_images(&c, &kit_cases[k->certificate]);
    else
        kit_certify(&c, &kit_cases[k->certificate]);
    sbl_report_preview preview = preview_of(k);
    const sbl_page_options options = {
        .title = k->facts.hostile ? kit_hostile_names[3] : "Synthetic clinic data, release 2",
        .preview = k->images.count > 0 ? &preview : NULL};
    char *html = NULL;
    const sbl_status status =
        sbl_report_render(&html, c.text, k->public_only ? NULL : evaluation, &options, &err);
    if (status != SBL_OK) (void)fprintf(stderr, "make_report: %s\n", err.message);
    if (html != NULL && write_text(path, html) != 0) return 1;
    if (evaluation_path != NULL && write_text(evaluation_path, evaluation) != 0) return 1;
    sbl_free(html);
    sbl_report_preview_clear(&preview);
    kit_clear(&c);
    free(evaluation);
    return status != SBL_OK;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            return write_report(&kinds[i], argv[2], argc > 3 ? argv[3] : NULL);
    (void)fprintf(stderr, "make_report KIND REPORT.html [EVALUATION.json]\n");
    return 2;
}
