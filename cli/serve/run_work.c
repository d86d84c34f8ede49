/* The work of a run: what `semblance synth` and `semblance resume` do, with the files of its folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../output.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/files.h"
#include "semblance/report.h"
#include "semblance/synthesizer.h"
#include "server.h"

/* A run while it is worked on. */
typedef struct work {
    int root;
    sbl_serve_run run;
    char table[SBL_FOLDER_PATH_SIZE];
    char model[SBL_FOLDER_PATH_SIZE];
    char report[SBL_FOLDER_PATH_SIZE];
    char release[SBL_FOLDER_PATH_SIZE];
    char certificate[SBL_FOLDER_PATH_SIZE];
    char schema_path[SBL_FOLDER_PATH_SIZE];
    sbl_synth_options options;
    sbl_synthesizer *synth;
    sbl_data *data;
    sbl_schema *schema; /* of the run, or that was discovered */
    int lock;
} work;

static sbl_status name_files(work *w, sbl_error *err)
{
    const char *folder = w->run.folder;
    sbl_status status = sbl_serve_run_file(w->table, folder, SBL_RUN_TABLE, err);
    if (status == SBL_OK) status = sbl_serve_run_file(w->model, folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK) status = sbl_serve_run_file(w->report, folder, SBL_RUN_REPORT, err);
    if (status == SBL_OK)
        status = sbl_serve_run_file(w->release, folder, SBL_RUN_TABLE SBL_ENDING_RELEASE, err);
    if (status == SBL_OK)
        status =
            sbl_serve_run_file(w->certificate, folder, SBL_RUN_TABLE SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK)
        status = sbl_serve_run_file(
            w->schema_path, folder,
            w->run.has_schema ? SBL_RUN_SCHEMA : SBL_RUN_TABLE SBL_ENDING_SCHEMA, err);
    return status;
}

/* One process at a time works on a run, whichever server started it. */
static sbl_status lock_run(work *w, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    sbl_status status = sbl_serve_run_file(path, w->run.folder, SBL_RUN_JOB, err);
    if (status == SBL_OK) status = sbl_serve_folder_file(&w->lock, NULL, w->root, path, err);
    if (status == SBL_OK && flock(w->lock, LOCK_EX | LOCK_NB) != 0)
        status = sbl_cli_fail(err, SBL_EBUSY, "%s: another process works on it", w->run.folder);
    return status;
}

static sbl_status load_schema(work *w, sbl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    sbl_status status =
        sbl_serve_folder_read(&text, &length, w->root, w->schema_path, SBL_SERVE_MOST_SCHEMA, err);
    if (status == SBL_OK)
        status = sbl_schema_from_json(&w->schema, text, length, w->schema_path, err);
    free(text);
    return status;
}

static sbl_status set_options(work *w, sbl_error *err)
{
    sbl_synth_options *options = &w->options;
    const char *const given[][2] = {{"epsilon", w->run.epsilon},
                                    {"delta", w->run.delta},
                                    {"method", w->run.method},
                                    {"title", w->run.title},
                                    {"by", w->run.by}};
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < sizeof given / sizeof given[0]; i++)
        if (given[i][1][0] != '\0')
            status = sbl_options_set(options, given[i][0], given[i][1], err);
    options->release_path = w->release;
    options->certificate_path = w->certificate;
    return status;
}

/* From the beginning, or from the releases that are there. */
static sbl_status fit(work *w, sbl_error *err)
{
    sbl_output output;
    sbl_output_init(&output);
    output.records = w->table;
    output.model = w->model;
    output.schema = w->run.has_schema ? w->schema_path : NULL;
    const bool resume = sbl_serve_folder_has(w->root, w->release);
    sbl_status status = SBL_OK;
    if (!sbl_serve_folder_has(w->root, w->run.input))
        status =
            sbl_cli_fail(err, SBL_EIO, "%s: there is no such file in the folder", w->run.input);
    if (status == SBL_OK) status = sbl_data_open(&w->data, w->run.input, NULL, err);
    if (status == SBL_OK && w->run.has_schema) status = load_schema(w, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&w->synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(w->synth, &output, err);
    if (status == SBL_OK)
        status = (resume ? sbl_synthesizer_resume : sbl_synthesizer_fit)(
            w->synth, w->data, w->schema, &w->options, err);
    return status;
}

/* The public report. The certificate is the one on disk: it lists what was written. */
static sbl_status report(work *w, sbl_error *err)
{
    sbl_report_options page;
    sbl_data *shown = NULL;
    char *certificate = NULL;
    size_t length = 0;
    sbl_report_options_init(&page);
    sbl_status status = w->schema == NULL ? load_schema(w, err) : SBL_OK;
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&certificate, &length, w->root, w->certificate,
                                       SBL_SERVE_MOST_SCHEMA * 4, err);
    if (status == SBL_OK) status = sbl_data_open(&shown, w->table, NULL, err);
    page.certificate = certificate;
    page.synth = w->synth;
    page.synthetic = shown;
    page.schema = w->schema;
    page.title = w->run.title[0] != '\0' ? w->run.title : NULL;
    page.path = w->report;
    if (status == SBL_OK) status = sbl_report(NULL, &page, err);
    sbl_data_free(shown);
    free(certificate);
    return status;
}

sbl_status sbl_serve_run_work(int root, const char *folder, sbl_progress progress,
                              sbl_advice advice, void *context, sbl_error *err)
{
    work *w = calloc(1, sizeof *w);
    if (w == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    w->root = root;
    w->lock = -1;
    sbl_synth_options_init(&w->options);
    w->options.progress = progress;
    w->options.advice = advice;
    w->options.context = context;
    sbl_status status = sbl_serve_run_load(&w->run, root, folder, err);
    if (status == SBL_OK) status = name_files(w, err);
    if (status == SBL_OK) status = lock_run(w, err);
    if (status == SBL_OK) status = set_options(w, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, w->table)) status = fit(w, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, w->report)) status = report(w, err);
    if (w->lock >= 0) (void)close(w->lock);
    sbl_synthesizer_free(w->synth);
    sbl_data_free(w->data);
    sbl_schema_free(w->schema);
    free(w);
    return status;
}

sbl_status sbl_serve_work_by_name(int root, const char *name, sbl_progress progress,
                                  sbl_advice advice, void *context, sbl_error *err)
{
    static const char comparison[] = "/" SBL_RUN_COMPARISON;
    char folder[SBL_FOLDER_PATH_SIZE];
    if (!sbl_serve_ends_with(name, comparison))
        return sbl_serve_run_work(root, name, progress, advice, context, err);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strlen(name) - (sizeof comparison - 1)),
                   name);
    return sbl_serve_compare_work(root, folder, progress, context, err);
}
