/* An option's value from text: what programs and bindings are given. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "options/options.h"

/* The field of an option, or NULL where the caller's struct ends before it. */
static void *field_of(sbl_synth_options *options, size_t offset, size_t size)
{
    return offset + size <= options->struct_size ? (char *)options + offset : NULL;
}

static sbl_status set_flag(const sbl_option *option, bool *field, const char *text, sbl_error *err)
{
    if (text != NULL && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return sbl_option_refuse(option, text, err);
    *field = text == NULL || text[0] == 't';
    return SBL_OK;
}

static sbl_status set_choice(const sbl_option *option, void *field, const char *text,
                             sbl_error *err)
{
    for (unsigned i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], text) != 0) continue;
        if (option->by_place)
            memcpy(field, &i, sizeof i);
        else
            memcpy(field, &option->choices[i], sizeof option->choices[i]);
        return SBL_OK;
    }
    return sbl_option_refuse(option, text, err);
}

static sbl_status set_number(const sbl_option *option, double *field, const char *text,
                             sbl_error *err)
{
    double number;
    if (!sbl_text_to_double(&number, text) || !sbl_option_range_holds(option->range, number))
        return sbl_option_refuse(option, text, err);
    *field = number;
    return SBL_OK;
}

static sbl_status set_whole(const sbl_option *option, void *field, const char *text, sbl_error *err)
{
    uint64_t whole;
    if (!sbl_text_to_u64(&whole, text) || !sbl_option_range_holds(option->range, (double)whole))
        return sbl_option_refuse(option, text, err);
    const unsigned narrow = (unsigned)whole; /* its range has room for it */
    memcpy(field, option->size == sizeof whole ? (const void *)&whole : &narrow, option->size);
    return SBL_OK;
}

/* The longest list of whole numbers that an option has. */
#define MOST_WHOLES SBL_MAX_LAYERS
_Static_assert(SBL_MAX_HIDDEN <= MOST_WHOLES, "room for every list");

/* "256,256" or "256, 256". */
static sbl_status set_wholes(const sbl_option *option, uint64_t *field, size_t *count,
                             const char *text, sbl_error *err)
{
    uint64_t found[MOST_WHOLES] = {0};
    const size_t most = option->size / sizeof found[0];
    const char *next = text;
    size_t filled = 0;
    for (;;) {
        char *end = NULL;
        const bool digit = *next >= '0' && *next <= '9';
        const unsigned long long whole = digit ? strtoull(next, &end, 10) : 0;
        if (!digit || filled == most || !sbl_option_range_holds(option->range, (double)whole) ||
            (*end != ',' && *end != '\0'))
            return sbl_option_refuse(option, text, err);
        found[filled++] = whole;
        if (*end == '\0') break;
        next = end + (end[1] == ' ' ? 2 : 1);
    }
    memcpy(field, found, option->size);
    *count = filled;
    return SBL_OK;
}

static sbl_status set_field(const sbl_option *option, sbl_synth_options *options, const char *text,
                            sbl_error *err)
{
    void *field = field_of(options, option->offset, option->size);
    size_t *count = field_of(options, option->count_offset, sizeof *count);
    if (field == NULL || count == NULL)
        return sbl_fail(err, SBL_EARG, "%s is newer than the struct of this caller", option->name);
    if (option->type == SBL_OPTION_FLAG) return set_flag(option, field, text, err);
    if (text == NULL) return sbl_fail(err, SBL_EARG, "%s needs a value", option->name);
    switch (option->type) {
    case SBL_OPTION_CHOICE:
        return set_choice(option, field, text, err);
    case SBL_OPTION_NUMBER:
        return set_number(option, field, text, err);
    case SBL_OPTION_WHOLE:
        return set_whole(option, field, text, err);
    case SBL_OPTION_WHOLES:
        return set_wholes(option, field, count, text, err);
    case SBL_OPTION_FLAG:
    case SBL_OPTION_TEXT:
        break;
    }
    memcpy(field, &text, sizeof text);
    return SBL_OK;
}

sbl_status sbl_options_set(sbl_synth_options *options, const char *name, const char *text,
                           sbl_error *err)
{
    sbl_synth_options known;
    const sbl_option *option = sbl_option_find(name);
    const sbl_status status = sbl_synth_options_take(&known, options, err);
    if (status != SBL_OK) return status;
    if (name == NULL) return sbl_fail(err, SBL_EARG, "argument 'name' is NULL");
    if (option == NULL) return sbl_fail(err, SBL_EARG, "there is no option '%.40s'", name);
    return set_field(option, options, text, err);
}
