/* SPDX-License-Identifier: Apache-2.0 */
/* Titles, codes and user-missing values of columns: in and out of JSON. */
#include "public/schema/file_facts.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const char what[] = "a schema";

/* ---- in ---- */

static sbl_status read_title(struct sbl_file_facts *facts, const json_t *value, const sbl_field_place *at)
{
    const char *title = json_string_value(value);
    if (value == NULL) return SBL_OK;
    if (title == NULL || *title == '\0' || strlen(title) > SBL_TITLE_MOST || sbl_text_has_control(title))
        return sbl_fail_column(
            at, "has a semblance.title that is not a text of 1 to %d bytes without control characters",
            SBL_TITLE_MOST);
    return sbl_copy_text(&facts->title, title, what, at->err);
}

/* A finite number, or a tag ".a" to ".z". */
static bool read_code(sbl_file_code *code, const json_t *value)
{
    const char *tag = json_string_value(value);
    if (tag != NULL) {
        *code = (sbl_file_code){(double)NAN, tag[0] == '.' ? tag[1] : '\0'};
        return strlen(tag) == 2 && tag[0] == '.' && tag[1] >= 'a' && tag[1] <= 'z';
    }
    *code = (sbl_file_code){json_number_value(value) + 0.0, '\0'}; /* -0 is 0 */
    return json_is_number(value) && isfinite(code->number);
}

static sbl_status read_codes(struct sbl_file_facts *facts, const sbl_column *column, const json_t *list,
                             const sbl_field_place *at)
{
    const size_t count = column->categories.count;
    if (list == NULL) return SBL_OK;
    if (column->kind != SBL_COLUMN_CATEGORY || !json_is_array(list) || json_array_size(list) != count)
        return sbl_fail_column(at, "has semblance.codes that are not a list with one code for each category");
    facts->codes = sbl_alloc_array(count, sizeof *facts->codes);
    if (facts->codes == NULL) return sbl_fail_column_memory(at);
    for (size_t i = 0; i < count; i++) {
        sbl_file_code *code = &facts->codes[i];
        if (!read_code(code, json_array_get(list, i)))
            return sbl_fail_column(
                at, "has an entry in semblance.codes that is neither a number nor a tag '.a' to '.z'");
        for (size_t j = 0; j < i; j++)
            if (facts->codes[j].tag == code->tag &&
                (code->tag != '\0' || facts->codes[j].number == code->number))
                return sbl_fail_column(at, "lists a code twice in semblance.codes: remove one");
    }
    return SBL_OK;
}

static bool read_range(sbl_file_range *range, const json_t *value)
{
    sbl_file_code low = {0}, high = {0};
    const bool pair = json_is_array(value) && json_array_size(value) == 2;
    const bool good =
        pair ? read_code(&low, json_array_get(value, 0)) && read_code(&high, json_array_get(value, 1))
             : read_code(&low, value);
    if (!pair) high = low;
    *range = (sbl_file_range){low.number, high.number};
    return good && low.tag == '\0' && high.tag == '\0' && low.number <= high.number;
}

static sbl_status read_missing(struct sbl_file_facts *facts, const json_t *list, const sbl_field_place *at)
{
    if (list == NULL) return SBL_OK;
    if (!json_is_array(list) || json_array_size(list) > SBL_USER_MISSING_MOST)
        return sbl_fail_column(
            at, "has a semblance.user_missing that is not a list of at most %d values or ranges",
            SBL_USER_MISSING_MOST);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_range(&facts->missing[facts->missing_count++], json_array_get(list, i)))
            return sbl_fail_column(at,
                                   "has an entry in semblance.user_missing that is neither a number nor "
                                   "[lowest, highest]");
    return SBL_OK;
}

sbl_status sbl_file_facts_parse(sbl_column *column, const json_t *options, const sbl_field_place *at)
{
    const json_t *title = json_object_get(options, "title");
    const json_t *codes = json_object_get(options, "codes");
    const json_t *missing = json_object_get(options, "user_missing");
    if (title == NULL && codes == NULL && missing == NULL) return SBL_OK;
    column->file = sbl_alloc_array(1, sizeof *column->file);
    if (column->file == NULL) return sbl_fail_column_memory(at);
    SBL_CHECK(read_title(column->file, title, at));
    SBL_CHECK(read_codes(column->file, column, codes, at));
    return read_missing(column->file, missing, at);
}

/* ---- out ---- */

json_t *sbl_file_code_to_json(double number, char tag)
{
    const char text[] = {'.', tag, '\0'};
    if (tag != '\0') return json_string(text);
    return number == nearbyint(number) && fabs(number) < 9007199254740992.0 ? json_integer((json_int_t)number)
                                                                            : json_real(number);
}

static json_t *missing_of(const struct sbl_file_facts *facts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < facts->missing_count; i++) {
        const sbl_file_range *range = &facts->missing[i];
        json_t *entry = sbl_file_code_to_json(range->low, '\0');
        if (range->high > range->low)
            entry = json_pack("[o,o]", entry, sbl_file_code_to_json(range->high, '\0'));
        list = sbl_json_append(list, entry);
    }
    return list;
}

json_t *sbl_file_facts_write(json_t *options, const sbl_column *column)
{
    const struct sbl_file_facts *facts = column->file;
    if (facts == NULL) return options;
    if (facts->title != NULL) options = sbl_json_put(options, "title", json_string(facts->title));
    if (facts->codes != NULL) {
        json_t *list = json_array();
        for (size_t i = 0; i < column->categories.count; i++)
            list = sbl_json_append(list, sbl_file_code_to_json(facts->codes[i].number, facts->codes[i].tag));
        options = sbl_json_put(options, "codes", list);
    }
    if (facts->missing_count > 0) options = sbl_json_put(options, "user_missing", missing_of(facts));
    return options;
}

/* ---- copies ---- */

sbl_status sbl_file_facts_copy(sbl_column *copy, const sbl_column *from, sbl_error *err)
{
    const struct sbl_file_facts *facts = from->file;
    const size_t count = from->categories.count;
    sbl_status status = SBL_OK;
    copy->file = NULL;
    if (facts == NULL) goto done;
    SBL_ALLOC(copy->file, 1, what);
    memcpy(copy->file->missing, facts->missing, sizeof facts->missing);
    copy->file->missing_count = facts->missing_count;
    if (facts->title != NULL) SBL_TRY(sbl_copy_text(&copy->file->title, facts->title, what, err));
    if (facts->codes == NULL) goto done;
    SBL_ALLOC(copy->file->codes, count, what);
    memcpy(copy->file->codes, facts->codes, count * sizeof *facts->codes);
done:
    return status;
}

void sbl_file_facts_clear(sbl_column *column)
{
    if (column->file == NULL) return;
    sbl_free(column->file->title);
    sbl_free(column->file->codes);
    sbl_free(column->file);
    column->file = NULL;
}

bool sbl_file_ranges_hold(const sbl_file_range *ranges, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        if (value >= ranges[i].low && value <= ranges[i].high) return true;
    return false;
}
