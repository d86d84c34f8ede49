/* Run and Look: runs that are begun, stopped, resumed and looked at; the files that they made; real rows (NOT PRIVATE). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../output.h"
#include "runs.h"
#include "semblance/files.h"
#include "server.h"

#define HEAD_BYTES ((size_t)64 << 10) /* of a table that is shown */

/* ---- the list ---- */

static bool run_has(sbl_serve_server *server, const char *folder, const char *name)
{
    char path[SBL_FOLDER_PATH_SIZE];
    return sbl_serve_run_file(path, folder, name, NULL) == SBL_OK &&
           sbl_serve_folder_has(server->root, path);
}

static const char *state_of(sbl_serve_server *server, const char *folder,
                            const sbl_serve_job_facts *facts)
{
    if (facts->state == SBL_JOB_RUNNING) return "running";
    if (run_has(server, folder, SBL_RUN_REPORT)) return "done";
    return facts->state == SBL_JOB_FAILED ? "failed" : "stopped";
}

static json_t *describe(sbl_serve_server *server, const sbl_serve_run *run)
{
    const sbl_serve_job_facts facts = sbl_serve_jobs_look(server->jobs, run->folder);
    const char *const texts[][2] = {{"run", run->folder},
                                    {"input", run->input},
                                    {"epsilon", run->epsilon},
                                    {"method", run->method},
                                    {"title", run->title},
                                    {"by", run->by},
                                    {"state", state_of(server, run->folder, &facts)},
                                    {"what", facts.what},
                                    {"message", facts.message},
                                    {"advice", facts.advice}};
    const bool released = run_has(server, run->folder, SBL_RUN_TABLE SBL_ENDING_RELEASE);
    json_t *json =
        json_pack("{s:I, s:I, s:b, s:b}", "step", (json_int_t)facts.step, "steps",
                  (json_int_t)facts.steps, "discovers", !run->has_schema, "has_release", released);
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

static sbl_status copy_text(char *field, size_t size, const sbl_serve_request *request,
                            const char *name, sbl_error *err)
{
    const char *text = sbl_serve_request_text_or_null(request, name);
    field[0] = '\0';
    if (text == NULL) return SBL_OK;
    if (strlen(text) >= size) return sbl_cli_fail(err, SBL_EARG, "'%s' is too long", name);
    (void)strcpy(field, text);
    return SBL_OK;
}

/* Refused now rather than in the thread: whatever can be seen without the data. */
static sbl_status check_options(const sbl_serve_run *run, sbl_error *err)
{
    const char *const given[][2] = {{"epsilon", run->epsilon},
                                    {"delta", run->delta},
                                    {"method", run->method},
                                    {"title", run->title},
                                    {"by", run->by}};
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < sizeof given / sizeof given[0]; i++)
        if (given[i][1][0] != '\0')
            status = sbl_options_set(&options, given[i][0], given[i][1], err);
    if (status == SBL_OK)
        status = sbl_options_check(&options, NULL, SBL_TABLES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err);
    return status;
}

static sbl_status read_run(sbl_serve_run *run, const sbl_serve_request *request, sbl_error *err)
{
    const double epsilon = sbl_serve_request_number(request, "epsilon");
    const double delta = sbl_serve_request_number(request, "delta");
    memset(run, 0, sizeof *run);
    sbl_status status = copy_text(run->input, sizeof run->input, request, "path", err);
    if (status == SBL_OK)
        status = copy_text(run->method, sizeof run->method, request, "method", err);
    if (status == SBL_OK) status = copy_text(run->title, sizeof run->title, request, "title", err);
    if (status == SBL_OK) status = copy_text(run->by, sizeof run->by, request, "by", err);
    (void)snprintf(run->epsilon, sizeof run->epsilon, "%.12g", epsilon);
    if (delta > 0.0) (void)snprintf(run->delta, sizeof run->delta, "%.12g", delta);
    return status == SBL_OK ? check_options(run, err) : status;
}

/* The schema that is kept beside the table. What was guessed must have been accepted: a run makes it public. */
static sbl_status read_schema(char **text, sbl_serve_server *server, const sbl_serve_run *run,
                              sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    size_t length = 0;
    sbl_status status = sbl_serve_name_beside(path, run->input, SBL_ENDING_SCHEMA, err);
    if (status == SBL_OK)
        status =
            sbl_serve_folder_read(text, &length, server->root, path, SBL_SERVE_MOST_SCHEMA, err);
    if (status != SBL_OK) return status;
    json_t *schema = json_loadb(*text, length, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(schema) || json_object_get(schema, "resources") != NULL)
        status = sbl_cli_fail(err, SBL_EINPUT, "%s: is no schema of one table", path);
    else if (sbl_serve_schema_is_guess(schema))
        status = sbl_cli_fail(err, SBL_EINPUT,
                              "%s: was read off the records; accept each of its lines as public "
                              "first",
                              path);
    json_decref(schema);
    return status;
}

sbl_status sbl_serve_api_run(sbl_serve_server *server, const sbl_serve_request *request,
                             sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_run *run = calloc(1, sizeof *run);
    char *schema = NULL;
    const bool discover = json_is_true(json_object_get(request->body, "discover"));
    if (run == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    sbl_status status = read_run(run, request, err);
    if (status == SBL_OK && !sbl_serve_folder_has(server->root, run->input))
        status = sbl_cli_fail(err, SBL_EIO, "%s: there is no such file in the folder", run->input);
    if (status == SBL_OK && !discover) status = read_schema(&schema, server, run, err);
    if (status == SBL_OK) status = sbl_serve_run_create(run, server->root, schema, err);
    if (status == SBL_OK) status = sbl_serve_jobs_start(server->jobs, run->input, run->folder, err);
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
    if (status == SBL_OK) status = sbl_serve_jobs_start(server->jobs, run.input, folder, err);
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

/* ---- what a run made ---- */

typedef struct result_kind {
    const char *name;
    const char *type;
} result_kind;

/* All of it is public. */
static const result_kind results[] = {
    {SBL_RUN_REPORT, "text/html; charset=utf-8"},
    {SBL_RUN_TABLE, "text/csv; charset=utf-8"},
    {SBL_RUN_TABLE SBL_ENDING_CERTIFICATE, "application/json"},
    {SBL_RUN_TABLE SBL_ENDING_SCHEMA, "application/json"},
    {SBL_RUN_SCHEMA, "application/json"},
    {SBL_RUN_MODEL, "application/octet-stream"},
    {SBL_RUN_COMPARISON, "text/html; charset=utf-8"}, /* but for this: NOT PRIVATE, as it says */
};

/* rows-1.csv, ... */
static bool is_rows(const char *name)
{
    static const char start[] = SBL_RUN_ROWS;
    if (strncmp(name, start, sizeof start - 1) != 0) return false;
    const char *number = name + sizeof start - 1;
    const size_t digits = strspn(number, "0123456789");
    return digits >= 1 && digits <= 4 && strcmp(number + digits, ".csv") == 0;
}

static const result_kind *find_result(const char *name)
{
    if (is_rows(name)) return find_result(SBL_RUN_TABLE);
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strcmp(results[i].name, name) == 0) return &results[i];
    return NULL;
}

/* The beginning of a table, to its last whole line. */
static sbl_status answer_head(sbl_serve_answer *answer, int fd, sbl_error *err)
{
    answer->bytes = malloc(HEAD_BYTES);
    const ssize_t got = answer->bytes != NULL ? read(fd, answer->bytes, HEAD_BYTES) : -1;
    (void)close(fd);
    if (got < 0) {
        free(answer->bytes);
        answer->bytes = NULL;
        return sbl_cli_fail(err, SBL_EIO, "the table cannot be read");
    }
    answer->length = (size_t)got;
    while ((size_t)got == HEAD_BYTES && answer->length > 0 &&
           answer->bytes[answer->length - 1] != '\n')
        answer->length--;
    return SBL_OK;
}

/* "patients-1-synthetic.csv" of "patients.csv.runs/1/synthetic.csv". */
static void name_download(sbl_serve_answer *answer, const char *folder, const char *name)
{
    const size_t input = sbl_serve_run_input_length(folder);
    size_t begin = input;
    while (begin > 0 && folder[begin - 1] != '/') begin--;
    const size_t stem = strcspn(folder + begin, "./");
    (void)snprintf(answer->file_name, sizeof answer->file_name, "%.*s-%s-%s",
                   (int)(stem < 100 ? stem : 100), folder + begin, strrchr(folder, '/') + 1, name);
}

sbl_status sbl_serve_api_result(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    const char *folder = sbl_serve_request_query(request, "run");
    const char *name = sbl_serve_request_query(request, "name");
    const result_kind *kind = name != NULL ? find_result(name) : NULL;
    int fd = -1;
    if (folder == NULL || !sbl_serve_folder_path_is_good(folder) ||
        sbl_serve_run_input_length(folder) == 0 || kind == NULL)
        return sbl_cli_fail(err, SBL_EARG, "'run' and 'name' must name a file of a run");
    sbl_status status = sbl_serve_run_file(path, folder, name, err);
    if (status == SBL_OK)
        status = sbl_serve_folder_file(&fd, &answer->size, server->root, path, err);
    if (status != SBL_OK) return status;
    answer->type = kind->type;
    if (sbl_serve_request_query(request, "head") != NULL) return answer_head(answer, fd, err);
    answer->fd = fd;
    answer->sandboxed = true; /* whatever it is, it gets no part of our page's rights */
    const bool page = strcmp(name, SBL_RUN_REPORT) == 0 || strcmp(name, SBL_RUN_COMPARISON) == 0;
    if (!page || sbl_serve_request_query(request, "save") != NULL)
        name_download(answer, folder, name);
    return SBL_OK;
}

/* ---- NOT PRIVATE ---- */

sbl_status sbl_serve_api_real_rows(sbl_serve_server *server, const sbl_serve_request *request,
                                   sbl_serve_answer *answer, sbl_error *err)
{
    const char *path = NULL;
    const char *known = sbl_serve_request_text_or_null(request, "label");
    int fd = -1;
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status = sbl_cli_fail(err, SBL_EARG,
                              "real rows are NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK && !sbl_serve_ends_with(path, ".csv") &&
        !sbl_serve_ends_with(path, ".tsv"))
        status = sbl_cli_fail(err, SBL_EARG, "only rows of plain CSV files are shown");
    if (status == SBL_OK) status = sbl_serve_folder_file(&fd, NULL, server->root, path, err);
    return status == SBL_OK ? answer_head(answer, fd, err) : status;
}

/* What is known of the comparison of a run: it is asked for again and again. */
sbl_status sbl_serve_api_compare(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    const char *folder = NULL, *known = sbl_serve_request_text_or_null(request, "label");
    sbl_serve_run run;
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status = sbl_cli_fail(err, SBL_EARG,
                              "a comparison is NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK) status = sbl_serve_run_load(&run, server->root, folder, err);
    if (status == SBL_OK) status = sbl_serve_run_file(path, folder, SBL_RUN_COMPARISON, err);
    if (status != SBL_OK) return status;
    sbl_serve_job_facts facts = sbl_serve_jobs_look(server->jobs, path);
    const bool done = sbl_serve_folder_has(server->root, path);
    if (!done && facts.state == SBL_JOB_FAILED && sbl_serve_request_number(request, "again") < 1.0)
        return sbl_cli_fail(err, SBL_EINPUT, "%s", facts.message);
    if (!done && facts.state != SBL_JOB_RUNNING)
        status = sbl_serve_jobs_start(server->jobs, run.input, path, err);
    if (status == SBL_OK)
        answer->json = json_pack("{s:b, s:s, s:I, s:I, s:s}", "done", done, "name",
                                 SBL_RUN_COMPARISON, "step", (json_int_t)facts.step, "steps",
                                 (json_int_t)facts.steps, "label", "NOT PRIVATE");
    return status;
}
