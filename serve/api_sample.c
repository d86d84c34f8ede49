/* SPDX-License-Identifier: Apache-2.0 */
/* Result: more of the model of a run, also such that holds a condition. It costs nothing: the model is what was released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../cli/output.h"
#include "runs.h"
#include "semblance/files.h"
#include "semblance/synthesizer.h"
#include "server.h"
#include "watch.h"

#define MOST_ROWS 1000000
#define MOST_OTHERS 100000 /* images, or persons */
#define MOST_REPLICATES 100
#define MOST_FILES 1000
#define MOST_SECONDS 60

/* How what is drawn of each kind is called: rows-1.csv, images-1, tables-1. */
static const char *const names[][2] = {[SBL_KIND_TABLE] = {SBL_RUN_ROWS, ".csv"},
                                       [SBL_KIND_IMAGES] = {SBL_RUN_IMAGES, ""},
                                       [SBL_KIND_PACKAGE] = {SBL_RUN_TABLES, ""}};

/* The first number that is not there. */
static sbl_status name_drawn(char name[32], char path[SBL_FOLDER_PATH_SIZE], int root,
                             const sbl_serve_run *run, sbl_error *err)
{
    const char *const *called = names[run->data.kind];
    for (unsigned k = 1; k <= MOST_FILES; k++) {
        (void)snprintf(name, 32, "%s%u%s", called[0], k, called[1]);
        const sbl_status status = sbl_serve_run_file(path, run->folder, name, err);
        if (status != SBL_OK ||
            !(sbl_serve_folder_has(root, path) || sbl_serve_folder_has_folder(root, path)))
            return status;
    }
    return sbl_cli_fail(err, SBL_EIO,
                        "%s: this run already has %d drawn sets; move some of them out of the folder",
                        run->folder, MOST_FILES);
}

typedef struct drawing {
    sbl_serve_watch watch;
    time_t late;
} drawing;

/* A condition that hardly any row holds is given up, and so are replicates that take long: others wait. The same holds if the client has gone. */
static int until_late(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    const drawing *own = context;
    (void)what;
    (void)step;
    (void)steps;
    (void)loss;
    return time(NULL) > own->late || sbl_serve_watch_is_over(&own->watch) ? 1 : 0;
}

/* Replicates of a table: one file, from the releases of the run (docs/INFERENCE.md). */
static sbl_status draw_replicates(const sbl_serve_watch *watch, const sbl_serve_run *run, const char *path,
                                  uint64_t replicates, sbl_error *err)
{
    const int root = watch->server->root;
    char release[SBL_FOLDER_PATH_SIZE], full_release[SBL_FULL_PATH_SIZE], full[SBL_FULL_PATH_SIZE];
    sbl_synthesizer *synth = NULL;
    sbl_sample_options options;
    drawing own = {*watch, time(NULL) + MOST_SECONDS};
    sbl_sample_options_init(&options);
    options.path = full;
    options.release = full_release;
    options.replicates = replicates;
    options.progress = until_late;
    options.context = &own;
    sbl_status status = sbl_serve_folder_full(full, root, path, err);
    if (status == SBL_OK) status = sbl_serve_run_records(release, run, SBL_ENDING_RELEASE, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, release))
        status = sbl_cli_fail(err, SBL_EIO, "%s: this run has no release yet; wait until it is finished",
                              run->folder);
    if (status == SBL_OK) status = sbl_serve_folder_full(full_release, root, release, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(synth, &options, err);
    if (status == SBL_ESTOPPED)
        status = sbl_cli_fail(err, SBL_EARG,
                              "the replicates took more than %d s: ask for fewer, or type: semblance sample "
                              "%s --replicates 20 -o FOLDER",
                              MOST_SECONDS, release);
    sbl_synthesizer_free(synth);
    return status;
}

static sbl_status draw(const sbl_serve_watch *watch, const sbl_serve_run *run, const char *path,
                       const char *where, uint64_t count, sbl_error *err)
{
    const int root = watch->server->root;
    char model[SBL_FOLDER_PATH_SIZE], preview[SBL_FULL_PATH_SIZE];
    char full_model[SBL_FULL_PATH_SIZE], full[SBL_FULL_PATH_SIZE];
    sbl_synthesizer *synth = NULL;
    sbl_sample_options options;
    drawing own = {*watch, time(NULL) + MOST_SECONDS};
    sbl_sample_options_init(&options);
    options.path = full;
    if (run->data.kind == SBL_KIND_PACKAGE)
        options.persons = count;
    else
        options.rows = count;
    options.where = where;
    options.preview = run->data.kind == SBL_KIND_IMAGES ? preview : NULL;
    options.progress = until_late;
    options.context = &own;
    sbl_status status = sbl_serve_name_beside(model, path, ".png", err);
    if (status == SBL_OK) status = sbl_serve_folder_full(preview, root, model, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, path, err);
    if (status == SBL_OK) status = sbl_serve_run_file(model, run->folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, model))
        status = sbl_cli_fail(err, SBL_EIO, "%s: this run has no model yet; wait until it is finished",
                              run->folder);
    if (status == SBL_OK) status = sbl_serve_folder_full(full_model, root, model, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_load(synth, NULL, 0, full_model, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(synth, &options, err);
    if (status == SBL_ESTOPPED)
        status = sbl_cli_fail(err, SBL_EARG,
                              "too few rows meet the condition: not enough were found in %d s; relax the "
                              "condition, or ask for fewer rows",
                              MOST_SECONDS);
    sbl_synthesizer_free(synth);
    return status;
}

static void add_file(void *context, const sbl_serve_folder_entry *entry)
{
    if (!entry->is_folder) (void)json_array_append_new(context, json_string(strrchr(entry->path, '/') + 1));
}

sbl_status sbl_serve_api_sample(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char name[32], path[SBL_FOLDER_PATH_SIZE];
    const char *folder = NULL, *where = sbl_serve_request_text_or_null(request, "where");
    const double rows = sbl_serve_request_number(request, "rows");
    const double replicates = sbl_serve_request_number(request, "replicates");
    const bool several = replicates != 0.0;
    sbl_serve_run *run = calloc(1, sizeof *run);
    if (run == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK) status = sbl_serve_run_load(run, server->root, folder, err);
    const int most = run->data.kind == SBL_KIND_TABLE ? MOST_ROWS : MOST_OTHERS;
    if (status == SBL_OK && several &&
        !(run->data.kind == SBL_KIND_TABLE && replicates >= 2.0 && replicates <= MOST_REPLICATES))
        status = sbl_cli_fail(err, SBL_EARG, "'replicates' must be a number from 2 to %d, of a table",
                              MOST_REPLICATES);
    if (status == SBL_OK && !several && !(rows >= 1.0 && rows <= most))
        status = sbl_cli_fail(err, SBL_EARG, "'rows' must be a number from 1 to %d", most);
    if (status == SBL_OK) status = name_drawn(name, path, server->root, run, err);
    if (status == SBL_OK && several)
        status = draw_replicates(&(sbl_serve_watch){server, request}, run, path, (uint64_t)replicates, err);
    else if (status == SBL_OK)
        status = draw(&(sbl_serve_watch){server, request}, run, path,
                      where != NULL && where[0] != '\0' ? where : NULL, (uint64_t)rows, err);
    json_t *files = json_array();
    if (status == SBL_OK && run->data.kind != SBL_KIND_TABLE)
        sbl_serve_folder_list(server->root, path, add_file, files);
    if (status == SBL_OK)
        answer->json = json_pack("{s:s, s:s, s:O}", "run", folder, "name", name, "files", files);
    json_decref(files);
    free(run);
    return status;
}
