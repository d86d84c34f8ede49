/* SPDX-License-Identifier: Apache-2.0 */
/* Data: what a data set is, how it is read, and what its container says; the methods that can be asked for. */
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "dataset.h"
#include "request_package.h"
#include "runs.h"
#include "semblance/synthesizer.h"
#include "server.h"

/* ---- what the container says ---- */

/* For images: their size, channels, classes and number, which are public. The library says them with a plan, for which any
 * epsilon serves; how long a run would take is not asked. */
static sbl_status image_facts(json_t **facts, sbl_data *data, sbl_error *err)
{
    char *text = NULL;
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.epsilon = 1.0;
    options.no_estimate = true;
    options.method = "merf"; /* which takes every image set */
    const sbl_status status = sbl_synthesizer_plan(&text, NULL, data, 0, true, &options, err);
    json_t *plan = status == SBL_OK ? json_loads(text, 0, NULL) : NULL;
    const json_t *images = json_object_get(json_object_get(json_object_get(plan, "plan"), "data"), "images");
    if (status == SBL_OK) {
        *facts = json_deep_copy(images);
        (void)json_object_set(*facts, "images", json_object_get(plan, "n"));
    }
    json_decref(plan);
    sbl_free(text);
    return status;
}

/* For linked tables: each with its file, its columns and the tables that it refers to. */
static sbl_status package_facts(json_t **facts, sbl_serve_server *server, const char *path, sbl_error *err)
{
    json_t *package = NULL;
    sbl_schema *schema = NULL;
    sbl_status status = sbl_serve_package_read(&package, server->root, path, err);
    if (status == SBL_OK) status = sbl_serve_package_schema(&schema, server->root, path, err);
    if (status == SBL_OK) *facts = json_pack("{s:O}", "resources", json_object_get(package, "resources"));
    sbl_schema_free(schema);
    json_decref(package);
    return status;
}

sbl_status sbl_serve_dataset_facts(json_t **facts, sbl_serve_server *server, const sbl_serve_dataset *set,
                                   sbl_error *err)
{
    sbl_data *data = NULL;
    *facts = NULL;
    if (set->kind == SBL_KIND_PACKAGE) return package_facts(facts, server, set->path, err);
    if (set->kind != SBL_KIND_IMAGES) return SBL_OK;
    sbl_status status = sbl_serve_dataset_open(&data, set, server->root, server->engine, err);
    if (status == SBL_OK) status = image_facts(facts, data, err);
    sbl_data_free(data);
    return status;
}

/* ---- options, as the page shows them ---- */

static json_t *option_facts(const sbl_option *option, sbl_data_kinds kind)
{
    static const char *const types[] = {
        [SBL_OPTION_FLAG] = "flag",     [SBL_OPTION_TEXT] = "text",   [SBL_OPTION_CHOICE] = "choice",
        [SBL_OPTION_NUMBER] = "number", [SBL_OPTION_WHOLE] = "whole", [SBL_OPTION_WHOLES] = "wholes",
        [SBL_OPTION_SIZE] = "size"};
    const char *standard = kind == SBL_IMAGES ? option->of_images : option->of_tables;
    json_t *choices = json_array();
    for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++)
        (void)json_array_append_new(choices, json_string(option->choices[i]));
    return json_pack(
        "{s:s, s:s, s:s, s:s?, s:s?, s:o, s:i}", "name", option->name, "type", types[option->type], "help",
        option->help, "standard", standard != NULL ? standard : option->standard, "words",
        option->range != NULL ? option->range->words : NULL, "choices", choices, "forms", (int)option->forms);
}

static json_t *data_options(const sbl_serve_dataset *set)
{
    json_t *all = json_array();
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++)
        if ((option->forms & sbl_serve_forms(set)) != 0)
            (void)json_array_append_new(all, option_facts(option, SBL_TABLES));
    return all;
}

/* In: tried  images that cannot be read so are no failure: what is wrong is said, for whoever says more of them then */
static sbl_status answer_data(sbl_serve_answer *answer, sbl_serve_server *server,
                              const sbl_serve_dataset *set, bool tried, sbl_error *err)
{
    char ledger[SBL_FOLDER_PATH_SIZE];
    json_t *facts = NULL;
    sbl_error wrong = {.status = SBL_OK};
    sbl_status status = sbl_serve_dataset_ledger(ledger, set, server->root, server->engine, err);
    if (status != SBL_OK) return status;
    status = sbl_serve_dataset_facts(&facts, server, set, &wrong);
    const bool told = status != SBL_OK && tried && set->kind == SBL_KIND_IMAGES;
    if (status != SBL_OK && !told) return sbl_cli_fail(err, status, "%s", wrong.message);
    answer->json =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o?, s:s?}", "path", set->name, "kind",
                  sbl_serve_kind_name(set->kind), "ledger", ledger, "reading", sbl_serve_reading_json(set),
                  "options", data_options(set), "facts", facts, "problem",
                  told ? sbl_plain_line(sbl_serve_folder_shorten(wrong.message, server->root)) : NULL);
    return answer->json != NULL ? SBL_OK : sbl_cli_fail(err, SBL_EMEM, "out of memory for facts");
}

sbl_status sbl_serve_api_data(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_dataset set;
    const char *path = sbl_serve_request_query(request, "path");
    if (path == NULL) return sbl_cli_fail(err, SBL_EARG, "'path' is missing");
    const sbl_status status = sbl_serve_dataset_find(&set, server->root, path, err);
    return status == SBL_OK ? answer_data(answer, server, &set, true, err) : status;
}

/* What is said of reading is kept only where it can be read so, and not where it is only tried. */
sbl_status sbl_serve_api_data_save(sbl_serve_server *server, const sbl_serve_request *request,
                                   sbl_serve_answer *answer, sbl_error *err)
{
    sbl_serve_dataset set;
    const char *path = NULL, *kind = sbl_serve_request_text_or_null(request, "kind");
    const json_t *reading = json_object_get(request->body, "reading");
    const bool tried = json_is_true(json_object_get(request->body, "try"));
    sbl_status status = sbl_serve_request_text(&path, request, "path", err);
    if (status == SBL_OK) status = sbl_serve_dataset_begin(&set, server->root, path, err);
    if (status == SBL_OK && kind != NULL && !sbl_serve_kind_named(&set.kind, kind))
        status = sbl_cli_fail(err, SBL_EARG, "'kind' must be table, images or package");
    if (status == SBL_OK && reading != NULL) status = sbl_serve_reading_take(&set, reading, err);
    if (status == SBL_OK) status = answer_data(answer, server, &set, tried, err);
    if (status == SBL_OK && !tried) status = sbl_serve_dataset_keep(&set, server->root, err);
    return status;
}

/* ---- methods ---- */

static json_t *method_options(const char *method, sbl_data_kinds kind)
{
    json_t *all = json_array();
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++)
        if (sbl_serve_run_may_set(option) && sbl_option_is_used(option, method, kind))
            (void)json_array_append_new(all, option_facts(option, kind));
    return all;
}

sbl_status sbl_serve_api_methods(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err)
{
    const char *name = sbl_serve_request_query(request, "kind");
    const sbl_method_facts *method;
    sbl_serve_kind kind = SBL_KIND_TABLE;
    (void)server;
    if (name == NULL || !sbl_serve_kind_named(&kind, name))
        return sbl_cli_fail(err, SBL_EARG, "'kind' must be table, images or package");
    const sbl_data_kinds of = kind == SBL_KIND_IMAGES ? SBL_IMAGES : SBL_TABLES;
    json_t *all = json_array();
    for (size_t i = 0; (method = sbl_method_at(i)) != NULL; i++)
        if ((method->kinds & of) != 0)
            (void)json_array_append_new(
                all, json_pack("{s:s, s:s, s:o}", "name", method->name, "summary", method->summary, "options",
                               method_options(method->name, of)));
    answer->json = json_pack("{s:o}", "methods", all);
    return SBL_OK;
}
