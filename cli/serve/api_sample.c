/* Look: rows that hold a condition, drawn from the model of a run. They cost nothing: the model is what was released. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../output.h"
#include "runs.h"
#include "semblance/synthesizer.h"
#include "server.h"
#include "watch.h"

#define MOST_ROWS 1000000
#define MOST_FILES 1000
#define MOST_SECONDS 60

/* rows-1.csv, rows-2.csv, ...: the first that is not there. */
static sbl_status name_rows(char name[32], char path[SBL_FOLDER_PATH_SIZE], int root,
                            const char *folder, sbl_error *err)
{
    for (unsigned k = 1; k <= MOST_FILES; k++) {
        (void)snprintf(name, 32, SBL_RUN_ROWS "%u.csv", k);
        const sbl_status status = sbl_serve_run_file(path, folder, name, err);
        if (status != SBL_OK || !sbl_serve_folder_has(root, path)) return status;
    }
    return sbl_cli_fail(err, SBL_EIO, "%s: holds %d tables of rows; move some away", folder,
                        MOST_FILES);
}

typedef struct drawing {
    sbl_serve_watch watch;
    time_t late;
} drawing;

/* A condition that hardly any row holds is given up: others wait. So it is where nobody waits any more. */
static int until_late(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    const drawing *own = context;
    (void)what;
    (void)step;
    (void)steps;
    (void)loss;
    return time(NULL) > own->late || sbl_serve_watch_is_over(&own->watch) ? 1 : 0;
}

static sbl_status draw(const sbl_serve_watch *watch, const char *folder, const char *path,
                       const char *where, uint64_t rows, sbl_error *err)
{
    const int root = watch->server->root;
    char model[SBL_FOLDER_PATH_SIZE];
    sbl_synthesizer *synth = NULL;
    sbl_sample_options options;
    drawing own = {*watch, time(NULL) + MOST_SECONDS};
    sbl_sample_options_init(&options);
    options.path = path;
    options.rows = rows;
    options.where = where;
    options.progress = until_late;
    options.context = &own;
    sbl_status status = sbl_serve_run_file(model, folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, model))
        status = sbl_cli_fail(err, SBL_EIO, "%s: has no model yet", folder);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_load_file(synth, model, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(synth, &options, err);
    if (status == SBL_ESTOPPED)
        status =
            sbl_cli_fail(err, SBL_EARG, "so many such rows were not found in %d s", MOST_SECONDS);
    sbl_synthesizer_free(synth);
    return status;
}

sbl_status sbl_serve_api_sample(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char name[32], path[SBL_FOLDER_PATH_SIZE];
    const char *folder = NULL, *where = sbl_serve_request_text_or_null(request, "where");
    const double rows = sbl_serve_request_number(request, "rows");
    sbl_serve_run *run = calloc(1, sizeof *run);
    if (run == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK && !(rows >= 1.0 && rows <= MOST_ROWS))
        status = sbl_cli_fail(err, SBL_EARG, "'rows' must be a number from 1 to %d", MOST_ROWS);
    if (status == SBL_OK) status = sbl_serve_run_load(run, server->root, folder, err);
    if (status == SBL_OK && run->data.kind != SBL_KIND_TABLE)
        status = sbl_cli_fail(
            err, SBL_EARG,
            "%s: rows are drawn here of one table alone; 'semblance sample' draws the rest",
            folder);
    if (status == SBL_OK) status = name_rows(name, path, server->root, folder, err);
    if (status == SBL_OK)
        status = draw(&(sbl_serve_watch){server, request}, folder, path,
                      where != NULL && where[0] != '\0' ? where : NULL, (uint64_t)rows, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s, s:s}", "run", folder, "name", name);
    free(run);
    return status;
}
