/* SPDX-License-Identifier: Apache-2.0 */
/* Privacy: what a run would release and promise, before any record is read; the ledger of a table and its limit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "request_package.h"
#include "runs.h"
#include "semblance/account.h"
#include "semblance/certificate.h"
#include "semblance/files.h"
#include "semblance/ledger.h"
#include "semblance/synthesizer.h"
#include "server.h"

#define USUAL_DELTA 1e-5

/* ---- plan ---- */

/* The chance of someone who bets on which of two data sets a release came from, at even odds, to be right: of mu-Gaussian
 * privacy Phi(mu / 2) at most (Dong, Roth, Su 2022, section 2). */
static double right_at_most(double mu) { return 0.5 * erfc(-mu / 2.0 / sqrt(2.0)); }

/* Adds to an answer what an epsilon promises. */
static sbl_status add_promise(json_t *json, double epsilon, double delta, sbl_error *err)
{
    double mu = 0.0;
    const sbl_status status = sbl_gdp_mu(&mu, epsilon, delta > 0.0 ? delta : USUAL_DELTA, err);
    if (status != SBL_OK) return status;
    (void)json_object_set_new(json, "mu", json_real(mu));
    (void)json_object_set_new(json, "right_at_most", json_real(right_at_most(mu)));
    return SBL_OK;
}

/* "estimate": false: how long a run takes is not asked, and nothing is rehearsed.
 * In: run  holds the texts of options as long as they are used */
static sbl_status plan_options(sbl_synth_options *options, sbl_serve_run *run,
                               const sbl_serve_request *request, sbl_error *err)
{
    const char *const names[] = {"method", "title"};
    sbl_synth_options_init(options);
    sbl_status status = sbl_serve_run_take_options(run, request, err);
    if (status == SBL_OK) status = sbl_serve_run_options(options, run, err);
    options->epsilon = sbl_serve_request_number(request, "epsilon");
    options->delta = sbl_serve_request_number(request, "delta");
    options->no_estimate = json_is_false(json_object_get(request->body, "estimate"));
    for (size_t i = 0; status == SBL_OK && i < sizeof names / sizeof names[0]; i++) {
        const char *text = sbl_serve_request_text_or_null(request, names[i]);
        if (text != NULL && text[0] != '\0') status = sbl_options_set(options, names[i], text, err);
    }
    return status;
}

sbl_status sbl_serve_api_promise(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    const double epsilon = sbl_serve_request_number(request, "epsilon");
    const double delta = sbl_serve_request_number(request, "delta");
    (void)server;
    if (!(epsilon > 0.0)) return sbl_cli_fail(err, SBL_EARG, "'epsilon' must be a number above 0");
    answer->json = json_object();
    return add_promise(answer->json, epsilon, delta, err);
}

/* What people look at; the features' parameters are the plan's own business. */
static json_t *shorten(const char *text)
{
    static const char *const kept[] = {
        "method", "epsilon", "delta",    "neighbours", "n",        "expected_error", "expected_relations",
        "rounds", "classes", "estimate", "blocks",     "training", "warnings"};
    json_t *all = json_loads(text, 0, NULL);
    json_t *some = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        (void)json_object_set(some, kept[i], json_object_get(all, kept[i]));
    json_decref(all);
    return some;
}

/* What a plan is made of: a schema that the request holds, or the data set that it names, of images and linked tables. */
static sbl_status open_planned(sbl_schema **schema, sbl_data **data, sbl_serve_server *server,
                               const sbl_serve_request *request, sbl_error *err)
{
    sbl_serve_dataset set;
    char *text = NULL;
    const char *path = sbl_serve_request_text_or_null(request, "path");
    if (path == NULL || json_object_get(request->body, "schema") != NULL) {
        sbl_status status = sbl_serve_request_schema(&text, request, err);
        if (status == SBL_OK) status = sbl_schema_from_json(schema, text, strlen(text), NULL, err);
        free(text);
        return status;
    }
    sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK && set.kind == SBL_KIND_TABLE)
        return sbl_cli_fail(err, SBL_EARG, "the plan of a table needs its 'schema'");
    if (status == SBL_OK && set.kind == SBL_KIND_IMAGES)
        return sbl_serve_dataset_open(data, &set, server->root, server->engine, err);
    return status == SBL_OK ? sbl_serve_package_schema(schema, server->root, set.path, err) : status;
}

sbl_status sbl_serve_api_plan(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err)
{
    char *text = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL; /* of images, which know their number */
    sbl_serve_run run = {.folder = ""};
    sbl_synth_options options;
    const double rows = sbl_serve_request_number(request, "rows");
    sbl_status status = plan_options(&options, &run, request, err);
    if (status == SBL_OK) status = open_planned(&schema, &data, server, request, err);
    if (status == SBL_OK && data == NULL && (rows < 1.0 || rows > 1e12))
        status = sbl_cli_fail(err, SBL_EARG, "'rows' must be the approximate number of rows");
    if (status == SBL_OK)
        status =
            sbl_synthesizer_plan(&text, schema, data, data != NULL ? 0 : (uint64_t)rows, true, &options, err);
    if (status == SBL_OK) {
        answer->json = json_pack("{s:o}", "plan", shorten(text));
        status = add_promise(answer->json, options.epsilon, options.delta, err);
    }
    sbl_free(text);
    sbl_data_free(data);
    sbl_schema_free(schema);
    return status;
}

/* ---- the ledger ---- */

/* JSON has no infinity: null. */
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *line_of(const sbl_ledger_record *line)
{
    return json_pack("{s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s}", "seq", (json_int_t)line->seq, "op",
                     line->op, "name", line->name, "state", line->state, "time", line->time, "mu",
                     number(line->mu), "epsilon_total", number(line->epsilon_total), "who", line->who,
                     "title", line->title);
}

static json_t *lines_of(const sbl_ledger *ledger, size_t count)
{
    json_t *lines = json_array();
    sbl_ledger_record line = {.struct_size = sizeof line};
    for (size_t i = 0; i < count; i++)
        if (sbl_ledger_get_record(ledger, &line, i, NULL) == SBL_OK)
            (void)json_array_append_new(lines, line_of(&line));
    return lines;
}

static json_t *facts_of(const sbl_ledger *ledger, const sbl_ledger_summary *all)
{
    json_t *facts = json_object();
    (void)json_object_set_new(facts, "id", json_string(all->id));
    (void)json_object_set_new(facts, "created", json_string(all->created));
    (void)json_object_set_new(facts, "head", json_string(all->head));
    (void)json_object_set_new(facts, "limit", json_string(all->epsilon));
    (void)json_object_set_new(facts, "delta", json_string(all->delta));
    (void)json_object_set_new(facts, "neighbours", json_string(sbl_neighbours_name(all->neighbours)));
    (void)json_object_set_new(facts, "torn", json_boolean(all->torn));
    (void)json_object_set_new(facts, "exhausted", json_boolean(all->exhausted));
    (void)json_object_set_new(facts, "test_key", json_boolean(all->test_key));
    (void)json_object_set_new(facts, "releases", json_integer((json_int_t)all->releases));
    (void)json_object_set_new(facts, "spent", number(all->epsilon_spent));
    (void)json_object_set_new(facts, "mu_left", number(all->mu_left));
    (void)json_object_set_new(facts, "epsilon_left", number(all->epsilon_left));
    (void)json_object_set_new(facts, "periods", json_integer((json_int_t)all->earlier_periods + 1));
    (void)json_object_set_new(facts, "spent_all_periods", number(all->epsilon_all));
    (void)json_object_set_new(facts, "successor", json_string(all->successor));
    (void)json_object_set_new(facts, "lines", lines_of(ledger, all->line_count));
    return facts;
}

sbl_status sbl_serve_ledger_facts(json_t **facts, sbl_serve_server *server, const char *path, sbl_error *err)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary all = {.struct_size = sizeof all};
    char full[SBL_FULL_PATH_SIZE];
    *facts = NULL;
    if (!sbl_serve_folder_has(server->root, path)) {
        *facts = json_null();
        return SBL_OK;
    }
    sbl_status status = sbl_serve_folder_full(full, server->root, path, err);
    if (status == SBL_OK) status = sbl_ledger_open(&ledger, full, err);
    if (status == SBL_OK) status = sbl_ledger_get_summary(ledger, &all, err);
    if (status == SBL_OK) *facts = facts_of(ledger, &all);
    sbl_ledger_close(ledger);
    return status;
}

sbl_status sbl_serve_api_ledger(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL || !sbl_serve_folder_path_is_good(path) || !sbl_serve_ends_with(path, SBL_ENDING_LEDGER))
        return sbl_cli_fail(err, SBL_EARG, "'path' must name a ledger in the folder");
    json_t *facts = NULL;
    const sbl_status status = sbl_serve_ledger_facts(&facts, server, path, err);
    if (status == SBL_OK) answer->json = json_pack("{s:o}", "ledger", facts);
    return status;
}

/* Where the schema that is kept beside a table says whose row each is, its ledger is one of persons. 0: of rows. */
static uint64_t rows_per_unit(sbl_serve_server *server, const char *table)
{
    char path[SBL_FOLDER_PATH_SIZE], *text = NULL;
    size_t length = 0;
    uint64_t rows = 0;
    sbl_schema *schema = NULL;
    sbl_schema_column column = {.struct_size = sizeof column};
    if (sbl_serve_name_beside(path, table, SBL_ENDING_SCHEMA, NULL) == SBL_OK &&
        sbl_serve_folder_read(&text, &length, server->root, path, SBL_SERVE_MOST_SCHEMA, NULL) == SBL_OK &&
        sbl_schema_from_json(&schema, text, length, NULL, NULL) == SBL_OK)
        for (size_t i = 0; sbl_schema_get_column(schema, &column, i, NULL) == SBL_OK; i++)
            if (column.max_rows_per_unit > rows) rows = column.max_rows_per_unit;
    sbl_schema_free(schema);
    free(text);
    return rows;
}

/* A limit that nothing takes back: a ledger with it, or a line in the one that is there. */
sbl_status sbl_serve_api_limit(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err)
{
    char ledger[SBL_FOLDER_PATH_SIZE], full[SBL_FULL_PATH_SIZE], epsilon[40];
    sbl_ledger_options options;
    json_t *facts = NULL, *container = NULL;
    sbl_serve_dataset set;
    const char *path = NULL;
    const double limit = sbl_serve_request_number(request, "epsilon");
    sbl_ledger_options_init(&options);
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK && !(limit > 0.0))
        status = sbl_cli_fail(err, SBL_EARG, "'epsilon' must be a number above 0");
    if (status == SBL_OK) status = sbl_serve_dataset_find(&set, server->root, path, err);
    if (status == SBL_OK) status = sbl_serve_dataset_facts(&container, server, &set, err);
    json_decref(container);
    if (status == SBL_OK) status = sbl_serve_dataset_ledger(ledger, &set, server->root, server->engine, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, server->root, ledger, err);
    (void)snprintf(epsilon, sizeof epsilon, "%.9g", limit);
    options.epsilon = epsilon;
    if (status == SBL_OK)
        options.rows_per_unit =
            set.kind == SBL_KIND_PACKAGE ? 1 : rows_per_unit(server, set.name); /* one person is one record */
    if (status == SBL_OK)
        status = sbl_serve_folder_has(server->root, ledger) ? sbl_ledger_limit(full, &options, err)
                                                            : sbl_ledger_init(full, &options, err);
    if (status == SBL_OK) status = sbl_serve_ledger_facts(&facts, server, ledger, err);
    if (status == SBL_OK) answer->json = json_pack("{s:o}", "ledger", facts);
    return status;
}

/* ---- certificates ---- */

sbl_status sbl_serve_api_verify(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err)
{
    char *text = NULL, *statement = NULL, full[SBL_FULL_PATH_SIZE], book[SBL_FULL_PATH_SIZE];
    size_t length = 0;
    const char *path = NULL, *ledger = sbl_serve_request_text_or_null(request, "ledger");
    sbl_certificate_files files;
    sbl_guarantee facts = {.struct_size = sizeof facts};
    sbl_certificate_files_init(&files);
    sbl_status status = sbl_serve_request_text(&path, request, "certificate", err);
    if (status == SBL_OK && !sbl_serve_ends_with(path, SBL_ENDING_CERTIFICATE))
        status = sbl_cli_fail(err, SBL_EARG, "a certificate ends in " SBL_ENDING_CERTIFICATE);
    if (status == SBL_OK && ledger != NULL &&
        (!sbl_serve_ends_with(ledger, SBL_ENDING_LEDGER) || !sbl_serve_folder_has(server->root, ledger)))
        status = sbl_cli_fail(err, SBL_EARG, "'ledger' must name a ledger in the folder");
    if (status == SBL_OK) status = sbl_serve_folder_full(full, server->root, path, err);
    if (status == SBL_OK && ledger != NULL) status = sbl_serve_folder_full(book, server->root, ledger, err);
    files.ledger = ledger != NULL ? book : NULL;
    if (status == SBL_OK)
        status = sbl_serve_folder_read(&text, &length, server->root, path, SBL_SERVE_MOST_JSON * 4, err);
    if (status == SBL_OK) status = sbl_certificate_verify(&statement, full, &files, err);
    if (status == SBL_OK) status = sbl_certificate_read(&facts, NULL, text, length, err);
    if (status == SBL_OK)
        answer->json = json_pack("{s:s, s:b, s:o, s:f, s:s, s:s?}", "statement", statement, "holds",
                                 facts.holds, "epsilon", number(facts.epsilon), "delta", facts.delta,
                                 "method", facts.method, "ledger", ledger);
    sbl_free(statement);
    free(text);
    return status;
}
