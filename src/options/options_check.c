/* Options against the table: in range, complete, and used by the method. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options/defaults.h"
#include "options/options.h"

const void *sbl_option_field(const sbl_option *option, const sbl_synth_options *options)
{
    return (const char *)options + option->offset;
}

bool sbl_option_range_holds(const sbl_option_range *range, double number)
{
    if (range == NULL) return true;
    return range->open ? number > range->low && number < range->high
                       : number >= range->low && number <= range->high;
}

/* "a or b" of the choices, the words of the range, or what the type says. */
static const char *must_be(char *list, size_t size, const sbl_option *option)
{
    size_t length = 0;
    if (option->type == SBL_OPTION_FLAG) return "true or false";
    if (option->range != NULL) return option->range->words;
    for (size_t i = 0; option->choices[i] != NULL && length < size; i++)
        length += (size_t)snprintf(list + length, size - length, "%s%s", i > 0 ? " or " : "",
                                   option->choices[i]);
    return list;
}

sbl_status sbl_option_refuse(const sbl_option *option, const char *text, sbl_error *err)
{
    char list[256];
    const char *words = must_be(list, sizeof list, option);
    if (text == NULL) return sbl_fail(err, SBL_EARG, "%s must be %s", option->name, words);
    return sbl_fail(err, SBL_EARG, "%s must be %s, not '%.80s'", option->name, words, text);
}

/* ---- fields ---- */

static uint64_t whole_of(const sbl_option *option, const void *field)
{
    uint64_t wide;
    unsigned narrow;
    if (option->size != sizeof wide) {
        memcpy(&narrow, field, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, field, sizeof wide);
    return wide;
}

static size_t count_of(const sbl_option *option, const sbl_synth_options *options)
{
    size_t count;
    memcpy(&count, (const char *)options + option->count_offset, sizeof count);
    return count;
}

static bool is_given(const sbl_option *option, const sbl_synth_options *options)
{
    const void *field = sbl_option_field(option, options);
    const char *text;
    switch (option->type) {
    case SBL_OPTION_FLAG:
        return *(const bool *)field;
    case SBL_OPTION_NUMBER:
        return *(const double *)field != 0.0;
    case SBL_OPTION_WHOLE:
        return whole_of(option, field) != 0;
    case SBL_OPTION_WHOLES:
        return count_of(option, options) != 0;
    case SBL_OPTION_TEXT:
    case SBL_OPTION_CHOICE:
        break;
    }
    if (option->by_place) return whole_of(option, field) != 0;
    memcpy(&text, field, sizeof text);
    return text != NULL;
}

/* ---- values ---- */

static bool choice_is_known(const sbl_option *option, const void *field)
{
    const char *text;
    size_t count = 0;
    while (option->choices[count] != NULL) count++;
    if (option->by_place) return whole_of(option, field) < count;
    memcpy(&text, field, sizeof text);
    for (size_t i = 0; i < count; i++)
        if (strcmp(option->choices[i], text) == 0) return true;
    return false;
}

static bool wholes_are_in_range(const sbl_option *option, const sbl_synth_options *options)
{
    const uint64_t *wholes = sbl_option_field(option, options);
    const size_t count = count_of(option, options);
    if (count > option->size / sizeof *wholes) return false;
    for (size_t i = 0; i < count; i++)
        if (!sbl_option_range_holds(option->range, (double)wholes[i])) return false;
    return true;
}

/* A text with a range is for people: so many bytes of UTF-8 without control characters. */
static bool words_are_good(const sbl_option *option, const void *field)
{
    const char *text;
    memcpy(&text, field, sizeof text);
    if (option->range == NULL) return true;
    return sbl_option_range_holds(option->range, (double)strlen(text)) && sbl_text_is_utf8(text) &&
           !sbl_text_has_control(text);
}

static bool value_is_good(const sbl_option *option, const sbl_synth_options *options)
{
    const void *field = sbl_option_field(option, options);
    switch (option->type) {
    case SBL_OPTION_NUMBER:
        return sbl_option_range_holds(option->range, *(const double *)field);
    case SBL_OPTION_WHOLE:
        return sbl_option_range_holds(option->range, (double)whole_of(option, field));
    case SBL_OPTION_WHOLES:
        return wholes_are_in_range(option, options);
    case SBL_OPTION_CHOICE:
        return choice_is_known(option, field);
    case SBL_OPTION_TEXT:
        return words_are_good(option, field);
    case SBL_OPTION_FLAG:
        break;
    }
    return true;
}

sbl_status sbl_options_check_values(const sbl_synth_options *options, unsigned steps,
                                    sbl_error *err)
{
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *option = sbl_option_at(i);
        if ((option->steps & steps) == 0) continue;
        if (!is_given(option, options)) {
            if ((option->needed & steps) == 0) continue;
            return sbl_fail(err, SBL_EARG, "%s is needed: it has no default", option->name);
        }
        /* Whether the caller brings a method of that name is seen where it is looked for. */
        if (options->more_methods != NULL && option->offset == offsetof(sbl_synth_options, method))
            continue;
        if (!value_is_good(option, options)) return sbl_option_refuse(option, NULL, err);
    }
    if ((steps & (SBL_STEP_PLAN | SBL_STEP_FIT)) != 0 && options->pure && options->delta != 0.0)
        return sbl_fail(err, SBL_EARG, "pure means delta 0: leave delta out");
    return SBL_OK;
}

/* ---- the method ---- */

/* Names, one after the other. */
static const char *join(char *text, size_t size, const char *const *names)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; names[i] != NULL && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", names[i]);
    return text;
}

static const char *name_of(sbl_data_kinds kind) { return kind == SBL_IMAGES ? "images" : "tables"; }

static sbl_status find_method(const sbl_method_facts **facts, const char *method,
                              sbl_data_kinds kind, bool pure, sbl_error *err)
{
    char known[256] = "";
    size_t length = 0;
    *facts = sbl_method_facts_of(method);
    /* What auto stands for is what options are checked against. */
    if (*facts != NULL && strcmp((*facts)->name, "auto") == 0)
        *facts = sbl_method_facts_of(sbl_method_of_auto(kind, pure));
    if (*facts != NULL && ((*facts)->kinds & (unsigned)kind) != 0) return SBL_OK;
    for (size_t i = 0; i < sbl_method_count() && length < sizeof known; i++) {
        const sbl_method_facts *one = sbl_method_at(i);
        if ((one->kinds & (unsigned)kind) == 0) continue;
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   length > 0 ? ", " : "", one->name);
    }
    return sbl_fail(err, SBL_EARG, "method '%.40s' is not one for %s, which are: %s", method,
                    name_of(kind), known);
}

static sbl_status refuse_unused(const sbl_option *option, const char *method, sbl_data_kinds kind,
                                sbl_error *err)
{
    char names[256];
    for (size_t i = 0; option->methods != NULL && option->methods[i] != NULL; i++)
        if (strcmp(option->methods[i], method) == 0)
            return sbl_fail(err, SBL_EARG, "%s is not an option for %s", option->name,
                            name_of(kind));
    if (option->methods == NULL)
        return sbl_fail(err, SBL_EARG, "%s is not an option for %s", option->name, name_of(kind));
    join(names, sizeof names, option->methods);
    if (strcmp(option->name, "pure") == 0 && kind == SBL_TABLES)
        return sbl_fail(err, SBL_EARG,
                        "pure asks for delta 0, which the method %s cannot give: take one of %s",
                        method, names);
    return sbl_fail(err, SBL_EARG, "%s is not an option of the method %s, but of %s", option->name,
                    method, names);
}

sbl_status sbl_options_check_method(const sbl_synth_options *options, const char *method,
                                    sbl_data_kinds kind, unsigned steps, sbl_error *err)
{
    const sbl_method_facts *facts;
    /* What a method that the caller brings makes of its options is its own affair. */
    if (options->more_methods != NULL && sbl_method_facts_of(method) == NULL) return SBL_OK;
    const sbl_status status = find_method(&facts, method, kind, options->pure, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < sbl_option_count(); i++) {
        const sbl_option *option = sbl_option_at(i);
        if ((option->steps & steps) != 0 && is_given(option, options) &&
            !sbl_option_is_used(option, facts->name, kind))
            return refuse_unused(option, facts->name, kind, err);
    }
    return SBL_OK;
}

sbl_status sbl_options_check(const sbl_synth_options *options, const char *method,
                             sbl_data_kinds kind, unsigned steps, sbl_error *err)
{
    sbl_synth_options ours;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_synth_options_take(&ours, options, err));
    if (kind != SBL_TABLES && kind != SBL_IMAGES)
        SBL_FAIL(err, SBL_EARG, "options are checked for tables or for images");
    SBL_TRY(sbl_options_check_values(&ours, steps, err));
    SBL_TRY(
        sbl_options_check_method(&ours, method != NULL ? method : ours.method, kind, steps, err));
done:
    return status;
}
