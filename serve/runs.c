/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a run and its job file. */
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "fixed_text.h"
#include "semblance/files.h"
#include "server.h"

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

sbl_status sbl_serve_run_records(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                 const char *ending, sbl_error *err)
{
    const int length = snprintf(path, SBL_FOLDER_PATH_SIZE, "%s/%s%s", run->folder, run->records, ending);
    if (length > 0 && length < SBL_FOLDER_PATH_SIZE) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG, "%s: this name is too long", run->folder);
}

bool sbl_serve_run_has_records(const sbl_serve_run *run, int root)
{
    char path[SBL_FOLDER_PATH_SIZE];
    if (sbl_serve_run_records(path, run, "", NULL) != SBL_OK) return false;
    return run->data.kind == SBL_KIND_TABLE ? sbl_serve_folder_has(root, path)
                                            : sbl_serve_folder_has_folder(root, path);
}

sbl_status sbl_serve_run_schema_path(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                     sbl_error *err)
{
    path[0] = '\0';
    switch (run->data.kind) {
    case SBL_KIND_IMAGES:
        return SBL_OK;
    case SBL_KIND_PACKAGE:
        return sbl_serve_put(path, SBL_FOLDER_PATH_SIZE, run->data.path) ? SBL_OK
                                                                         : sbl_serve_folder_refuse_path(err);
    default:
        return run->has_schema ? sbl_serve_run_file(path, run->folder, SBL_RUN_SCHEMA, err)
                               : sbl_serve_run_records(path, run, SBL_ENDING_SCHEMA, err);
    }
}

/* The first free number. */
static sbl_status make_folder(sbl_serve_run *run, int root, sbl_error *err)
{
    char parent[SBL_FOLDER_PATH_SIZE];
    bool made = false;
    int length = snprintf(parent, sizeof parent, "%s" SBL_RUNS_ENDING, run->data.name);
    if (length < 0 || (size_t)length + 8 > sizeof run->folder)
        return sbl_cli_fail(err, SBL_EARG, "%s: this name is too long", run->data.name);
    sbl_status status = sbl_serve_folder_make(NULL, root, parent, err);
    for (unsigned k = 1; status == SBL_OK && !made && k <= MOST_RUNS; k++) {
        (void)snprintf(run->folder, sizeof run->folder, "%.*s/%u", length, parent, k);
        status = sbl_serve_folder_make(&made, root, run->folder, err);
    }
    if (status == SBL_OK && !made)
        status = sbl_cli_fail(err, SBL_EIO, "%s: has %d runs already; move some of them out of the folder",
                              parent, MOST_RUNS);
    return status;
}

/* ---- the job file, as `semblance synth --save-job` writes it ---- */

#define MOST_MEMBERS (16 + SBL_MOST_READINGS + SBL_RUN_MOST_SETTINGS)

typedef struct members {
    const char *names[MOST_MEMBERS];
    const char *texts[MOST_MEMBERS];
    size_t count;
} members;

static void add(members *all, const char *name, const char *text)
{
    if (text != NULL && text[0] == '\0') return; /* not said */
    all->names[all->count] = name;
    all->texts[all->count++] = text;
}

/* Where the data is, and how it is read. */
static void add_data(members *all, const sbl_serve_dataset *set)
{
    static const char *const names[] = {
        [SBL_KIND_TABLE] = "input", [SBL_KIND_IMAGES] = "images", [SBL_KIND_PACKAGE] = "package"};
    const sbl_option *option;
    add(all, names[set->kind], set->path);
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (set->readings[i][0] != '\0')
            add(all, option->name, option->type == SBL_OPTION_FLAG ? NULL : set->readings[i]);
}

/* A flag that is set has no text in a job file. */
static void add_settings(members *all, const sbl_serve_run *run)
{
    for (size_t i = 0; i < SBL_RUN_MOST_SETTINGS && run->settings[i].name[0] != '\0'; i++) {
        const struct sbl_serve_setting *one = &run->settings[i];
        add(all, one->name, strcmp(one->text, "true") == 0 ? NULL : one->text);
    }
}

/* Paths in it are relative to the folder that is served. */
static sbl_status write_job(const sbl_serve_run *run, int root, sbl_error *err)
{
    char full[SBL_FULL_PATH_SIZE], paths[7][SBL_FOLDER_PATH_SIZE];
    const char *const names[7] = {SBL_RUN_JOB,    SBL_RUN_SCHEMA,  run->records,    SBL_RUN_MODEL,
                                  SBL_RUN_REPORT, SBL_RUN_PREVIEW, SBL_RUN_PICTURES};
    members all = {.count = 0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < 7; i++)
        status = sbl_serve_run_file(paths[i], run->folder, names[i], err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, paths[0], err);
    if (status != SBL_OK) return status;
    const bool images = run->data.kind == SBL_KIND_IMAGES;
    add_data(&all, &run->data);
    add(&all, "schema", run->has_schema ? paths[1] : "");
    add(&all, "output", paths[2]);
    add(&all, "model", paths[3]);
    add(&all, "report", paths[4]);
    add(&all, "preview", images ? paths[5] : "");
    add(&all, "pictures", images ? "" : paths[6]);
    add(&all, "format", images ? run->format : "");
    add(&all, "epsilon", run->epsilon);
    add(&all, "delta", run->delta);
    add(&all, "method", run->method);
    add(&all, "title", run->title);
    add(&all, "by", run->by);
    add_settings(&all, run);
    return sbl_job_write(full, all.names, all.texts, all.count, false, err);
}

sbl_status sbl_serve_run_create(sbl_serve_run *run, int root, const char *schema, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    run->has_schema = schema != NULL;
    sbl_status status = make_folder(run, root, err);
    if (status != SBL_OK) return status;
    status = sbl_serve_run_file(path, run->folder, SBL_RUN_SCHEMA, err);
    if (status == SBL_OK && schema != NULL)
        status = sbl_serve_folder_write_new(root, path, schema, strlen(schema), err);
    if (status == SBL_OK) status = write_job(run, root, err);
    if (status != SBL_OK) sbl_serve_run_drop(root, run->folder);
    return status;
}

void sbl_serve_run_drop(int root, const char *folder)
{
    static const char *const names[] = {SBL_RUN_JOB, SBL_RUN_SCHEMA};
    char path[SBL_FOLDER_PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (sbl_serve_run_file(path, folder, names[i], NULL) == SBL_OK) sbl_serve_folder_remove(root, path);
    sbl_serve_folder_remove(root, folder);
}

/* ---- options ---- */

bool sbl_serve_run_may_set(const sbl_option *option)
{
    return !option->common && option->type != SBL_OPTION_TEXT &&
           (option->steps & (SBL_STEP_FIT | SBL_STEP_SAMPLE)) != 0;
}

sbl_status sbl_serve_run_set(sbl_serve_run *run, const char *name, const char *text, sbl_error *err)
{
    const sbl_option *option = NULL;
    size_t at = 0;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL && strcmp(option->name, name) != 0;) i++;
    while (at < SBL_RUN_MOST_SETTINGS && run->settings[at].name[0] != '\0') at++;
    if (option == NULL || !sbl_serve_run_may_set(option) || at == SBL_RUN_MOST_SETTINGS ||
        !sbl_serve_put(run->settings[at].name, sizeof run->settings[at].name, name))
        return sbl_cli_fail(err, SBL_EARG, "option '%.40s' cannot be set here", name);
    if (!sbl_serve_put(run->settings[at].text, sizeof run->settings[at].text, text))
        return sbl_cli_fail(err, SBL_EARG, "the value of '%s' is too long", name);
    return SBL_OK;
}

sbl_status sbl_serve_run_options(sbl_synth_options *options, const sbl_serve_run *run, sbl_error *err)
{
    const char *const given[][2] = {{"epsilon", run->epsilon},
                                    {"delta", run->delta},
                                    {"method", run->method},
                                    {"title", run->title},
                                    {"by", run->by}};
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < sizeof given / sizeof given[0]; i++)
        if (given[i][1][0] != '\0') status = sbl_options_set(options, given[i][0], given[i][1], err);
    for (size_t i = 0; status == SBL_OK && i < SBL_RUN_MOST_SETTINGS; i++)
        if (run->settings[i].name[0] != '\0')
            status = sbl_options_set(options, run->settings[i].name, run->settings[i].text, err);
    return status;
}

/* ---- reading ---- */

static sbl_status take(char *field, size_t size, const char *text, sbl_error *err)
{
    return sbl_serve_put(field, size, text)
               ? SBL_OK
               : sbl_cli_fail(err, SBL_EINPUT, "a value of a job file is too long");
}

static sbl_status take_path(sbl_serve_run *run, sbl_serve_kind kind, const char *text, sbl_error *err)
{
    run->data.kind = kind;
    return take(run->data.path, sizeof run->data.path, text, err);
}

/* The last part of a path. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_reading(const char *name)
{
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return true;
    return false;
}

static sbl_status take_member(void *context, const char *name, const char *text, sbl_error *err)
{
    sbl_serve_run *run = context;
    if (is_reading(name)) return sbl_serve_reading_set(&run->data, name, text != NULL ? text : "true", err);
    if (text != NULL && strcmp(name, "input") == 0) return take_path(run, SBL_KIND_TABLE, text, err);
    if (text != NULL && strcmp(name, "images") == 0) return take_path(run, SBL_KIND_IMAGES, text, err);
    if (text != NULL && strcmp(name, "package") == 0) return take_path(run, SBL_KIND_PACKAGE, text, err);
    if (strcmp(name, "schema") == 0) run->has_schema = true;
    if (text == NULL) return sbl_serve_run_set(run, name, "true", err);
    if (strcmp(name, "output") == 0) return take(run->records, sizeof run->records, last_part(text), err);
    if (strcmp(name, "epsilon") == 0) return take(run->epsilon, sizeof run->epsilon, text, err);
    if (strcmp(name, "delta") == 0) return take(run->delta, sizeof run->delta, text, err);
    if (strcmp(name, "method") == 0) return take(run->method, sizeof run->method, text, err);
    if (strcmp(name, "title") == 0) return take(run->title, sizeof run->title, text, err);
    if (strcmp(name, "by") == 0) return take(run->by, sizeof run->by, text, err);
    if (strcmp(name, "format") == 0) return take(run->format, sizeof run->format, text, err);
    if (strcmp(name, "schema") == 0 || strcmp(name, "model") == 0 || strcmp(name, "report") == 0 ||
        strcmp(name, "preview") == 0 || strcmp(name, "pictures") == 0)
        return SBL_OK; /* these names follow from the folder */
    return sbl_serve_run_set(run, name, text, err);
}

/* Files of the names that we give, whatever the job file says. */
static bool records_are_ours(const sbl_serve_run *run)
{
    if (run->data.kind != SBL_KIND_TABLE) return strcmp(run->records, SBL_RUN_FOLDER) == 0;
    return strcmp(run->records, SBL_RUN_TABLE) == 0 || strcmp(run->records, SBL_RUN_PARQUET) == 0;
}

/* PATH or PATH::TABLE. */
static sbl_status name_data(sbl_serve_dataset *set, sbl_error *err)
{
    const char *table = sbl_serve_reading(set, "table");
    const int length = snprintf(set->name, sizeof set->name, "%s%s%s", set->path,
                                table != NULL ? SBL_DATABASE_SIGN : "", table != NULL ? table : "");
    return length >= 0 && (size_t)length < sizeof set->name
               ? SBL_OK
               : sbl_cli_fail(err, SBL_EINPUT, "a value of a job file is too long");
}

sbl_status sbl_serve_run_load(sbl_serve_run *run, int root, const char *folder, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], full[SBL_FULL_PATH_SIZE];
    memset(run, 0, sizeof *run);
    const size_t input = sbl_serve_run_input_length(folder);
    if (input == 0 || !sbl_serve_folder_path_is_good(folder))
        return sbl_cli_fail(err, SBL_EARG, "a run is a folder INPUT" SBL_RUNS_ENDING "/NUMBER");
    sbl_status status = sbl_serve_run_file(path, folder, SBL_RUN_JOB, err);
    if (status == SBL_OK && !sbl_serve_folder_has(root, path))
        status = sbl_cli_fail(err, SBL_EIO, "%s: no such run", folder);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, path, err);
    if (status == SBL_OK) status = sbl_job_read(full, take_member, run, err);
    if (status == SBL_OK) status = name_data(&run->data, err);
    if (status == SBL_OK) status = take(run->folder, sizeof run->folder, folder, err);
    /* Moving a run elsewhere does not make it a run of another table. */
    if (status == SBL_OK && (strlen(run->data.name) != input || memcmp(run->data.name, folder, input) != 0))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s: is a run of another table, and was moved here", path);
    if (status == SBL_OK && !records_are_ours(run))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s is not a run of this server", path);
    return status;
}
