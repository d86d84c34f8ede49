/* The work of a run: what `semblance synth` and `semblance resume` do, with the files of its folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../cli/output.h"
#include "comparison.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/files.h"
#include "semblance/report.h"
#include "semblance/synthesizer.h"
#include "server.h"

#define SHOWN_ROWS 100

/* A run while it is worked on. */
typedef struct work {
    const sbl_serve_place *place;
    sbl_serve_run run;
    char report[SBL_FOLDER_PATH_SIZE]; /* relative to the folder that is served */
    char release[SBL_FOLDER_PATH_SIZE];
    char certificate[SBL_FOLDER_PATH_SIZE];
    struct { /* absolute, for the library */
        char records[SBL_FULL_PATH_SIZE];
        char model[SBL_FULL_PATH_SIZE];
        char report[SBL_FULL_PATH_SIZE];
        char preview[SBL_FULL_PATH_SIZE];
        char release[SBL_FULL_PATH_SIZE];
        char certificate[SBL_FULL_PATH_SIZE];
        char schema[SBL_FULL_PATH_SIZE]; /* for images: the folder itself, and not used */
    } full;
    sbl_synth_options options;
    sbl_synthesizer *synth;
    sbl_data *data;
    sbl_schema *schema; /* of the run, or that was discovered; of images NULL */
    int lock;
} work;

static sbl_status name_files(work *w, sbl_error *err)
{
    const char *folder = w->run.folder;
    char records[SBL_FOLDER_PATH_SIZE], model[SBL_FOLDER_PATH_SIZE];
    char preview[SBL_FOLDER_PATH_SIZE], schema[SBL_FOLDER_PATH_SIZE];
    const struct {
        char *full;
        const char *path;
    } all[] = {{w->full.records, records},           {w->full.model, model},
               {w->full.preview, preview},           {w->full.schema, schema},
               {w->full.report, w->report},          {w->full.release, w->release},
               {w->full.certificate, w->certificate}};
    sbl_status status = sbl_serve_run_records(records, &w->run, "", err);
    if (status == SBL_OK) status = sbl_serve_run_file(model, folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK) status = sbl_serve_run_file(w->report, folder, SBL_RUN_REPORT, err);
    if (status == SBL_OK) status = sbl_serve_run_file(preview, folder, SBL_RUN_PREVIEW, err);
    if (status == SBL_OK) status = sbl_serve_run_records(w->release, &w->run, SBL_ENDING_RELEASE, err);
    if (status == SBL_OK)
        status = sbl_serve_run_records(w->certificate, &w->run, SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK) status = sbl_serve_run_schema_path(schema, &w->run, err);
    for (size_t i = 0; status == SBL_OK && i < sizeof all / sizeof all[0]; i++)
        status = sbl_serve_folder_full(all[i].full, w->place->root, all[i].path, err);
    return status;
}

/* One process at a time works on a run, whichever server started it. */
static sbl_status lock_run(work *w, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    sbl_status status = sbl_serve_run_file(path, w->run.folder, SBL_RUN_JOB, err);
    if (status == SBL_OK) status = sbl_serve_folder_file(&w->lock, NULL, w->place->root, path, err);
    if (status == SBL_OK && flock(w->lock, LOCK_EX | LOCK_NB) != 0)
        status = sbl_cli_fail(err, SBL_EBUSY, "%s: another process works on it", w->run.folder);
    return status;
}

/* The report is written last: that something else has its name is noticed before anything is released. */
static sbl_status check_report(const work *w, sbl_error *err)
{
    const int found = sbl_serve_open_beneath(w->place->root, w->report, O_PATH, 0);
    if (found < 0) return SBL_OK;
    (void)close(found);
    return sbl_cli_fail(err, SBL_EIO, "%s: is there already, and is not overwritten: remove it", w->report);
}

/* From the beginning, or from the releases that are there. */
static sbl_status fit(work *w, sbl_error *err)
{
    sbl_output output;
    sbl_output_init(&output);
    const bool images = w->run.data.kind == SBL_KIND_IMAGES;
    const bool discovers = w->run.data.kind == SBL_KIND_TABLE && !w->run.has_schema;
    output.records = w->full.records;
    output.model = w->full.model;
    output.schema = images || discovers ? NULL : w->full.schema;
    output.preview = images ? w->full.preview : NULL;
    output.format = strcmp(w->run.format, "png") == 0 ? SBL_IMAGES_PNG : SBL_IMAGES_IDX;
    output.duckdb = w->place->engine;
    const bool resume = sbl_serve_folder_has(w->place->root, w->release);
    sbl_serve_dataset there;
    sbl_status status = sbl_serve_dataset_begin(&there, w->place->root, w->run.data.name, err);
    if (status == SBL_OK)
        status = sbl_serve_dataset_open(&w->data, &w->run.data, w->place->root, w->place->engine, err);
    if (status == SBL_OK && !discovers)
        status = sbl_serve_run_schema(&w->schema, &w->run, w->place->root, err);
    if (status == SBL_OK) status = check_report(w, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&w->synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(w->synth, &output, err);
    if (status == SBL_OK)
        status = (resume ? sbl_synthesizer_resume : sbl_synthesizer_fit)(w->synth, w->data, w->schema,
                                                                         &w->options, err);
    return status;
}

/* The model, also where the run was stopped after it drew from it. */
static sbl_status need_model(work *w, sbl_error *err)
{
    if (w->synth != NULL) return SBL_OK;
    sbl_status status = sbl_synthesizer_new(&w->synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_load_file(w->synth, w->full.model, err);
    return status;
}

/* Some rows that the page can show, where it cannot read what was drawn. */
static sbl_status draw_some(work *w, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], full[SBL_FULL_PATH_SIZE];
    sbl_sample_options options;
    sbl_sample_options_init(&options);
    options.path = full;
    options.rows = SHOWN_ROWS;
    sbl_status status = sbl_serve_run_file(path, w->run.folder, SBL_RUN_ROWS "1.csv", err);
    if (status == SBL_OK && sbl_serve_folder_has(w->place->root, path)) return SBL_OK;
    if (status == SBL_OK) status = sbl_serve_folder_full(full, w->place->root, path, err);
    if (status == SBL_OK) status = need_model(w, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(w->synth, &options, err);
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
    sbl_status status = SBL_OK;
    if (w->schema == NULL) status = sbl_serve_run_schema(&w->schema, &w->run, w->place->root, err);
    if (status == SBL_OK && w->run.data.kind == SBL_KIND_IMAGES)
        status = need_model(w, err); /* which knows classes by their names */
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&certificate, &length, w->place->root, w->certificate,
                                       SBL_SERVE_MOST_SCHEMA * 4, err);
    if (status == SBL_OK) status = sbl_serve_run_open(&shown, &w->run, w->place, err);
    page.certificate = certificate;
    page.synth = w->synth;
    page.synthetic = shown;
    page.schema = w->schema;
    page.title = w->run.title[0] != '\0' ? w->run.title : NULL;
    page.path = w->full.report;
    if (status == SBL_OK) status = sbl_report(NULL, &page, err);
    sbl_data_free(shown);
    free(certificate);
    return status;
}

sbl_status sbl_serve_run_work(const sbl_serve_place *place, const char *folder, sbl_progress progress,
                              sbl_advice advice, void *context, sbl_error *err)
{
    work *w = calloc(1, sizeof *w);
    if (w == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    w->place = place;
    w->lock = -1;
    sbl_synth_options_init(&w->options);
    w->options.progress = progress;
    w->options.advice = advice;
    w->options.context = context;
    sbl_status status = sbl_serve_run_load(&w->run, place->root, folder, err);
    if (status == SBL_OK) status = name_files(w, err);
    if (status == SBL_OK) status = lock_run(w, err);
    if (status == SBL_OK) status = sbl_serve_run_options(&w->options, &w->run, err);
    w->options.release_path = w->full.release;
    w->options.certificate_path = w->full.certificate;
    if (status == SBL_OK && !sbl_serve_run_has_records(&w->run, place->root)) status = fit(w, err);
    if (status == SBL_OK && strcmp(w->run.records, SBL_RUN_PARQUET) == 0) status = draw_some(w, err);
    if (status == SBL_OK && !sbl_serve_folder_has(place->root, w->report)) status = report(w, err);
    if (w->lock >= 0) (void)close(w->lock);
    sbl_synthesizer_free(w->synth);
    sbl_data_free(w->data);
    sbl_schema_free(w->schema);
    free(w);
    return status;
}

sbl_status sbl_serve_work_by_name(const sbl_serve_place *place, const char *name, sbl_progress progress,
                                  sbl_advice advice, void *context, sbl_error *err)
{
    char folder[SBL_FOLDER_PATH_SIZE];
    const char *slash = strrchr(name, '/');
    if (slash == NULL || !sbl_serve_is_comparison(slash + 1))
        return sbl_serve_run_work(place, name, progress, advice, context, err);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - name), name);
    return sbl_serve_compare_work(place, folder, slash + 1, progress, context, err);
}
