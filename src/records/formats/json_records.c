/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON by RFC 8259. Bytes that are not JSON are skipped to the end of their record. */
#include <string.h>

#include "base/alloc.h"
#include "records/formats/json_string.h"

#define USUAL_WINDOW ((size_t)256 << 10)
#define NOWHERE SIZE_MAX
#define SPARE_PLACES 64
#define MOST_NAMES 10000

/* ---- values ---- */

/* A cell whose text begins at `from`. The address of texts is only known after the record was read; until
 * then it is an offset. */
static void set_text(sbl_cell *cell, const sbl_json_records *records, sbl_cell_sort sort, size_t from)
{
    const size_t length = records->used - from;
    *cell = (sbl_cell){.sort = records->overflowed           ? SBL_CELL_IS_UNREADABLE
                               : length > SBL_CELL_MOST_TEXT ? SBL_CELL_IS_LONG
                                                             : sort,
                       .large = from,
                       .length = length};
}

static bool read_digits(sbl_json_records *records)
{
    size_t count = 0;
    for (int c; (c = sbl_json_peek(records)) >= '0' && c <= '9'; count++) {
        const char digit = (char)c;
        sbl_json_keep(records, &digit, 1);
        sbl_json_step(records);
    }
    return count > 0;
}

static bool keep_if(sbl_json_records *records, const char *one_of)
{
    const int c = sbl_json_peek(records);
    if (c <= 0 || strchr(one_of, c) == NULL) return false;
    const char byte = (char)c;
    sbl_json_keep(records, &byte, 1);
    sbl_json_step(records);
    return true;
}

/* An integer that is its own digits; any other number is read from its text. */
static void set_number(sbl_cell *cell, const sbl_json_records *records, size_t from, bool whole)
{
    const size_t length = records->used - from;
    int64_t value;
    set_text(cell, records, SBL_CELL_IS_DECIMAL, from);
    if (whole && cell->sort == SBL_CELL_IS_DECIMAL && sbl_json_whole(&value, records->texts + from, length))
        *cell = (sbl_cell){.sort = SBL_CELL_IS_INTEGER, .whole = value};
}

static bool read_number(sbl_json_records *records, sbl_cell *cell)
{
    const size_t from = records->used;
    bool whole = true;
    records->overflowed = false;
    (void)keep_if(records, "-");
    if (!keep_if(records, "0") && !read_digits(records)) return false;
    if (keep_if(records, ".")) {
        whole = false;
        if (!read_digits(records)) return false;
    }
    if (keep_if(records, "eE")) {
        whole = false;
        (void)keep_if(records, "+-");
        if (!read_digits(records)) return false;
    }
    set_number(cell, records, from, whole);
    return true;
}

static bool read_word(sbl_json_records *records, sbl_cell *cell)
{
    static const struct {
        const char *word;
        sbl_cell cell;
    } words[] = {{"true", {.sort = SBL_CELL_IS_TRUTH, .whole = 1}},
                 {"false", {.sort = SBL_CELL_IS_TRUTH}},
                 {"null", {.sort = SBL_CELL_IS_MISSING}}};
    const int first = sbl_json_peek(records);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (first != words[i].word[0]) continue;
        for (const char *letter = words[i].word; *letter != '\0'; letter++)
            if (!sbl_json_take(records, *letter)) return false;
        *cell = words[i].cell;
        return true;
    }
    return false;
}

static bool read_members(sbl_json_records *records, sbl_cell *cells, int depth);
static bool read_elements(sbl_json_records *records, int depth);

/* depth: of brackets around it. */
static bool read_value(sbl_json_records *records, sbl_cell *cell, int depth)
{
    const int c = sbl_json_peek_past_blanks(records);
    const size_t from = records->used;
    if (c == '"') {
        sbl_json_step(records);
        if (!sbl_json_read_string(records)) return false;
        set_text(cell, records, SBL_CELL_IS_TEXT, from);
        return true;
    }
    if (c != '{' && c != '[')
        return c == '-' || (c >= '0' && c <= '9') ? read_number(records, cell) : read_word(records, cell);
    sbl_json_step(records);
    *cell = (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE};
    if (depth == SBL_JSON_MOST_DEPTH) return false;
    const bool good = c == '{' ? read_members(records, NULL, depth + 1) : read_elements(records, depth + 1);
    records->used = from;
    return good;
}

/* An array behind its bracket. */
static bool read_elements(sbl_json_records *records, int depth)
{
    sbl_cell unused;
    if (sbl_json_peek_past_blanks(records) == ']') return sbl_json_take(records, ']');
    do {
        const size_t from = records->used;
        if (!read_value(records, &unused, depth)) return false;
        records->used = from;
        (void)sbl_json_peek_past_blanks(records);
    } while (sbl_json_take(records, ','));
    return sbl_json_take(records, ']');
}

/* ---- names ---- */

static bool is_name(const sbl_json_records *records, size_t place, const char *name, size_t length)
{
    const char *known = records->names->items[place];
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static size_t add_name(sbl_json_records *records, const char *name, size_t length)
{
    char *copy = NULL;
    bool good = memchr(name, '\0', length) == NULL;
    if (!good || records->names->count >= MOST_NAMES) return NOWHERE;
    copy = sbl_alloc_array(length + 1, 1);
    good = copy != NULL;
    if (good) {
        memcpy(copy, name, length);
        good = sbl_strings_add(records->names, copy);
    }
    if (!good) records->failure = sbl_no_memory(records->err, "the names of columns");
    sbl_free(copy);
    return good ? records->names->count - 1 : NOWHERE;
}

size_t sbl_json_find(sbl_json_records *records, size_t position, const char *name, size_t length)
{
    const bool remembers = position < records->place_count;
    const size_t before = remembers ? records->places[position] : NOWHERE;
    if (before < records->names->count && is_name(records, before, name, length)) return before;
    size_t place = 0;
    while (place < records->names->count && !is_name(records, place, name, length)) place++;
    if (place == records->names->count) place = records->gathers ? add_name(records, name, length) : NOWHERE;
    if (remembers) records->places[position] = place;
    return place;
}

/* The name of a member and its colon; *place: which one it is. */
static bool read_name(sbl_json_records *records, size_t *place, size_t position, bool wanted)
{
    const size_t from = records->used;
    if (sbl_json_peek_past_blanks(records) != '"') return false;
    sbl_json_step(records);
    const bool good = sbl_json_read_string(records);
    *place = NOWHERE;
    if (good && wanted && !records->overflowed && records->texts != NULL)
        *place = sbl_json_find(records, position, records->texts + from, records->used - from);
    records->used = from;
    (void)sbl_json_peek_past_blanks(records);
    return good && sbl_json_take(records, ':');
}

/* An object behind its bracket. cells: of the record itself; NULL: nothing of it is wanted. */
static bool read_members(sbl_json_records *records, sbl_cell *cells, int depth)
{
    const bool wanted = cells != NULL || (records->gathers && depth == 1);
    if (sbl_json_peek_past_blanks(records) == '}') return sbl_json_take(records, '}');
    size_t position = 0, place = 0;
    do {
        sbl_cell cell;
        const size_t from = records->used;
        if (!read_name(records, &place, position++, wanted)) return false;
        if (!read_value(records, &cell, depth)) return false;
        if (cells != NULL && place != NOWHERE)
            cells[place] = cell;
        else
            records->used = from;
        (void)sbl_json_peek_past_blanks(records);
    } while (sbl_json_take(records, ','));
    return sbl_json_take(records, '}');
}

/* ---- records ---- */

static void read_record(sbl_json_records *records, sbl_cell *cells)
{
    const size_t count = cells != NULL ? records->names->count : 0;
    records->used = 0;
    records->depth = 0;
    records->in_string = records->escaped = false;
    if (cells != NULL) {
        sbl_json_gather(records);
        if (sbl_json_read_quick(records, cells)) return;
    }
    for (size_t i = 0; i < count; i++) cells[i] = (sbl_cell){.sort = SBL_CELL_IS_MISSING};
    (void)sbl_json_peek_past_blanks(records);
    const bool good = sbl_json_take(records, '{') && read_members(records, cells, 1) &&
                      sbl_json_peek_past_blanks(records) == SBL_JSON_END;
    while (sbl_json_peek(records) != SBL_JSON_END) sbl_json_step(records);
    for (size_t i = 0; i < count; i++) {
        if (!good) cells[i] = (sbl_cell){.sort = SBL_CELL_IS_UNREADABLE};
        if (cells[i].sort >= SBL_CELL_IS_TEXT || cells[i].sort == SBL_CELL_IS_DECIMAL)
            cells[i].text = records->texts != NULL ? records->texts + cells[i].large : "";
    }
}

/* Blanks outside of any record. */
static void pass_blanks(sbl_json_records *records)
{
    while (sbl_json_has_byte(records) && sbl_json_is_blank(records->window[records->at])) records->at++;
}

static sbl_status refuse(sbl_json_records *records, const char *why, sbl_error *err)
{
    if (records->failure != SBL_OK) return records->failure;
    return sbl_fail(err, SBL_EINPUT, "%s %s", sbl_byte_source_name(records->source), why);
}

sbl_status sbl_json_fail_open(sbl_json_records *records, bool in_record, sbl_error *err)
{
    return refuse(records, in_record ? "ends inside its array, or inside a string" : "ends inside its array",
                  err);
}

sbl_status sbl_json_close_array(sbl_json_records *records, sbl_error *err)
{
    records->closed = true;
    pass_blanks(records);
    return sbl_json_has_byte(records) ? refuse(records, "has text after its array", err) : records->failure;
}

/* Behind a record of an array: a comma, or the end of both. */
static sbl_status leave_element(sbl_json_records *records, sbl_error *err)
{
    if (!sbl_json_has_byte(records)) return sbl_json_fail_open(records, true, err);
    return records->window[records->at++] == ']' ? sbl_json_close_array(records, err) : SBL_OK;
}

sbl_status sbl_json_records_next(sbl_json_records *records, sbl_cell *cells, bool *more, sbl_error *err)
{
    *more = false;
    records->err = err;
    if (records->closed) return records->failure;
    if (!sbl_json_has_byte(records))
        return records->is_array ? sbl_json_fail_open(records, false, err) : records->failure;
    read_record(records, cells);
    if (records->is_array) {
        const sbl_status status = leave_element(records, err);
        if (status != SBL_OK) return status;
    } else if (sbl_json_has_byte(records)) {
        records->at++; /* the line end */
    }
    *more = records->failure == SBL_OK;
    return records->failure;
}

/* A mark of byte order, and the bracket of an array. A file that begins with half a mark has lost nothing that JSON
 * could begin with. */
static sbl_status pass_beginning(sbl_json_records *records, sbl_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    for (size_t i = 0; mark[i] != '\0' && sbl_json_has_byte(records); i++) {
        if (records->window[records->at] != mark[i]) break;
        records->at++;
    }
    if (!records->is_array) return records->failure;
    pass_blanks(records);
    if (!sbl_json_has_byte(records) || records->window[records->at] != '[')
        return refuse(
            records,
            "is not a JSON array of objects (name a file with one object per line .ndjson or .jsonl)", err);
    records->at++;
    pass_blanks(records);
    if (!sbl_json_has_byte(records)) return sbl_json_fail_open(records, false, err);
    if (records->window[records->at] != ']') return SBL_OK;
    return leave_element(records, err);
}

sbl_status sbl_json_records_open(sbl_json_records *records, sbl_byte_source *source, bool is_array,
                                 sbl_strings *names, bool gathers, size_t window, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *records = (sbl_json_records){
        .source = source, .is_array = is_array, .names = names, .gathers = gathers, .err = err};
    records->place_count = names->count + SPARE_PLACES;
    if (window == 0) window = USUAL_WINDOW;
    SBL_ALLOC(records->window, window + SBL_JSON_PADDING, "a table");
    records->window_size = window;
    SBL_ALLOC(records->places, records->place_count, "a table");
    for (size_t i = 0; i < records->place_count; i++) records->places[i] = NOWHERE;
    if (gathers && !sbl_strings_reserve(names, MOST_NAMES))
        SBL_TRY(sbl_no_memory(err, "the names of columns"));
    SBL_TRY(pass_beginning(records, err));
done:
    return status;
}

void sbl_json_records_close(sbl_json_records *records)
{
    sbl_free_wiped(records->window, records->window_size);
    sbl_free_wiped(records->texts, records->capacity);
    sbl_free(records->places);
    sbl_byte_source_free(records->source);
    *records = (sbl_json_records){0};
}
