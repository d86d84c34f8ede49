/* SPDX-License-Identifier: Apache-2.0 */
/* Names of comparisons, and what was asked. */
#include "comparison.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"
#include "fixed_text.h"
#include "runs.h"

#define START "comparison-"
#define ENDING "-NOT-PRIVATE.html"
#define MOST 100 /* of a run */

/* K of comparison-K-NOT-PRIVATE.html; 0: another name. */
static unsigned number_of(const char *name)
{
    const size_t start = sizeof START - 1;
    if (strncmp(name, START, start) != 0 || name[start] < '1' || name[start] > '9') return 0;
    char *end = NULL;
    const unsigned long number = strtoul(name + start, &end, 10);
    return number <= MOST && strcmp(end, ENDING) == 0 ? (unsigned)number : 0;
}

bool sbl_serve_is_comparison(const char *name)
{
    return strcmp(name, SBL_RUN_COMPARISON) == 0 || number_of(name) != 0;
}

static sbl_status question_path(char path[SBL_FOLDER_PATH_SIZE], const char *folder, unsigned number,
                                sbl_error *err)
{
    char name[SBL_COMPARISON_NAME];
    (void)snprintf(name, sizeof name, START "%u.json", number);
    return sbl_serve_run_file(path, folder, name, err);
}

static char *question_text(const sbl_serve_question *question)
{
    json_t *json = json_pack("{s:s, s:s, s:b}", "held_out", question->held_out, "labels", question->labels,
                             "models", question->models);
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_SORT_KEYS);
    json_decref(json);
    return text;
}

/* The number of a question of this text, which is written where it is new. */
static sbl_status find_number(unsigned *number, bool *is_new, int root, const char *folder, const char *text,
                              sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], *before = NULL;
    size_t length = 0;
    for (*number = 1; *number <= MOST; (*number)++) {
        sbl_status status = question_path(path, folder, *number, err);
        if (status != SBL_OK) return status;
        if (!sbl_serve_folder_has(root, path)) {
            status = sbl_serve_folder_write_new(root, path, text, strlen(text), err);
            *is_new = status == SBL_OK;
            return status;
        }
        status = sbl_serve_folder_read(&before, &length, root, path, (size_t)1 << 14, err);
        const bool same = status == SBL_OK && strcmp(before, text) == 0;
        free(before);
        if (status != SBL_OK || same) return status;
    }
    return sbl_cli_fail(err, SBL_EIO, "%s: has %d comparisons already; move some of them out of the folder",
                        folder, MOST);
}

sbl_status sbl_serve_comparison_name(char name[SBL_COMPARISON_NAME], bool *is_new, int root,
                                     const char *folder, const sbl_serve_question *question, sbl_error *err)
{
    unsigned number = 0;
    *is_new = false;
    (void)snprintf(name, SBL_COMPARISON_NAME, "%s", SBL_RUN_COMPARISON);
    if (question->held_out[0] == '\0' && !question->models) return SBL_OK;
    char *text = question_text(question);
    const sbl_status status = text != NULL ? find_number(&number, is_new, root, folder, text, err)
                                           : sbl_cli_fail(err, SBL_EMEM, "out of memory for a question");
    (void)snprintf(name, SBL_COMPARISON_NAME, START "%u" ENDING, number);
    free(text);
    return status;
}

void sbl_serve_comparison_drop(int root, const char *folder, const char *name)
{
    char path[SBL_FOLDER_PATH_SIZE];
    if (question_path(path, folder, number_of(name), NULL) == SBL_OK) sbl_serve_folder_remove(root, path);
}

sbl_status sbl_serve_comparison_question(sbl_serve_question *question, int root, const char *folder,
                                         const char *name, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE], *text = NULL;
    size_t length = 0;
    memset(question, 0, sizeof *question);
    const unsigned number = number_of(name);
    if (number == 0) return SBL_OK;
    sbl_status status = question_path(path, folder, number, err);
    if (status == SBL_OK) status = sbl_serve_folder_read(&text, &length, root, path, (size_t)1 << 14, err);
    json_t *json = status == SBL_OK ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *held_out = json_string_value(json_object_get(json, "held_out"));
    const char *labels = json_string_value(json_object_get(json, "labels"));
    if (status == SBL_OK && (held_out == NULL || labels == NULL ||
                             !sbl_serve_put(question->held_out, sizeof question->held_out, held_out) ||
                             !sbl_serve_put(question->labels, sizeof question->labels, labels)))
        status = sbl_cli_fail(err, SBL_EINPUT, "%s: the file has no question", path);
    if (status == SBL_OK) question->models = json_is_true(json_object_get(json, "models"));
    json_decref(json);
    free(text);
    return status;
}
