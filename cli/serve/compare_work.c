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
    char table[SBL_FOLDER_PATH_SIZE];
    char page[SBL_FOLDER_PATH_SIZE];
    char schema_path[SBL_FOLDER_PATH_SIZE];
    char certificate_path[SBL_FOLDER_PATH_SIZE];
    char *schema_text;
    char *certificate;
    sbl_schema *schema;
    sbl_data *real;
    sbl_data *synthetic;
} comparison;

static sbl_status open_all(comparison *c, int root, const char *folder, sbl_error *err)
{
    size_t length = 0;
    sbl_status status = sbl_serve_run_load(&c->run, root, folder, err);
    const char *schema = c->run.has_schema ? SBL_RUN_SCHEMA : SBL_RUN_TABLE SBL_ENDING_SCHEMA;
    if (status == SBL_OK) status = sbl_serve_run_file(c->table, folder, SBL_RUN_TABLE, err);
    if (status == SBL_OK) status = sbl_serve_run_file(c->page, folder, SBL_RUN_COMPARISON, err);
    if (status == SBL_OK) status = sbl_serve_run_file(c->schema_path, folder, schema, err);
    if (status == SBL_OK)
        status = sbl_serve_run_file(c->certificate_path, folder,
                                    SBL_RUN_TABLE SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK &&
        !(sbl_serve_folder_has(root, c->run.input) && sbl_serve_folder_has(root, c->table)))
        status = sbl_cli_fail(err, SBL_EIO, "%s: its table or the real one is not there", folder);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&c->certificate, &length, root, c->certificate_path,
                                       SBL_SERVE_MOST_SCHEMA * 4, err);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&c->schema_text, &length, root, c->schema_path,
                                       SBL_SERVE_MOST_SCHEMA, err);
    if (status == SBL_OK)
        status = sbl_schema_from_json(&c->schema, c->schema_text, length, c->schema_path, err);
    if (status == SBL_OK) status = sbl_data_open(&c->real, c->run.input, NULL, err);
    if (status == SBL_OK) status = sbl_data_open(&c->synthetic, c->table, NULL, err);
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

sbl_status sbl_serve_compare_work(int root, const char *folder, sbl_progress progress,
                                  void *context, sbl_error *err)
{
    comparison *c = calloc(1, sizeof *c);
    char *evaluation = NULL;
    sbl_evaluate_options options;
    if (c == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a comparison");
    sbl_evaluate_options_init(&options);
    options.models = "none"; /* minutes, and the program's business */
    options.progress = progress;
    options.context = context;
    sbl_status status = open_all(c, root, folder, err);
    if (status == SBL_OK)
        status =
            sbl_evaluate(&evaluation, NULL, c->real, c->synthetic, NULL, c->schema, &options, err);
    if (status == SBL_OK) status = write_page(c, evaluation, err);
    sbl_free(evaluation);
    sbl_data_free(c->real);
    sbl_data_free(c->synthetic);
    sbl_schema_free(c->schema);
    free(c->schema_text);
    free(c->certificate);
    free(c);
    return status;
}
