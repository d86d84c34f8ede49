/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, put together from what every method knows and the lists of the methods;
 * what was given is checked by it: in range, complete, and used by the method. */
#include "run/methods/method_options.h"

#include <stdio.h>
#include <string.h>

#include "public/options/option_row.h"
#include "run/methods/method.h"

/* ---- the table ---- */

static bool is_listed(const sbl_option *const *list, const sbl_option *option)
{
    for (; list != NULL && *list != NULL; list++)
        if (*list == option) return true;
    return false;
}

/* Was it in the table before this method? */
static bool came_before(const sbl_option *option, const sbl_method *const *method)
{
    if (option->size != 0) return true;
    for (const sbl_method *const *m = sbl_method_list; m != method; m++)
        if (is_listed((*m)->options, option)) return true;
    return false;
}

/* Where *index says, which counts down to 0; NULL: it has further to go. */
static const sbl_option *step_to(size_t *index, const sbl_option *const *list,
                                 const sbl_method *const *method)
{
    for (; list != NULL && *list != NULL; list++)
        if ((method == NULL || !came_before(*list, method)) && (*index)-- == 0) return *list;
    return NULL;
}

const sbl_option *sbl_option_at(size_t index)
{
    const sbl_option *found;
    if (index-- == 0) return &sbl_option_method;
    found = step_to(&index, sbl_common_options, NULL);
    for (const sbl_method *const *m = sbl_method_list; found == NULL && *m != NULL; m++)
        found = step_to(&index, (*m)->options, m);
    return found != NULL ? found : step_to(&index, sbl_data_option_rows, NULL);
}

static const sbl_option *find_in(const sbl_option *const *list, const char *name)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp((*list)->name, name) == 0) return *list;
    return NULL;
}

static const sbl_option *find_of_methods(const sbl_method *const *methods, const char *name)
{
    const sbl_option *found = NULL;
    for (; methods != NULL && found == NULL && *methods != NULL; methods++)
        found = find_in((*methods)->options, name);
    return found;
}

const sbl_option *sbl_option_find(const char *name)
{
    const sbl_option *found;
    if (name == NULL) return NULL;
    if (strcmp(name, sbl_option_method.name) == 0) return &sbl_option_method;
    found = find_in(sbl_common_options, name);
    return found != NULL ? found : find_of_methods(sbl_method_list, name);
}

/* Of methods that the caller brings, too. */
static const sbl_option *find_for(const sbl_synth_options *options, const char *name)
{
    const sbl_option *found = sbl_option_find(name);
    return found != NULL ? found : find_of_methods(options->more_methods, name);
}

static bool is_used(const sbl_option *option, const sbl_method *method, sbl_data_kinds kind)
{
    return (option->kinds & (unsigned)kind) != 0 && (option->common || is_listed(method->options, option));
}

/* What auto stands for is what options are checked against. */
static sbl_status find_method(const sbl_method **method, const char *name, sbl_data_kinds kind, bool pure,
                              const sbl_method *const *more, sbl_error *err)
{
    if (name == NULL || strcmp(name, SBL_METHOD_AUTO) == 0) name = sbl_method_of_auto(kind, pure);
    return sbl_method_find(method, name, kind == SBL_IMAGES ? SBL_DATA_IMAGES : SBL_DATA_TABLE, more, err);
}

bool sbl_option_is_used(const sbl_option *option, const char *method, sbl_data_kinds kind)
{
    const sbl_method *found;
    return option != NULL &&
           find_method(&found, method, kind, option == &sbl_option_pure, NULL, NULL) == SBL_OK &&
           is_used(option, found, kind);
}

/* ---- by name ---- */

/* Over a setting of that name, or after the last. */
static sbl_status set_setting(sbl_synth_options *options, const sbl_option *option, const char *text,
                              sbl_error *err)
{
    sbl_setting *settings = options->settings;
    size_t i = 0;
    while (i < SBL_MAX_SETTINGS && settings[i].name != NULL && strcmp(settings[i].name, option->name) != 0)
        i++;
    if (i == SBL_MAX_SETTINGS)
        return sbl_fail(err, SBL_EARG, "at most %d options of a method can be given", SBL_MAX_SETTINGS);
    settings[i] = (sbl_setting){option->name, text};
    return SBL_OK;
}

sbl_status sbl_options_set(sbl_synth_options *options, const char *name, const char *text, sbl_error *err)
{
    sbl_synth_options known;
    sbl_option_value value;
    SBL_CHECK(sbl_synth_options_take(&known, options, err));
    SBL_CHECK(sbl_need(name, "name", err));
    const sbl_option *option = find_for(&known, name);
    if (option == NULL) return sbl_fail(err, SBL_EARG, "unknown option '%.40s'", name);
    const sbl_option settings = {.name = option->name,
                                 .offset = offsetof(sbl_synth_options, settings),
                                 .size = sizeof options->settings};
    SBL_CHECK(sbl_option_has_field(option->size != 0 ? option : &settings, options->struct_size, err));
    SBL_CHECK(sbl_option_take(&value, option, text, err));
    if (option->size == 0) return set_setting(options, option, text, err);
    sbl_option_store(option, options, &value);
    return SBL_OK;
}

/* ---- in range, complete ---- */

static sbl_status check_field(const sbl_option *option, const sbl_synth_options *options, unsigned steps,
                              sbl_error *err)
{
    if ((option->steps & steps) == 0) return SBL_OK;
    if (sbl_option_is_given(option, options))
        return sbl_option_is_good(option, options) ? SBL_OK : sbl_option_refuse(option, NULL, err);
    if ((option->needed & steps) == 0) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s is missing: it has no default", option->name);
}

static sbl_status check_setting(const sbl_setting *setting, const sbl_synth_options *options, unsigned steps,
                                sbl_error *err)
{
    const sbl_option *option = find_for(options, setting->name);
    sbl_option_value value;
    if (option == NULL || option->size != 0)
        return sbl_fail(err, SBL_EARG, "'%.40s' is not an option of any method", setting->name);
    if ((option->steps & steps) == 0) return SBL_OK;
    return setting->text != NULL && sbl_option_read(&value, option, setting->text)
               ? SBL_OK
               : sbl_option_refuse(option, setting->text, err);
}

sbl_status sbl_options_check_values(const sbl_synth_options *options, unsigned steps, sbl_error *err)
{
    const sbl_setting *settings = options->settings;
    /* Whether the caller brings a method of that name is seen where it is looked for. */
    if (options->more_methods == NULL) SBL_CHECK(check_field(&sbl_option_method, options, steps, err));
    for (const sbl_option *const *option = sbl_common_options; *option != NULL; option++)
        SBL_CHECK(check_field(*option, options, steps, err));
    for (size_t i = 0; i < SBL_MAX_SETTINGS && settings[i].name != NULL; i++)
        SBL_CHECK(check_setting(&settings[i], options, steps, err));
    if ((steps & SBL_STEPS_PLAN) != 0 && options->pure && options->delta != 0.0)
        return sbl_fail(err, SBL_EARG, "pure means delta 0: leave delta out");
    return SBL_OK;
}

/* ---- used ---- */

/* The methods of a list that have it, after the `length` bytes that are there. */
static size_t name_users(char names[256], size_t length, const sbl_method *const *methods,
                         const sbl_option *option)
{
    for (; methods != NULL && *methods != NULL && length < 256; methods++)
        if (is_listed((*methods)->options, option))
            length += (size_t)snprintf(names + length, 256 - length, "%s%s", length > 0 ? ", " : "",
                                       (*methods)->name);
    return length;
}

static sbl_status refuse_unused(const sbl_option *option, const sbl_method *method, sbl_data_kinds kind,
                                const sbl_method *const *more, sbl_error *err)
{
    char names[256] = "";
    if (option->common || is_listed(method->options, option))
        return sbl_fail(err, SBL_EARG, "%s is not an option for %s", option->name,
                        kind == SBL_IMAGES ? "images" : "tables");
    (void)name_users(names, name_users(names, 0, sbl_method_list, option), more, option);
    if (option == &sbl_option_pure && kind == SBL_TABLES)
        return sbl_fail(err, SBL_EARG,
                        "pure asks for delta 0, which the method %s cannot give: choose from %s",
                        method->name, names);
    return sbl_fail(err, SBL_EARG, "%s is not an option of the method %s, but of %s", option->name,
                    method->name, names);
}

static sbl_status check_use(const sbl_option *option, const sbl_method *method, sbl_data_kinds kind,
                            unsigned steps, const sbl_method *const *more, sbl_error *err)
{
    if ((option->steps & steps) == 0 || is_used(option, method, kind)) return SBL_OK;
    return refuse_unused(option, method, kind, more, err);
}

sbl_status sbl_options_check_method(const sbl_synth_options *options, const char *method, sbl_data_kinds kind,
                                    unsigned steps, sbl_error *err)
{
    const sbl_setting *settings = options->settings;
    const sbl_method *const *more = options->more_methods;
    const sbl_method *found;
    SBL_CHECK(find_method(&found, method, kind, options->pure, more, err));
    for (const sbl_option *const *option = sbl_common_options; *option != NULL; option++)
        if (sbl_option_is_given(*option, options))
            SBL_CHECK(check_use(*option, found, kind, steps, more, err));
    for (size_t i = 0; i < SBL_MAX_SETTINGS && settings[i].name != NULL; i++)
        SBL_CHECK(check_use(find_for(options, settings[i].name), found, kind, steps, more, err));
    return SBL_OK;
}

sbl_status sbl_options_check(const sbl_synth_options *options, const char *method, sbl_data_kinds kind,
                             unsigned steps, sbl_error *err)
{
    sbl_synth_options ours;
    SBL_CHECK(sbl_synth_options_take(&ours, options, err));
    if (kind != SBL_TABLES && kind != SBL_IMAGES)
        return sbl_fail(err, SBL_EARG, "options must be checked for either tables or images");
    SBL_CHECK(sbl_options_check_values(&ours, steps, err));
    return sbl_options_check_method(&ours, method != NULL ? method : ours.method, kind, steps, err);
}
