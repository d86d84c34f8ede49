/* The comparison of what a run made with real records: NOT PRIVATE, for the owner's eyes, and it touches no ledger. */
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "comparison.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"
#include "semblance/report.h"
#include "server.h"

/* What a comparison reads. */
typedef struct comparison {
    sbl_serve_run run;
    char page[SBL_FULL_PATH_SIZE];
    char certificate_path[SBL_FOLDER_PATH_SIZE];
    char *certificate;
    sbl_schema *schema; /* of images NULL */
    sbl_serve_question question;
    sbl_data *real; /* that were held out, or what was fitted */
    sbl_data *synthetic;
    sbl_data *train; /* what was fitted, where others were held out; else NULL */
} comparison;

/* Records that were held out are read as those of the run are, but for where they and their labels stand. */
static sbl_status open_held_out(comparison *c, const sbl_serve_place *place, sbl_error *err)
{
    sbl_serve_dataset set;
    const sbl_serve_dataset *own = &c->run.data;
    const char *name;
    sbl_status status = sbl_serve_dataset_begin(&set, place->root, c->question.held_out, err);
    set.kind = own->kind;
    for (size_t i = 0; status == SBL_OK && (name = sbl_serve_reading_name(i)) != NULL; i++)
        if (strcmp(name, "table") != 0 && strcmp(name, "labels") != 0 && own->readings[i][0] != '\0')
            status = sbl_serve_reading_set(&set, name, own->readings[i], err);
    if (status == SBL_OK && c->question.labels[0] != '\0')
        status = sbl_serve_reading_set(&set, "labels", c->question.labels, err);
    return status == SBL_OK ? sbl_serve_dataset_open(&c->real, &set, place->root, place->engine, err)
                            : status;
}

static sbl_status open_all(comparison *c, const sbl_serve_place *place, const char *folder, const char *name,
                           sbl_error *err)
{
    const int root = place->root;
    char page[SBL_FOLDER_PATH_SIZE];
    size_t length = 0;
    sbl_status status = sbl_serve_run_load(&c->run, root, folder, err);
    if (status == SBL_OK) status = sbl_serve_run_file(page, folder, name, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(c->page, root, page, err);
    if (status == SBL_OK) status = sbl_serve_comparison_question(&c->question, root, folder, name, err);
    const bool held_out = c->question.held_out[0] != '\0';
    if (status == SBL_OK)
        status = sbl_serve_run_records(c->certificate_path, &c->run, SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK && !sbl_serve_run_has_records(&c->run, root))
        status = sbl_cli_fail(err, SBL_EIO, "%s: has made nothing yet", folder);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&c->certificate, &length, root, c->certificate_path,
                                       SBL_SERVE_MOST_SCHEMA * 4, err);
    if (status == SBL_OK) status = sbl_serve_run_schema(&c->schema, &c->run, root, err);
    if (status == SBL_OK)
        status =
            sbl_serve_dataset_open(held_out ? &c->train : &c->real, &c->run.data, root, place->engine, err);
    if (status == SBL_OK && held_out) status = open_held_out(c, place, err);
    if (status == SBL_OK) status = sbl_serve_run_open(&c->synthetic, &c->run, place, err);
    return status;
}

static sbl_status write_page(comparison *c, const char *evaluation, sbl_error *err)
{
    sbl_report_options page;
    sbl_report_options_init(&page);
    page.certificate = c->certificate;
    page.evaluation = evaluation;
    page.synthetic = c->synthetic;
    page.schema = c->schema;
    page.title = c->run.title[0] != '\0' ? c->run.title : NULL;
    page.path = c->page;
    return sbl_report(NULL, &page, err);
}

sbl_status sbl_serve_compare_work(const sbl_serve_place *place, const char *folder, const char *name,
                                  sbl_progress progress, void *context, sbl_error *err)
{
    comparison *c = calloc(1, sizeof *c);
    char *evaluation = NULL;
    sbl_evaluate_options options;
    if (c == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a comparison");
    sbl_evaluate_options_init(&options);
    options.progress = progress;
    options.context = context;
    sbl_status status = open_all(c, place, folder, name, err);
    options.models = c->question.models ? NULL : "none";
    if (status == SBL_OK)
        status = sbl_evaluate(&evaluation, NULL, c->real, c->synthetic, c->train, c->schema, &options, err);
    if (status == SBL_OK) status = write_page(c, sbl_serve_folder_shorten(evaluation, place->root), err);
    sbl_free(evaluation);
    sbl_data_free(c->real);
    sbl_data_free(c->synthetic);
    sbl_data_free(c->train);
    sbl_schema_free(c->schema);
    free(c->certificate);
    free(c);
    return status;
}
