/* SPDX-License-Identifier: Apache-2.0 */
/* Result: the comparison of what a run made with real records: NOT PRIVATE. */
#include <string.h>

#include "../cli/output.h"
#include "comparison.h"
#include "fixed_text.h"
#include "runs.h"
#include "server.h"

static sbl_status take_path(char field[SBL_FOLDER_PATH_SIZE], const sbl_serve_request *request,
                            const char *name, sbl_error *err)
{
    const char *text = sbl_serve_request_text_or_null(request, name);
    if (text == NULL || text[0] == '\0') return SBL_OK;
    return sbl_serve_folder_path_is_good(text) && sbl_serve_put(field, SBL_FOLDER_PATH_SIZE, text)
               ? SBL_OK
               : sbl_serve_folder_refuse_path(err);
}

/* What is asked, where it could be answered. */
static sbl_status read_question(sbl_serve_question *question, sbl_serve_server *server,
                                const sbl_serve_run *run, const sbl_serve_request *request, sbl_error *err)
{
    sbl_serve_dataset set;
    memset(question, 0, sizeof *question);
    question->models = json_is_true(json_object_get(request->body, "models"));
    sbl_status status = take_path(question->held_out, request, "held_out", err);
    if (status == SBL_OK) status = take_path(question->labels, request, "held_out_labels", err);
    const bool held_out = question->held_out[0] != '\0';
    const bool labels = held_out && sbl_serve_reading(&run->data, "labels") != NULL;
    if (status == SBL_OK && labels != (question->labels[0] != '\0'))
        status = sbl_cli_fail(err, SBL_EARG,
                              labels ? "held-out images need 'held_out_labels', too"
                                     : "'held_out_labels' is for labelled images; give 'held_out', too");
    if (status == SBL_OK && held_out)
        status = sbl_serve_dataset_begin(&set, server->root, question->held_out, err);
    if (status == SBL_OK && labels && !sbl_serve_folder_has(server->root, question->labels))
        status = sbl_cli_fail(err, SBL_EIO, "%s: no such file in the folder", question->labels);
    if (status == SBL_OK && held_out && strcmp(set.path, run->data.path) == 0 &&
        strcmp(set.name, run->data.name) == 0)
        status =
            sbl_cli_fail(err, SBL_EARG,
                         "%s: this data was fitted, so it was not held out; choose other records", set.name);
    return status;
}

/* How far the comparison is: it is asked for again and again, and begins where it is not there. */
static sbl_status answer_comparison(sbl_serve_answer *answer, sbl_serve_server *server,
                                    const sbl_serve_run *run, const char *name, bool again, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    sbl_status status = sbl_serve_run_file(path, run->folder, name, err);
    if (status != SBL_OK) return status;
    const sbl_serve_job_facts facts = sbl_serve_jobs_look(server->jobs, path);
    const bool done = sbl_serve_folder_has(server->root, path);
    const bool ended = facts.state == SBL_JOB_FAILED || facts.state == SBL_JOB_STOPPED;
    if (!done && ended && !again)
        return sbl_cli_fail(err, SBL_EINPUT, "%s",
                            facts.state == SBL_JOB_STOPPED ? "it was stopped" : facts.message);
    if (!done && facts.state != SBL_JOB_RUNNING)
        status = sbl_serve_jobs_start(server->jobs, run->data.path, path, err);
    if (status == SBL_OK)
        answer->json = json_pack("{s:b, s:s, s:s, s:s, s:I, s:I, s:s}", "done", done, "name", name, "job",
                                 path, "what", facts.what, "step", (json_int_t)facts.step, "steps",
                                 (json_int_t)facts.steps, "label", "NOT PRIVATE");
    return status;
}

sbl_status sbl_serve_api_compare(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    char name[SBL_COMPARISON_NAME];
    bool is_new = false;
    const char *folder = NULL, *known = sbl_serve_request_text_or_null(request, "label");
    const bool again = sbl_serve_request_number(request, "again") >= 1.0;
    sbl_serve_run run;
    sbl_serve_question question;
    sbl_status status = sbl_serve_request_text(&folder, request, "run", err);
    if (status == SBL_OK && (known == NULL || strcmp(known, "NOT PRIVATE") != 0))
        status =
            sbl_cli_fail(err, SBL_EARG, "a comparison is NOT PRIVATE: ask with \"label\": \"NOT PRIVATE\"");
    if (status == SBL_OK) status = sbl_serve_run_load(&run, server->root, folder, err);
    if (status == SBL_OK) status = read_question(&question, server, &run, request, err);
    if (status == SBL_OK)
        status = sbl_serve_comparison_name(name, &is_new, server->root, folder, &question, err);
    if (status == SBL_OK) status = answer_comparison(answer, server, &run, name, again, err);
    if (status != SBL_OK && is_new) sbl_serve_comparison_drop(server->root, folder, name);
    return status;
}
