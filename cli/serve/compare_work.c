/* The comparison of a run's table with the real one: NOT PRIVATE, for the owner's eyes, and it touches no ledger. */
#include <stdlib.h>
#include <string.h>

#include "../output.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"
#include "semblance/report.h"
#include "server.h"

/* What a comparison reads. */
typedef struct comparison {
    sbl_serve_run run;
    char page[SBL_FOLDER_PATH_SIZE];
    char certificate_path[SBL_FOLDER_PATH_SIZE];
    char *certificate;
    sbl_schema *schema; /* of images NULL */
    sbl_data *real;
    sbl_data *synthetic;
} comparison;

static sbl_status open_all(comparison *c, const sbl_serve_place *place, const char *folder,
                           sbl_error *err)
{
    const int root = place->root;
    size_t length = 0;
    sbl_status status = sbl_serve_run_load(&c->run, root, folder, err);
    if (status == SBL_OK) status = sbl_serve_run_file(c->page, folder, SBL_RUN_COMPARISON, err);
    if (status == SBL_OK)
        status = sbl_serve_run_records(c->certificate_path, &c->run, SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK && !sbl_serve_run_has_records(&c->run, root))
        status = sbl_cli_fail(err, SBL_EIO, "%s: has made nothing yet", folder);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&c->certificate, &length, root, c->certificate_path,
                                       SBL_SERVE_MOST_SCHEMA * 4, err);
    if (status == SBL_OK) status = sbl_serve_run_schema(&c->schema, &c->run, root, err);
    if (status == SBL_OK)
        status = sbl_serve_dataset_open(&c->real, &c->run.data, root, place->engine, err);
    if (status == SBL_OK) status = sbl_serve_run_open(&c->synthetic, &c->run, place->engine, err);
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

sbl_status sbl_serve_compare_work(const sbl_serve_place *place, const char *folder,
                                  sbl_progress progress, void *context, sbl_error *err)
{
    comparison *c = calloc(1, sizeof *c);
    char *evaluation = NULL;
    sbl_evaluate_options options;
    if (c == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a comparison");
    sbl_evaluate_options_init(&options);
    options.models = "none"; /* minutes, and the program's business */
    options.progress = progress;
    options.context = context;
    sbl_status status = open_all(c, place, folder, err);
    if (status == SBL_OK)
        status =
            sbl_evaluate(&evaluation, NULL, c->real, c->synthetic, NULL, c->schema, &options, err);
    if (status == SBL_OK) status = write_page(c, evaluation, err);
    sbl_free(evaluation);
    sbl_data_free(c->real);
    sbl_data_free(c->synthetic);
    sbl_schema_free(c->schema);
    free(c->certificate);
    free(c);
    return status;
}
