/* The folder of a run and its job file. */
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../output.h"
#include "semblance/files.h"

#define MOST_RUNS 1000

size_t sbl_serve_run_input_length(const char *folder)
{
    static const char ending[] = SBL_RUNS_ENDING "/";
    const char *slash = strrchr(folder, '/');
    const size_t size = sizeof ending - 1;
    if (slash == NULL || slash[1] < '1' || slash[1] > '9' ||
        strspn(slash + 1, "0123456789") != strlen(slash + 1) || strlen(slash + 1) > 4)
        return 0;
    const size_t length = (size_t)(slash + 1 - folder);
    if (length <= size || memcmp(folder + length - size, ending, size) != 0) return 0;
    return length - size;
}

sbl_status sbl_serve_run_file(char path[SBL_FOLDER_PATH_SIZE], const char *folder, const char *name,
                              sbl_error *err)
{
    const int length = snprintf(path, SBL_FOLDER_PATH_SIZE, "%s/%s", folder, name);
    if (length > 0 && length < SBL_FOLDER_PATH_SIZE) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG, "%s: this name is too long", folder);
}

/* The first free number. */
static sbl_status make_folder(sbl_serve_run *run, int root, sbl_error *err)
{
    char parent[SBL_FOLDER_PATH_SIZE];
    bool made = false;
    int length = snprintf(parent, sizeof parent, "%s" SBL_RUNS_ENDING, run->input);
    if (length < 0 || (size_t)length + 8 > sizeof run->folder)
        return sbl_cli_fail(err, SBL_EARG, "%s: this name is too long", run->input);
    sbl_status status = sbl_serve_folder_make(NULL, root, parent, err);
    for (unsigned k = 1; status == SBL_OK && !made && k <= MOST_RUNS; k++) {
        (void)snprintf(run->folder, sizeof run->folder, "%.*s/%u", length, parent, k);
        status = sbl_serve_folder_make(&made, root, run->folder, err);
    }
    if (status == SBL_OK && !made)
        status = sbl_cli_fail(err, SBL_EIO, "%s: holds %d runs; move some away", parent, MOST_RUNS);
    return status;
}

/* The job file, as `semblance synth --save-job` writes it. */
static sbl_status write_job(const sbl_serve_run *run, sbl_error *err)
{
    char job[SBL_FOLDER_PATH_SIZE], schema[SBL_FOLDER_PATH_SIZE], table[SBL_FOLDER_PATH_SIZE],
        model[SBL_FOLDER_PATH_SIZE], report[SBL_FOLDER_PATH_SIZE];
    const char *const all[][2] = {
        {"input", run->input}, {"schema", run->has_schema ? schema : ""},
        {"output", table},     {"model", model},
        {"report", report},    {"epsilon", run->epsilon},
        {"delta", run->delta}, {"method", run->method},
        {"title", run->title}, {"by", run->by},
    };
    const char *names[sizeof all / sizeof all[0]], *texts[sizeof all / sizeof all[0]];
    size_t count = 0;
    sbl_status status = sbl_serve_run_file(job, run->folder, SBL_RUN_JOB, err);
    if (status == SBL_OK) status = sbl_serve_run_file(schema, run->folder, SBL_RUN_SCHEMA, err);
    if (status == SBL_OK) status = sbl_serve_run_file(table, run->folder, SBL_RUN_TABLE, err);
    if (status == SBL_OK) status = sbl_serve_run_file(model, run->folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK) status = sbl_serve_run_file(report, run->folder, SBL_RUN_REPORT, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i][1][0] == '\0') continue; /* not said */
        names[count] = all[i][0];
        texts[count++] = all[i][1];
    }
    return sbl_job_write(job, names, texts, count, false, err);
}

sbl_status sbl_serve_run_create(sbl_serve_run *run, int root, const char *schema, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    run->has_schema = schema != NULL;
    sbl_status status = make_folder(run, root, err);
    if (status == SBL_OK) status = sbl_serve_run_file(path, run->folder, SBL_RUN_SCHEMA, err);
    if (status == SBL_OK && schema != NULL)
        status = sbl_serve_folder_write_new(root, path, schema, strlen(schema), err);
    return status == SBL_OK ? write_job(run, err) : status;
}

/* ---- reading ---- */

static sbl_status take(char *field, size_t size, const char *text, sbl_error *err)
{
    const int length = snprintf(field, size, "%s", text);
    if (length >= 0 && (size_t)length < size) return SBL_OK;
    return sbl_cli_fail(err, SBL_EINPUT, "a value of a job file is too long");
}

static sbl_status take_member(void *context, const char *name, const char *text, sbl_error *err)
{
    sbl_serve_run *run = context;
    if (text == NULL) return SBL_OK;
    if (strcmp(name, "input") == 0) return take(run->input, sizeof run->input, text, err);
    if (strcmp(name, "epsilon") == 0) return take(run->epsilon, sizeof run->epsilon, text, err);
    if (strcmp(name, "delta") == 0) return take(run->delta, sizeof run->delta, text, err);
    if (strcmp(name, "method") == 0) return take(run->method, sizeof run->method, text, err);
    if (strcmp(name, "title") == 0) return take(run->title, sizeof run->title, text, err);
    if (strcmp(name, "by") == 0) return take(run->by, sizeof run->by, text, err);
    if (strcmp(name, "schema") == 0) run->has_schema = true;
    return SBL_OK; /* the other names follow from the folder */
}

sbl_status sbl_serve_run_load(sbl_serve_run *run, int root, const char *folder, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    memset(run, 0, sizeof *run);
    const size_t input = sbl_serve_run_input_length(folder);
    if (input == 0 || !sbl_serve_folder_path_is_good(folder))
        return sbl_cli_fail(err, SBL_EARG, "a run is a folder INPUT" SBL_RUNS_ENDING "/NUMBER");
    sbl_status status = sbl_serve_run_file(path, folder, SBL_RUN_JOB, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, path))
        status = sbl_cli_fail(err, SBL_EIO, "%s: there is no such run", folder);
    if (status == SBL_OK) status = sbl_job_read(path, take_member, run, err);
    if (status == SBL_OK) status = take(run->folder, sizeof run->folder, folder, err);
    /* Whoever moves a run elsewhere does not make it a run of another table. */
    if (status == SBL_OK && (strlen(run->input) != input || memcmp(run->input, folder, input) != 0))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s: is a run of another table", path);
    return status;
}
