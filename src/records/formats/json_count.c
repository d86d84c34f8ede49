/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the records of a JSON table by where they end (json_reader.h), without their cells: lines, or what commas
 * separate in an array outside of brackets and strings. The ends are those of sbl_json_step() (json_string.h), which
 * the tests compare on hostile bytes. */
#include <string.h>

#include "records/formats/json_string.h"

static uint64_t count_lines(const char *p, const char *end)
{
    uint64_t lines = 0;
    for (; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) lines++;
    return lines;
}

static sbl_status count_all_lines(uint64_t *rows, sbl_json_records *records, sbl_progress_listener *listener,
                                  sbl_error *err)
{
    char last = '\n';
    while (sbl_json_has_byte(records)) {
        *rows += count_lines(records->window + records->at, records->window + records->end);
        last = records->window[records->end - 1];
        records->at = records->end;
        SBL_CHECK(sbl_report_rows_read(listener, *rows, err));
    }
    *rows += last != '\n'; /* only the line end that ends the file starts no row */
    return records->failure;
}

/* Past the string that is open, or to the end of what is in the window. */
static const char *pass_string(sbl_json_records *records, const char *p, const char *end)
{
    for (; p < end; p++) {
        if (records->escaped) {
            records->escaped = false;
        } else if (*p == '\\') {
            records->escaped = true;
        } else if (*p == '"') {
            records->in_string = false;
            return p + 1;
        }
    }
    return end;
}

/* To the end of an element: its comma, or the bracket of the array. NULL: it is not in the window. */
static const char *find_end(sbl_json_records *records, const char *p, const char *end)
{
    while (p < end) {
        if (records->in_string) {
            p = pass_string(records, p, end);
            continue;
        }
        switch (*p) {
        case ',':
            if (records->depth == 0) return p;
            break;
        case ']':
            if (records->depth == 0) return p;
            records->depth--;
            break;
        case '}':
            if (records->depth > 0) records->depth--;
            break;
        case '{':
        case '[':
            records->depth++;
            break;
        case '"':
            records->in_string = true;
            break;
        default:
            break;
        }
        p++;
    }
    return NULL;
}

static sbl_status count_elements(uint64_t *rows, sbl_json_records *records, sbl_progress_listener *listener,
                                 sbl_error *err)
{
    bool begun = false; /* the record at hand has a byte */
    while (!records->closed) {
        if (!sbl_json_has_byte(records)) return sbl_json_fail_open(records, begun, err);
        const char *end = find_end(records, records->window + records->at, records->window + records->end);
        begun = true;
        if (end == NULL) {
            records->at = records->end;
            SBL_CHECK(sbl_report_rows_read(listener, *rows, err));
            continue;
        }
        records->at = (size_t)(end - records->window) + 1;
        ++*rows;
        begun = false;
        if (*end == ']') SBL_CHECK(sbl_json_close_array(records, err));
    }
    return records->failure;
}

sbl_status sbl_json_count(uint64_t *rows, sbl_json_records *records, sbl_progress_listener *listener,
                          sbl_error *err)
{
    *rows = 0;
    records->err = err;
    return records->is_array ? count_elements(rows, records, listener, err)
                             : count_all_lines(rows, records, listener, err);
}
