/* SPDX-License-Identifier: Apache-2.0 */
/* Job files: options of a run in a JSON object (include/semblance/options.h). */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "semblance/files.h"
#include "semblance/options.h"

#define JOB_LIMIT ((size_t)1 << 20)

/* A job file is data, and data never says which code is loaded. */
static bool names_code(const char *name)
{
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++)
        if (strcmp(name, option->name) == 0) return option->names_code;
    return false;
}

/* One member: a text as it is, a number as it is written, true; false and null say nothing. */
static sbl_status give(const char *path, const char *name, const json_t *value, sbl_job_member each,
                       void *context, sbl_error *err)
{
    char number[SBL_DOUBLE_TEXT_SIZE];
    if (json_is_true(value)) return each(context, name, NULL, err);
    if (json_is_false(value) || json_is_null(value)) return SBL_OK;
    if (json_is_string(value)) return each(context, name, json_string_value(value), err);
    if (json_is_number(value))
        return each(context, name, sbl_double_to_text(number, json_number_value(value)), err);
    return sbl_fail(err, SBL_EINPUT, "%s: the value of '%.60s' must be a text, a number or true", path, name);
}

sbl_status sbl_job_read(const char *path, sbl_job_member each, void *context, sbl_error *err)
{
    json_t *object = NULL;
    const char *name;
    json_t *value;
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    if (each == NULL) SBL_FAIL(err, SBL_EARG, "argument 'each' is NULL");
    SBL_TRY(sbl_json_read(&object, path, JOB_LIMIT, err));
    if (!json_is_object(object))
        SBL_FAIL(err, SBL_EINPUT, "%s is not a job file: it must be a JSON object of options", path);
    json_object_foreach(object, name, value)
    {
        if (sbl_text_has_control(name))
            SBL_FAIL(err, SBL_EINPUT, "%s: the name of an option contains a control character", path);
        if (names_code(name))
            SBL_FAIL(err, SBL_EINPUT,
                     "%s: '%s' names a library, which a job file must not do: remove it, and give it on the "
                     "command line or in the call",
                     path, name);
        SBL_TRY(give(path, name, value, each, context, err));
    }
done:
    json_decref(object);
    return status;
}

sbl_status sbl_job_write(const char *path, const char *const *names, const char *const *texts, size_t count,
                         bool overwrite, sbl_error *err)
{
    const sbl_file_write_options as_public = {.mode = 0644, .overwrite = overwrite};
    json_t *object = json_object();
    char *text = NULL;
    bool failed = object == NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(path);
    if (count > 0) {
        SBL_NEED(names);
        SBL_NEED(texts);
    }
    /* Not over a file that the job names. */
    for (size_t i = 0; i < count; i++) {
        const sbl_named_file pair[] = {{"the job file", path, true}, {names[i], texts[i], false}};
        SBL_TRY(sbl_files_check(pair, 2, err));
    }
    for (size_t i = 0; !failed && i < count; i++)
        failed = !names_code(names[i]) &&
                 json_object_set_new(object, names[i],
                                     texts[i] != NULL ? json_string(texts[i]) : json_true()) != 0;
    text = failed ? NULL : sbl_json_pretty(object);
    if (text == NULL) SBL_FAIL(err, SBL_EARG, "a value of a job file is not UTF-8");
    SBL_TRY(sbl_file_write(path, text, strlen(text), as_public, err));
done:
    sbl_free(text);
    json_decref(object);
    return status;
}
