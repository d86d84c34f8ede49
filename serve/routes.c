/* SPDX-License-Identifier: Apache-2.0 */
/* The list of endpoints, and what they share in reading requests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "server.h"

const sbl_serve_route sbl_serve_routes[] = {
    {"GET", "api/files", sbl_serve_api_files, false, false},
    {"POST", "api/demo", sbl_serve_api_demo, false, false},
    {"POST", "api/upload", sbl_serve_api_upload, false, true},
    {"GET", "api/data", sbl_serve_api_data, false, false},
    {"POST", "api/data", sbl_serve_api_data_save, false, false},
    {"GET", "api/tables", sbl_serve_api_tables, true, false},
    {"GET", "api/methods", sbl_serve_api_methods, false, false},
    {"POST", "api/inspect", sbl_serve_api_inspect, true, false},
    {"GET", "api/package", sbl_serve_api_package, false, false},
    {"POST", "api/package", sbl_serve_api_package_save, false, false},
    {"POST", "api/dialect", sbl_serve_api_dialect, true, false},
    {"POST", "api/histograms", sbl_serve_api_histograms, true, false},
    {"GET", "api/schema", sbl_serve_api_schema, false, false},
    {"POST", "api/schema", sbl_serve_api_schema_save, false, false},
    {"POST", "api/check", sbl_serve_api_check, true, false},
    {"GET", "api/progress", sbl_serve_api_progress, false, false},
    {"POST", "api/promise", sbl_serve_api_promise, false, false},
    {"POST", "api/plan", sbl_serve_api_plan, true, false},
    {"GET", "api/ledger", sbl_serve_api_ledger, false, false},
    {"POST", "api/limit", sbl_serve_api_limit, false, false},
    {"POST", "api/verify", sbl_serve_api_verify, false, false},
    {"GET", "api/runs", sbl_serve_api_runs, false, false},
    {"POST", "api/run", sbl_serve_api_run, false, false},
    {"POST", "api/resume", sbl_serve_api_resume, false, false},
    {"POST", "api/stop", sbl_serve_api_stop, false, false},
    {"POST", "api/compare", sbl_serve_api_compare, false, false},
    {"POST", "api/sample", sbl_serve_api_sample, true, false},
    {"GET", "api/result", sbl_serve_api_result, false, false},
    {"GET", "api/results", sbl_serve_api_results, false, false},
    {"POST", "api/real-rows", sbl_serve_api_real_rows, false, false},
    {"POST", "api/real-images", sbl_serve_api_real_images, false, false},
    {NULL, NULL, NULL, false, false},
};

sbl_status sbl_serve_body_read(json_t **body, const char *bytes, size_t length, sbl_error *err)
{
    *body = json_loadb(bytes != NULL ? bytes : "", length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(*body)) return SBL_OK;
    json_decref(*body);
    *body = NULL;
    return sbl_cli_fail(err, SBL_EARG, "the body must be one JSON object");
}

const char *sbl_serve_request_text_or_null(const sbl_serve_request *request, const char *name)
{
    const json_t *value = json_object_get(request->body, name);
    /* A text with a NUL inside would mean something else to those who read it to its end. */
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value)) return NULL;
    return json_string_value(value);
}

sbl_status sbl_serve_request_text(const char **text, const sbl_serve_request *request, const char *name,
                                  sbl_error *err)
{
    *text = sbl_serve_request_text_or_null(request, name);
    if (*text != NULL) return SBL_OK;
    return sbl_cli_fail(err, SBL_EARG, "'%s' must be a text", name);
}

double sbl_serve_request_number(const sbl_serve_request *request, const char *name)
{
    const json_t *value = json_object_get(request->body, name);
    const double number = json_is_number(value) ? json_number_value(value) : 0.0;
    return isfinite(number) ? number : 0.0;
}

sbl_status sbl_serve_request_schema(char **text, const sbl_serve_request *request, sbl_error *err)
{
    const json_t *schema = json_object_get(request->body, "schema");
    *text = NULL;
    if (!json_is_object(schema))
        return sbl_cli_fail(err, SBL_EARG, "'schema' must be a Table Schema, a JSON object");
    /* A package names files, which are read. */
    if (json_object_get(schema, "resources") != NULL)
        return sbl_cli_fail(err, SBL_EARG, "linked tables are named by the 'path' of their package");
    *text = json_dumps(schema, JSON_INDENT(2));
    return *text != NULL ? SBL_OK : sbl_cli_fail(err, SBL_EMEM, "out of memory for a schema");
}

bool sbl_serve_schema_is_inspected(const json_t *schema)
{
    const json_t *own = json_object_get(schema, "semblance");
    const json_t *how = json_object_get(json_object_get(own, "origin"), "how");
    return json_is_string(how) && (strncmp(json_string_value(how), "inspected", 9) == 0 ||
                                   strncmp(json_string_value(how), "guessed", 7) == 0); /* older versions */
}

bool sbl_serve_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

sbl_status sbl_serve_name_beside(char path[SBL_FOLDER_PATH_SIZE], const char *input, const char *ending,
                                 sbl_error *err)
{
    const int length = snprintf(path, SBL_FOLDER_PATH_SIZE, "%s%s", input, ending);
    return length >= 0 && length < SBL_FOLDER_PATH_SIZE ? SBL_OK
                                                        : sbl_cli_fail(err, SBL_EARG, "a name is too long");
}
