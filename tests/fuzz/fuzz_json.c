/* SPDX-License-Identifier: Apache-2.0 */
/* JSON tables: the first byte says whether the rest is an array or lines. Any bytes are refused with one line or read as so
 * many records as the grammar of records/formats/json_reader.h finds, whatever the size of the window; a line that Jansson reads as an object has
 * the cells that Jansson finds. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "records/formats/json_reader.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())
#define NAMES 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many elements an array has, told byte by byte; -1: it is none, or does not end where the bytes do. */
static long reference_elements(const char *p, const char *end)
{
    long count = 0, depth = 0;
    bool in_string = false, any = false;
    for (const char *mark = "\xef\xbb\xbf"; p < end && *mark != '\0' && *p == *mark; mark++) p++;
    while (p < end && strchr(" \t\r\n", *p) != NULL && *p != '\0') p++;
    if (p == end || *p++ != '[') return -1;
    for (; p < end; p++) {
        const bool blank = *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n';
        if (in_string) {
            if (*p == '\\' && p + 1 < end)
                p++;
            else if (*p == '"')
                in_string = false;
            continue;
        }
        if (depth == 0 && *p == ']') break;
        any = any || !blank;
        in_string = *p == '"';
        if (depth == 0 && *p == ',') count++;
        depth += *p == '{' || *p == '[';
        depth -= (*p == '}' || *p == ']') && depth > 0;
    }
    if (p == end) return -1;
    for (p++; p < end; p++)
        if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') return -1;
    return any ? count + 1 : 0;
}

static long reference_lines(const char *p, const char *end)
{
    long count = 0;
    for (const char *mark = "\xef\xbb\xbf"; p < end && *mark != '\0' && *p == *mark; mark++) p++;
    for (; p < end; count++) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        p = line != NULL ? line + 1 : end;
    }
    return count;
}

/* The deepest bracket: beyond a limit of ours Jansson still reads. */
static int depth_of(const json_t *value)
{
    int deepest = 0;
    size_t i;
    const char *key;
    json_t *inside;
    if (json_is_array(value)) json_array_foreach(value, i, inside)
        {
            const int depth = depth_of(inside);
            deepest = depth > deepest ? depth : deepest;
        }
    json_object_foreach((json_t *)value, key, inside)
    {
        const int depth = depth_of(inside);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + (json_is_array(value) || json_is_object(value));
}

static void check_cell(const sbl_cell *cell, const json_t *value)
{
    char digits[32];
    if (value == NULL || json_is_null(value)) {
        CHECK(cell->sort == SBL_CELL_IS_MISSING);
    } else if (json_is_string(value)) {
        CHECK(cell->sort == SBL_CELL_IS_TEXT && cell->length == json_string_length(value));
        CHECK(memcmp(cell->text, json_string_value(value), cell->length) == 0);
    } else if (json_is_boolean(value)) {
        CHECK(cell->sort == SBL_CELL_IS_TRUTH && cell->whole == json_is_true(value));
    } else if (json_is_integer(value)) {
        if (cell->sort == SBL_CELL_IS_INTEGER) {
            CHECK(cell->whole == json_integer_value(value));
        } else {
            CHECK(cell->sort == SBL_CELL_IS_DECIMAL && cell->length < sizeof digits);
            memcpy(digits, cell->text, cell->length);
            digits[cell->length] = '\0';
            CHECK(strtoll(digits, NULL, 10) == json_integer_value(value));
        }
    } else if (json_is_real(value)) {
        CHECK(cell->sort == SBL_CELL_IS_DECIMAL);
    } else {
        CHECK(cell->sort == SBL_CELL_IS_UNREADABLE);
    }
}

/* The line at p against Jansson; returns the next one. */
static const char *check_line(const char *p, const char *end, const sbl_cell *cells, const sbl_strings *names)
{
    const char *line = memchr(p, '\n', (size_t)(end - p));
    const size_t length = (size_t)((line != NULL ? line : end) - p);
    json_t *object = json_loadb(p, length, JSON_ALLOW_NUL, NULL);
    if (json_is_object(object) && depth_of(object) <= SBL_JSON_MOST_DEPTH)
        for (size_t i = 0; i < names->count; i++)
            check_cell(&cells[i], json_object_get(object, names->items[i]));
    json_decref(object);
    return line != NULL ? line + 1 : end;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static uint64_t fold(uint64_t digest, const sbl_cell *cell)
{
    digest = mix(digest, &cell->sort, sizeof cell->sort);
    digest = mix(digest, &cell->whole, sizeof cell->whole);
    return cell->length > 0 ? mix(digest, cell->text, cell->length) : digest;
}

/* Reads all of it; the number of records, or -1. */
static long read_all(uint64_t *digest, const char *bytes, size_t size, bool is_array, size_t window,
                     sbl_strings *names)
{
    sbl_json_records records = {0};
    sbl_byte_source *source = NULL;
    sbl_cell cells[NAMES];
    sbl_error err = {0};
    bool more = true;
    long rows = 0;
    const char *line = bytes, *end = bytes + size;
    for (const char *mark = "\xef\xbb\xbf"; line < end && *mark != '\0' && *line == *mark; mark++) line++;
    CHECK(sbl_byte_source_open_memory(&source, bytes, size, "input", NULL) == SBL_OK);
    sbl_status status = sbl_json_records_open(&records, source, is_array, names, false, window, &err);
    for (*digest = 0; status == SBL_OK && more;) {
        status = sbl_json_records_next(&records, cells, &more, &err);
        if (status != SBL_OK || !more) break;
        for (size_t i = 0; i < NAMES; i++) *digest = fold(*digest, &cells[i]);
        if (!is_array) line = check_line(line, end, cells, names);
        rows++;
    }
    CHECK(status == SBL_OK || (status == SBL_EINPUT && strpbrk(err.message, "\r\n") == NULL));
    sbl_json_records_close(&records);
    return status == SBL_OK ? rows : -1;
}

/* Counts them without their cells; -1. */
static long count_all(const char *bytes, size_t size, bool is_array, size_t window)
{
    sbl_json_records records = {0};
    sbl_byte_source *source = NULL;
    sbl_strings none = {0};
    uint64_t rows = 0;
    CHECK(sbl_byte_source_open_memory(&source, bytes, size, "input", NULL) == SBL_OK);
    sbl_status status = sbl_json_records_open(&records, source, is_array, &none, false, window, NULL);
    if (status == SBL_OK) status = sbl_json_count(&rows, &records, NULL, NULL);
    sbl_json_records_close(&records);
    return status == SBL_OK ? (long)rows : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t windows[] = {1024, 1, 7, 64};
    sbl_strings names = {0};
    uint64_t first = 0, digest = 0;
    if (size < 1) return 0;
    const char *bytes = (const char *)data + 1, *end = (const char *)data + size;
    const bool is_array = data[0] == 'a';
    if (size > 2 && data[1] == 0x1f && data[2] == 0x8b) return 0; /* gzip: of fuzz_csv */
    CHECK(sbl_strings_reserve(&names, NAMES) && sbl_strings_add(&names, "a") &&
          sbl_strings_add(&names, "b") && sbl_strings_add(&names, "c d"));
    const long expected = is_array ? reference_elements(bytes, end) : reference_lines(bytes, end);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        const long rows = read_all(&digest, bytes, size - 1, is_array, windows[i], &names);
        CHECK(rows == expected);
        CHECK(count_all(bytes, size - 1, is_array, windows[i]) == expected);
        if (i == 0) first = digest;
        CHECK(expected < 0 || digest == first);
    }
    sbl_strings_clear(&names);
    return 0;
}
