/* SPDX-License-Identifier: Apache-2.0 */
/* Run: runs that are begun, stopped, resumed, and how far they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/output.h"
#include "fixed_text.h"
#include "runs.h"
#include "semblance/files.h"
#include "server.h"

/* ---- the list ---- */

static bool run_has(sbl_serve_server *server, const char *folder, const char *name)
{
    char path[SBL_FOLDER_PATH_SIZE];
    return sbl_serve_run_file(path, folder, name, NULL) == SBL_OK && sbl_serve_folder_has(server->root, path);
}

static const char *state_of(sbl_serve_server *server, const char *folder, const sbl_serve_job_facts *facts)
{
    if (facts->state == SBL_JOB_RUNNING) return "running";
    if (run_has(server, folder, SBL_RUN_REPORT)) return "done";
    return facts->state == SBL_JOB_FAILED ? "failed" : "stopped";
}

static json_t *describe(sbl_serve_server *server, const sbl_serve_run *run)
{
    const sbl_serve_job_facts facts = sbl_serve_jobs_look(server->jobs, run->folder);
    const char *const texts[][2] = {{"run", run->folder},
                                    {"input", run->data.name},
                                    {"kind", sbl_serve_kind_name(run->data.kind)},
                                    {"records", run->records},
                                    {"format", run->format},
                                    {"epsilon", run->epsilon},
                                    {"method", run->method},
                                    {"title", run->title},
                                    {"by", run->by},
                                    {"state", state_of(server, run->folder, &facts)},
                                    {"what", facts.what},
                                    {"message", facts.message},
                                    {"advice", facts.advice}};
    char release[SBL_FOLDER_PATH_SIZE];
    const bool released = sbl_serve_run_records(release, run, SBL_ENDING_RELEASE, NULL) == SBL_OK &&
                          sbl_serve_folder_has(server->root, release);
    json_t *json = json_pack("{s:I, s:I, s:i, s:b, s:b}", "step", (json_int_t)facts.step, "steps",
                             (json_int_t)facts.steps, "status", (int)facts.status, "discovers",
                             run->data.kind == SBL_KIND_TABLE && !run->has_schema, "has_release", released);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        (void)json_object_set_new(json, texts[i][0], json_string(texts[i][1]));
    return json;
}

typedef struct run_list {
    sbl_serve_server *server;
    json_t *runs;
} run_list;

static void list_run(void *context, const sbl_serve_folder_entry *entry)
{
    run_list *list = context;
    sbl_serve_run run;
    if (!entry->is_folder || sbl_serve_run_input_length(entry->path) == 0 ||
        sbl_serve_run_load(&run, list->server->root, entry->path, NULL) != SBL_OK)
        return;
    (void)json_array_append_new(list->runs, describe(list->server, &run));
}

sbl_status sbl_serve_api_runs(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err)
{
    run_list list = {server, json_array()};
    sbl_serve_run run;
    const char *one = sbl_serve_request_query(request, "run");
    sbl_status status = SBL_OK;
    if (one == NULL) {
        sbl_serve_folder_walk(server->root, list_run, &list);
    } else {
        status = sbl_serve_run_load(&run, server->root, one, err);
        if (status == SBL_OK) (void)json_array_append_new(list.runs, describe(server, &run));
    }
    if (status == SBL_OK)
        answer->json = json_pack("{s:o}", "runs", list.runs);
    else
        json_decref(list.runs);
    return status;
}

/* ---- begin, go on, stop ---- */

static sbl_status copy_text(char *field, size_t size, const sbl_serve_request *request, const char *name,
                            sbl_error *err)
{
    const char *text = sbl_serve_request_text_or_null(request, name);
    field[0] = '\0';
    if (text == NULL) return SBL_OK;
    return sbl_serve_put(field, size, text) ? SBL_OK : sbl_cli_fail(err, SBL_EARG, "'%s' is too long", name);
}

/* Refused now rather than in the thread: whatever can be seen without the data. */
/* What would be refused anyway is refused before there is a folder for it. */
static sbl_status check_options(const sbl_serve_run *run, sbl_error *err)
{
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    const sbl_data_kinds kind = run->data.kind == SBL_KIND_IMAGES ? SBL_IMAGES : SBL_TABLES;
    sbl_status status = sbl_serve_run_options(&options, run, err);
    if (status == SBL_OK)
        status = sbl_options_check(&options, NULL, kind, SBL_STEP_FIT | SBL_STEP_SAMPLE, err);
    return status;
}

sbl_status sbl_serve_run_take_options(sbl_serve_run *run, const sbl_serve_request *request, sbl_error *err)
{
    const char *name;
    json_t *value, *all = json_object_get(request->body, "options");
    char number[40];
    sbl_status status = SBL_OK;
    if (all != NULL && !json_is_object(all))
        return sbl_cli_fail(err, SBL_EARG, "'options' must be an object of options by name");
    json_object_foreach(all, name, value)
    {
        const char *text = json_string_value(value);
        (void)snprintf(number, sizeof number, "%.12g", json_number_value(value));
        if (json_is_number(value)) text = number;
        if (json_is_true(value)) text = "true";
        if (status == SBL_OK && text == NULL)
            status = sbl_cli_fail(err, SBL_EARG, "the option '%.40s' must be a text", name);
        if (status == SBL_OK && text[0] != '\0') status = sbl_serve_run_set(run, name, text, err);
    }
    return status;
}

/* How what is drawn is written: "csv" or "parquet"; of images "idx" or "png". */
static sbl_status read_output(sbl_serve_run *run, const sbl_serve_request *request, sbl_error *err)
{
    const char *given = sbl_serve_request_text_or_null(request, "output");
    const char *output = given != NULL ? given : "";
    const char *records = SBL_RUN_FOLDER;
    bool good = output[0] == '\0';
    if (run->data.kind == SBL_KIND_TABLE) {
        const bool parquet = strcmp(output, "parquet") == 0;
        good = good || parquet || strcmp(output, "csv") == 0;
        records = parquet ? SBL_RUN_PARQUET : SBL_RUN_TABLE;
    } else if (run->data.kind == SBL_KIND_IMAGES) {
        const bool png = strcmp(output, "png") == 0;
        good = good || png || strcmp(output, "idx") == 0;
        (void)sbl_serve_put(run->format, sizeof run->format, png ? "png" : "idx");
    }
    (void)sbl_serve_put(run->records, sizeof run->records, records);
    return good ? SBL_OK
                : sbl_cli_fail(err, SBL_EARG,
                               "'output' must be csv or parquet for a table, idx or png for images");
}

static sbl_status read_run(sbl_serve_run *run, sbl_serve_server *server, const sbl_serve_request *request,
                           sbl_error *err)
{
    const char *path = NULL;
    const double epsilon = sbl_serve_request_number(request, "epsilon");
    const double delta = sbl_serve_request_number(request, "delta");
    const json_t *said = json_object_get(request->body, "delta");
    memset(run, 0, sizeof *run);
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK) status = sbl_serve_dataset_find(&run->data, server->root, path, err);
    if (status == SBL_OK) status = copy_text(run->method, sizeof run->method, request, "method", err);
    if (status == SBL_OK) status = copy_text(run->title, sizeof run->title, request, "title", err);
    if (status == SBL_OK) status = copy_text(run->by, sizeof run->by, request, "by", err);
    if (status == SBL_OK) status = sbl_serve_run_take_options(run, request, err);
    if (status == SBL_OK) status = read_output(run, request, err);
    /* One that cannot be used is refused, not replaced by the default: the run is paid for. */
    if (status == SBL_OK && said != NULL && !json_is_null(said) && !(delta > 0.0))
        status = sbl_cli_fail(err, SBL_EARG, "'delta' must be a number above 0");
    (void)snprintf(run->epsilon, sizeof run->epsilon, "%.12g", epsilon);
    if (delta > 0.0) (void)snprintf(run->delta, sizeof run->delta, "%.12g", delta);
    return status == SBL_OK ? check_options(run, err) : status;
}

/* The schema that is kept beside the table. What was read from the records must have been accepted: a run makes it public. */
static sbl_status read_schema(char **text, sbl_serve_server *server, const sbl_serve_run *run, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    size_t length = 0;
    sbl_status status = sbl_serve_name_beside(path, run->data.name, SBL_ENDING_SCHEMA, err);
    if (status == SBL_OK)
        status = sbl_serve_folder_read(text, &length, server->root, path, SBL_SERVE_MOST_SCHEMA, err);
    if (status != SBL_OK) return status;
    json_t *schema = json_loadb(*text, length, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(schema) || json_object_get(schema, "resources") != NULL)
        status = sbl_cli_fail(err, SBL_EINPUT, "%s is not the schema of a single table", path);
    else if (sbl_serve_schema_is_inspected(schema))
        status = sbl_cli_fail(err, SBL_EINPUT,
                              "%s: was read from the records; accept each of its lines as public "
                              "first",
                              path);
    json_decref(schema);
    return status;
}

sbl_status sbl_serve_api_run(sbl_serve_server *server, const sbl_serve_request *request,
                             sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_run *run = calloc(1, sizeof *run);
    char *schema = NULL, ledger[SBL_FOLDER_PATH_SIZE];
    const bool discover = json_is_true(json_object_get(request->body, "discover"));
    if (run == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    json_t *facts = NULL;
    sbl_status status = read_run(run, server, request, err);
    if (status == SBL_OK) status = sbl_serve_dataset_facts(&facts, server, &run->data, err);
    json_decref(facts);
    if (status == SBL_OK)
        status = sbl_serve_dataset_ledger(ledger, &run->data, server->root, server->engine, err);
    if (status == SBL_OK && !discover && run->data.kind == SBL_KIND_TABLE)
        status = read_schema(&schema, server, run, err);
    /* A run that is refused leaves nothing, so it is asked before anything is written. */
    if (status == SBL_OK) status = sbl_serve_jobs_check(server->jobs, run->data.path, err);
    if (status == SBL_OK) status = sbl_serve_run_create(run, server->root, schema, err);
    if (status == SBL_OK) {
        status = sbl_serve_jobs_start(server->jobs, run->data.path, run->folder, err);
        if (status != SBL_OK) sbl_serve_run_drop(server->root, run->folder); /* another was faster */
    }
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "run", run->folder);
    free(schema);
    free(run);
    return status;
}

sbl_status sbl_serve_api_resume(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    const char *folder = NULL;
    sbl_serve_run run;
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK) status = sbl_serve_run_load(&run, server->root, folder, err);
    if (status == SBL_OK) status = sbl_serve_jobs_start(server->jobs, run.data.path, folder, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "run", folder);
    return status;
}

sbl_status sbl_serve_api_stop(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err)
{
    const char *folder = NULL;
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK) status = sbl_serve_jobs_stop(server->jobs, folder, err);
    if (status == SBL_OK) answer->json = json_pack("{s:s}", "run", folder);
    return status;
}
