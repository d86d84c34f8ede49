/* SPDX-License-Identifier: Apache-2.0 */
/* The data set that a request names, and how it is read. */
#include "dataset.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/output.h"
#include "fixed_text.h"
#include "request_package.h"
#include "semblance/files.h"
#include "server.h"

/* ---- kinds ---- */

static const char *const kinds[] = {
    [SBL_KIND_TABLE] = "table", [SBL_KIND_IMAGES] = "images", [SBL_KIND_PACKAGE] = "package"};

const char *sbl_serve_kind_name(sbl_serve_kind kind) { return kinds[kind]; }

bool sbl_serve_kind_named(sbl_serve_kind *kind, const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i], name) == 0) {
            *kind = (sbl_serve_kind)i;
            return true;
        }
    return false;
}

sbl_serve_kind sbl_serve_kind_by_name(const char *path, bool is_folder)
{
    static const char *const images[] = {"-ubyte", "-ubyte.gz", ".idx", ".idx.gz", ".bin", ".bin.gz", NULL};
    static const char package[] = "datapackage.json";
    if (is_folder) return SBL_KIND_IMAGES;
    if (strcmp(path, package) == 0 || sbl_serve_ends_with(path, package)) return SBL_KIND_PACKAGE;
    for (size_t i = 0; images[i] != NULL; i++)
        if (sbl_serve_ends_with(path, images[i])) return SBL_KIND_IMAGES;
    return SBL_KIND_TABLE;
}

bool sbl_serve_is_partial(const char *path)
{
    const size_t size = sizeof SBL_ENDING_PART - 1;
    for (const char *at = path; (at = strstr(at, SBL_ENDING_PART)) != NULL; at += size)
        if (at[size] == '\0' || at[size] == '/') return true;
    return false;
}

/* ---- what is said of reading ---- */

/* The page says neither what code is loaded, nor what a database executes, nor what only the owner may declare. */
static bool is_said_here(const sbl_option *option)
{
    static const char *const others[] = {"query", "one-row-per-person", "allow-outside"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i], option->name) == 0) return false;
    return option->forms != 0 && !option->names_code;
}

static bool is_file(const sbl_option *option)
{
    return option->value != NULL && strcmp(option->value, "FILE") == 0;
}

const sbl_option *sbl_serve_reading_at(size_t index)
{
    const sbl_option *option;
    if (index >= SBL_MOST_READINGS) return NULL;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++)
        if (is_said_here(option) && index-- == 0) return option;
    return NULL;
}

/* Its place; SBL_MOST_READINGS: there is none. */
static size_t find_reading(const char *name)
{
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return i;
    return SBL_MOST_READINGS;
}

const char *sbl_serve_reading(const sbl_serve_dataset *set, const char *name)
{
    const size_t i = find_reading(name);
    return i < SBL_MOST_READINGS && set->readings[i][0] != '\0' ? set->readings[i] : NULL;
}

unsigned sbl_serve_forms(const sbl_serve_dataset *set)
{
    if (set->kind == SBL_KIND_PACKAGE) return SBL_FORM_PACKAGE;
    return set->kind == SBL_KIND_IMAGES ? SBL_FORM_IMAGES : SBL_FORM_TABLES;
}

sbl_status sbl_serve_reading_set(sbl_serve_dataset *set, const char *name, const char *text, sbl_error *err)
{
    const size_t i = find_reading(name);
    const sbl_option *option = sbl_serve_reading_at(i);
    if (option == NULL || (option->forms & sbl_serve_forms(set)) == 0)
        return sbl_cli_fail(err, SBL_EARG, "'%.40s' does not apply to %s", name,
                            set->kind == SBL_KIND_TABLE    ? "a table"
                            : set->kind == SBL_KIND_IMAGES ? "images"
                                                           : "linked tables");
    const size_t length = strlen(text);
    if (length >= SBL_READING_SIZE) return sbl_cli_fail(err, SBL_EARG, "the text of '%s' is too long", name);
    sbl_status status = text[0] != '\0' ? sbl_option_parse(NULL, NULL, option, text, err) : SBL_OK;
    if (status == SBL_OK && is_file(option) && text[0] != '\0' && !sbl_serve_folder_path_is_good(text))
        status = sbl_cli_fail(err, SBL_EARG, "the %s must be a file in the folder", name);
    if (status == SBL_OK) memcpy(set->readings[i], text, length + 1);
    return status;
}

static sbl_status take_member(sbl_serve_dataset *set, const char *name, const json_t *value, sbl_error *err)
{
    char number[32];
    if (json_is_integer(value)) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return sbl_serve_reading_set(set, name, number, err);
    }
    if (json_is_true(value)) return sbl_serve_reading_set(set, name, "true", err);
    if (json_is_false(value) || json_is_null(value)) return sbl_serve_reading_set(set, name, "", err);
    if (json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value))
        return sbl_serve_reading_set(set, name, json_string_value(value), err);
    return sbl_cli_fail(err, SBL_EARG, "'%.40s' must be a text", name);
}

sbl_status sbl_serve_reading_take(sbl_serve_dataset *set, const json_t *said, sbl_error *err)
{
    const char *name;
    json_t *value;
    sbl_status status = SBL_OK;
    if (!json_is_object(said)) return sbl_cli_fail(err, SBL_EARG, "'reading' must be a JSON object");
    json_object_foreach((json_t *)(uintptr_t)said, name, value)
    {
        if (status == SBL_OK && strcmp(name, "kind") != 0) status = take_member(set, name, value, err);
    }
    return status;
}

json_t *sbl_serve_reading_json(const sbl_serve_dataset *set)
{
    json_t *json = json_object();
    (void)json_object_set_new(json, "kind", json_string(kinds[set->kind]));
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (set->readings[i][0] != '\0')
            (void)json_object_set_new(
                json, option->name,
                option->type == SBL_OPTION_FLAG ? json_true() : json_string(set->readings[i]));
    return json;
}

/* ---- finding it ---- */

/* NAME is PATH or PATH::TABLE. */
static sbl_status split(sbl_serve_dataset *set, const char *name, sbl_error *err)
{
    memset(set, 0, sizeof *set);
    if (!sbl_serve_folder_path_is_good(name) || !sbl_serve_put(set->name, sizeof set->name, name) ||
        !sbl_serve_put(set->path, sizeof set->path, name))
        return sbl_serve_folder_refuse_path(err);
    char *sign = strstr(set->path, SBL_DATABASE_SIGN);
    if (sign == NULL) return SBL_OK;
    *sign = '\0';
    const char *table = sign + sizeof SBL_DATABASE_SIGN - 1;
    if (table[0] == '\0' || strchr(table, '/') != NULL || !sbl_serve_folder_path_is_good(set->path))
        return sbl_cli_fail(err, SBL_EARG, "a table of a database is named PATH::TABLE");
    return sbl_serve_reading_set(set, "table", table, err);
}

sbl_status sbl_serve_dataset_begin(sbl_serve_dataset *set, int root, const char *name, sbl_error *err)
{
    sbl_status status = split(set, name, err);
    if (status != SBL_OK) return status;
    if (sbl_serve_is_partial(set->path))
        return sbl_cli_fail(err, SBL_EINPUT,
                            "%s: ends in " SBL_ENDING_PART
                            ", so it was not received whole: fetch it again, or rename it if it is "
                            "whole",
                            set->path);
    const bool is_folder = sbl_serve_folder_has_folder(root, set->path);
    if (!is_folder && !sbl_serve_folder_has(root, set->path))
        return sbl_cli_fail(err, SBL_EIO, "%s: no such file in the folder", set->path);
    if (sbl_serve_reading(set, "table") == NULL) set->kind = sbl_serve_kind_by_name(set->path, is_folder);
    return SBL_OK;
}

static sbl_status kept_name(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_dataset *set, sbl_error *err)
{
    return sbl_serve_name_beside(path, set->name, SBL_ENDING_READING, err);
}

sbl_status sbl_serve_dataset_find(sbl_serve_dataset *set, int root, const char *name, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], *text = NULL;
    size_t length = 0;
    sbl_status status = sbl_serve_dataset_begin(set, root, name, err);
    if (status == SBL_OK) status = kept_name(path, set, err);
    if (status != SBL_OK || !sbl_serve_folder_has(root, path)) return status;
    status = sbl_serve_folder_read(&text, &length, root, path, (size_t)1 << 16, err);
    json_t *json = status == SBL_OK ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *kind = json_string_value(json_object_get(json, "kind"));
    if (status == SBL_OK && (kind == NULL || !sbl_serve_kind_named(&set->kind, kind)))
        status = sbl_cli_fail(err, SBL_EINPUT,
                              "%s: has no member 'kind'; delete the file and describe the data again", path);
    if (status == SBL_OK) status = sbl_serve_reading_take(set, json, err);
    json_decref(json);
    free(text);
    return status;
}

sbl_status sbl_serve_dataset_keep(const sbl_serve_dataset *set, int root, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    json_t *json = sbl_serve_reading_json(set);
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_SORT_KEYS);
    sbl_status status = kept_name(path, set, err);
    if (text == NULL) status = sbl_cli_fail(err, SBL_EMEM, "out of memory for a file");
    if (status == SBL_OK) status = sbl_serve_folder_keep(root, path, text, err);
    free(text);
    json_decref(json);
    return status;
}

/* ---- opening it ---- */

sbl_status sbl_serve_reading_give(sbl_data_options *options, const sbl_serve_dataset *set, unsigned forms,
                                  sbl_error *err)
{
    const sbl_option *option;
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (set->readings[i][0] != '\0' && (option->forms & forms) != 0)
            status = sbl_data_options_set(options, option->name, set->readings[i], err);
    return status;
}

sbl_status sbl_serve_dataset_open(sbl_data **data, const sbl_serve_dataset *set, int root, const char *engine,
                                  sbl_error *err)
{
    char full[SBL_FULL_PATH_SIZE], labels[SBL_FULL_PATH_SIZE];
    sbl_data_options options;
    sbl_data_options_init(&options);
    *data = NULL;
    options.images = set->kind == SBL_KIND_IMAGES;
    options.package = set->kind == SBL_KIND_PACKAGE;
    options.duckdb = set->kind == SBL_KIND_TABLE ? engine : NULL;
    options.progress = set->progress;
    options.context = set->context;
    options.person = set->person;
    sbl_status status = sbl_serve_reading_give(&options, set, SBL_FORMS_ALL, err);
    const char *beside = sbl_serve_reading(set, "labels");
    if (status == SBL_OK && beside != NULL && !sbl_serve_folder_has(root, beside))
        status = sbl_cli_fail(err, SBL_EIO, "%s: no such file in the folder", beside);
    if (status == SBL_OK && beside != NULL) status = sbl_serve_folder_full(labels, root, beside, err);
    options.labels = beside != NULL ? labels : NULL;
    if (status == SBL_OK && options.package) status = sbl_serve_package_check(root, set->path, err);
    if (status == SBL_OK && sbl_serve_folder_has_folder(root, set->path) &&
        !sbl_serve_folder_is_plain(root, set->path))
        status = sbl_cli_fail(err, SBL_EIO,
                              "%s: contains links or too many levels of folders; replace links by files",
                              set->path);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, set->path, err);
    return status == SBL_OK ? sbl_data_open(data, full, &options, err) : status;
}

/* The name in the folder of a file that it holds. Returns: SBL_OK, also where the file does not exist and the name stays;
 * SBL_EINPUT: it is outside of the folder */
static sbl_status name_inside(char path[SBL_FOLDER_PATH_SIZE], const char *file, int root, sbl_error *err)
{
    char folder[SBL_FULL_PATH_SIZE];
    sbl_status status = sbl_serve_folder_full(folder, root, "", err);
    if (status != SBL_OK) return status;
    char *real = realpath(file, NULL);
    if (real == NULL) return SBL_OK; /* there is none, or a link leads nowhere */
    const size_t size = strlen(folder);
    if (strncmp(real, folder, size) != 0 || !sbl_serve_folder_path_is_good(real + size))
        status = sbl_cli_fail(err, SBL_EINPUT,
                              "%s: is a link to a place outside the folder; links are not followed", path);
    else if (!sbl_serve_put(path, SBL_FOLDER_PATH_SIZE, real + size))
        status = sbl_cli_fail(err, SBL_EARG, "the name of a ledger is too long");
    free(real);
    return status;
}

/* Where the library finds two ledgers the usual name is given; the run says what is wrong. */
sbl_status sbl_serve_dataset_ledger(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_dataset *set, int root,
                                    const char *engine, sbl_error *err)
{
    char full[SBL_FULL_PATH_SIZE], *found = NULL;
    sbl_data *data = NULL;
    sbl_status status = sbl_serve_name_beside(path, set->path, SBL_ENDING_LEDGER, err);
    if (status == SBL_OK) status = sbl_serve_folder_full(full, root, path, err);
    if (status == SBL_OK) status = name_inside(path, full, root, err);
    if (status == SBL_OK && sbl_serve_dataset_open(&data, set, root, engine, NULL) == SBL_OK &&
        sbl_data_ledger(&found, data, NULL) == SBL_OK && found != NULL)
        status = name_inside(path, found, root, err);
    sbl_free(found);
    sbl_data_free(data);
    return status;
}
