/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: read from text, held against their range, put into their fields and taken out
 * of them; and what a method reads of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "public/schema/encoding_layout.h"

/* "a or b" of the choices, the words of the range, or what the type says. */
static const char *must_be(char *list, size_t size, const sbl_option *option)
{
    size_t length = 0;
    if (option->type == SBL_OPTION_FLAG) return "true or false";
    if (option->type == SBL_OPTION_SIZE)
        return "a height and a width from 1 to " SBL_SHOW(SBL_IMAGE_FACTS_MOST_SIDE) ", as 28x28";
    if (option->range != NULL) return option->range->words;
    for (size_t i = 0; option->choices[i] != NULL && length < size; i++)
        length +=
            (size_t)snprintf(list + length, size - length, "%s%s", i > 0 ? " or " : "", option->choices[i]);
    return list;
}

sbl_status sbl_option_refuse(const sbl_option *option, const char *text, sbl_error *err)
{
    char list[256];
    const char *words = must_be(list, sizeof list, option);
    if (text == NULL) return sbl_fail(err, SBL_EARG, "%s must be %s", option->name, words);
    return sbl_fail(err, SBL_EARG, "%s must be %s, not '%.80s'", option->name, words, text);
}

/* ---- range ---- */

static bool holds(const sbl_option_range *range, double number)
{
    if (range == NULL) return true;
    return range->open ? number > range->low && number < range->high
                       : number >= range->low && number <= range->high;
}

static bool is_side(uint64_t side) { return side >= 1 && side <= SBL_IMAGE_FACTS_MOST_SIDE; }

/* A text with a range is for people: that many bytes of UTF-8 without control characters. */
static bool is_line(const sbl_option_range *range, const char *text)
{
    return range == NULL ||
           (holds(range, (double)strlen(text)) && sbl_text_is_utf8(text) && !sbl_text_has_control(text));
}

/* ---- from text ---- */

/* A tab or a space may be given as itself, too. */
static bool read_choice(uint64_t *place, const sbl_option *option, const char *text)
{
    if (strcmp(text, "\t") == 0) text = "tab";
    if (strcmp(text, " ") == 0) text = "space";
    for (*place = 0; option->choices[*place] != NULL; ++*place)
        if (strcmp(option->choices[*place], text) == 0) return true;
    return false;
}

/* A whole number, or one of the words that are taken instead; then it is 0. */
static bool read_whole(uint64_t *whole, const sbl_option *option, const char *text)
{
    uint64_t place;
    *whole = 0;
    if (option->choices != NULL && read_choice(&place, option, text)) return true;
    return sbl_text_to_u64(whole, text) && holds(option->range, (double)*whole);
}

/* "256,256" or "256, 256". */
static bool read_wholes(sbl_option_value *value, const sbl_option *option, const char *text)
{
    for (const char *next = text;;) {
        char *end = NULL;
        if (*next < '0' || *next > '9' || value->count == option->most) return false;
        const unsigned long long whole = strtoull(next, &end, 10);
        if (!holds(option->range, (double)whole)) return false;
        value->wholes[value->count++] = whole;
        if (*end == '\0') return true;
        if (*end != ',') return false;
        next = end + (end[1] == ' ' ? 2 : 1);
    }
}

/* "28x28". */
static bool read_size(sbl_option_value *value, const char *text)
{
    char height[8] = "";
    const char *sign = strchr(text, 'x');
    if (sign == NULL || sign == text || sign - text >= (ptrdiff_t)sizeof height) return false;
    memcpy(height, text, (size_t)(sign - text));
    if (!sbl_text_to_u64(&value->wholes[0], height) || !sbl_text_to_u64(&value->wholes[1], sign + 1))
        return false;
    value->whole = value->wholes[0];
    return is_side(value->wholes[0]) && is_side(value->wholes[1]);
}

/* Hexadecimal numbers and "infinity" do not count as numbers here. */
static bool read_number(double *number, const char *text)
{
    return (text[strspn(text, "0123456789+-.eE")] == '\0' || strcmp(text, "inf") == 0) &&
           sbl_text_to_double(number, text);
}

bool sbl_option_read(sbl_option_value *value, const sbl_option *option, const char *text)
{
    *value = (sbl_option_value){.flag = text == NULL || text[0] == 't', .text = text};
    if (option->type == SBL_OPTION_FLAG)
        return text == NULL || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (text == NULL) return false;
    switch (option->type) {
    case SBL_OPTION_CHOICE:
        return read_choice(&value->whole, option, text);
    case SBL_OPTION_NUMBER:
        return read_number(&value->number, text) && holds(option->range, value->number);
    case SBL_OPTION_WHOLE:
        return read_whole(&value->whole, option, text);
    case SBL_OPTION_WHOLES:
        return read_wholes(value, option, text);
    case SBL_OPTION_SIZE:
        return read_size(value, text);
    case SBL_OPTION_FLAG:
    case SBL_OPTION_TEXT:
        break;
    }
    return true;
}

sbl_status sbl_option_take(sbl_option_value *value, const sbl_option *option, const char *text,
                           sbl_error *err)
{
    if (text == NULL && option->type != SBL_OPTION_FLAG)
        return sbl_fail(err, SBL_EARG, "%s needs a value", option->name);
    return sbl_option_read(value, option, text) ? SBL_OK : sbl_option_refuse(option, text, err);
}

sbl_status sbl_option_parse(double *number, uint64_t *whole, const sbl_option *option, const char *text,
                            sbl_error *err)
{
    sbl_option_value value;
    SBL_CHECK(sbl_need(option, "option", err));
    SBL_CHECK(sbl_option_take(&value, option, text, err));
    if (number != NULL) *number = option->type == SBL_OPTION_WHOLE ? (double)value.whole : value.number;
    if (whole != NULL) *whole = value.whole;
    return SBL_OK;
}

/* ---- fields ---- */

sbl_status sbl_option_has_field(const sbl_option *option, size_t struct_size, sbl_error *err)
{
    if (option->offset + option->size <= struct_size) return SBL_OK;
    return sbl_fail(err, SBL_EARG, "%s is newer than the struct of this caller", option->name);
}

/* A choice is kept as its text or, where the field is an enum, as its place in the list. */
static bool is_place(const sbl_option *option)
{
    return option->type == SBL_OPTION_CHOICE && option->size == sizeof(unsigned);
}

static sbl_option_value fetch(const sbl_option *option, const void *options)
{
    const char *field = (const char *)options + option->offset;
    sbl_option_value value = {0};
    unsigned narrow = 0;
    if (option->type == SBL_OPTION_FLAG) {
        memcpy(&value.flag, field, sizeof value.flag);
    } else if (option->type == SBL_OPTION_SIZE) {
        memcpy(value.wholes, field, 2 * sizeof value.wholes[0]);
        value.whole = value.wholes[0] | value.wholes[1];
    } else if (option->type == SBL_OPTION_NUMBER) {
        memcpy(&value.number, field, sizeof value.number);
    } else if (option->size == sizeof narrow) {
        memcpy(&narrow, field, sizeof narrow);
        value.whole = narrow;
    } else if (option->type == SBL_OPTION_WHOLE) {
        memcpy(&value.whole, field, sizeof value.whole);
    } else {
        memcpy(&value.text, field, sizeof value.text);
    }
    return value;
}

bool sbl_option_is_given(const sbl_option *option, const void *options)
{
    const sbl_option_value value = fetch(option, options);
    return value.flag || value.number != 0.0 || value.whole != 0 || value.text != NULL;
}

bool sbl_option_is_good(const sbl_option *option, const void *options)
{
    sbl_option_value value = fetch(option, options);
    size_t choices = 0;
    switch (option->type) {
    case SBL_OPTION_NUMBER:
        return holds(option->range, value.number);
    case SBL_OPTION_WHOLE:
        return holds(option->range, (double)value.whole);
    case SBL_OPTION_CHOICE:
        while (option->choices[choices] != NULL) choices++;
        return is_place(option) ? value.whole < choices : read_choice(&value.whole, option, value.text);
    case SBL_OPTION_TEXT:
        return is_line(option->range, value.text);
    case SBL_OPTION_SIZE:
        return is_side(value.wholes[0]) && is_side(value.wholes[1]);
    case SBL_OPTION_FLAG:
    case SBL_OPTION_WHOLES:
        break;
    }
    return true;
}

void sbl_option_store(const sbl_option *option, void *options, const sbl_option_value *value)
{
    char *field = (char *)options + option->offset;
    const unsigned narrow = (unsigned)value->whole; /* in range, it fits */
    if (option->type == SBL_OPTION_FLAG)
        memcpy(field, &value->flag, option->size);
    else if (option->type == SBL_OPTION_SIZE)
        memcpy(field, value->wholes, 2 * sizeof value->wholes[0]);
    else if (option->type == SBL_OPTION_NUMBER)
        memcpy(field, &value->number, option->size);
    else if (option->size == sizeof narrow)
        memcpy(field, &narrow, option->size);
    else if (option->type == SBL_OPTION_WHOLE)
        memcpy(field, &value->whole, option->size);
    else if (option->type == SBL_OPTION_CHOICE)
        memcpy(field, &option->choices[value->whole], option->size);
    else
        memcpy(field, &value->text, option->size);
}

/* ---- what a method reads ---- */

const char *sbl_setting_given(const sbl_synth_options *options, const char *name)
{
    const sbl_setting *settings = options->settings;
    for (size_t i = 0; i < SBL_MAX_SETTINGS && settings[i].name != NULL; i++)
        if (strcmp(settings[i].name, name) == 0) return settings[i].text;
    return NULL;
}

/* Nothing, all zero, where there is no value either. */
static sbl_option_value value_of(const sbl_synth_options *options, const sbl_option *option,
                                 sbl_data_kinds kind)
{
    const char *given = sbl_setting_given(options, option->name);
    const char *standard = kind == SBL_IMAGES ? option->of_images : option->of_tables;
    sbl_option_value value;
    if (given != NULL && sbl_option_read(&value, option, given)) return value;
    if (standard == NULL || !sbl_option_read(&value, option, standard)) return (sbl_option_value){0};
    return value;
}

const char *sbl_setting_text(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind)
{
    return value_of(options, option, kind).text;
}

uint64_t sbl_setting_whole(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind)
{
    return value_of(options, option, kind).whole;
}

double sbl_setting_number(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind)
{
    return value_of(options, option, kind).number;
}

size_t sbl_setting_wholes(uint64_t wholes[SBL_MAX_WHOLES], const sbl_synth_options *options,
                          const sbl_option *option, sbl_data_kinds kind)
{
    const sbl_option_value value = value_of(options, option, kind);
    memcpy(wholes, value.wholes, sizeof value.wholes);
    return value.count;
}

bool sbl_setting_is(const sbl_synth_options *options, const sbl_option *option, sbl_data_kinds kind,
                    const char *choice)
{
    const char *text = sbl_setting_text(options, option, kind);
    return text != NULL && strcmp(text, choice) == 0;
}
