/* SPDX-License-Identifier: Apache-2.0 */
/* Everything above the header of a CSV file: refuses other file formats by their first bytes, and skips a byte
 * order mark, title lines and comments. */
#include <string.h>

#include "records/formats/csv.h"

/* Formats that people hand in by mistake, by their first bytes. */
static sbl_status check_magic(sbl_csv_reader *reader, sbl_error *err)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *name;
        bool utf16;
    } formats[] = {{"PK\3\4", 4, "a zip or spreadsheet file", false},
                   {"PAR1", 4, "a Parquet file", false},
                   {"\xff\xfe", 2, "UTF-16 text", true},
                   {"\xfe\xff", 2, "UTF-16 text", true},
                   {"\x28\xb5\x2f\xfd", 4, "a zstd file", false}};
    const char *name = sbl_byte_source_name(reader->source);
    if (reader->end >= 3 && memcmp(reader->buffer, "\xef\xbb\xbf", 3) == 0) reader->start = 3;
    if (reader->start == reader->end) return sbl_fail(err, SBL_EINPUT, "%s is empty", name);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (reader->end >= formats[i].length &&
            memcmp(reader->buffer, formats[i].bytes, formats[i].length) == 0)
            return sbl_fail(err, SBL_EINPUT, "%s is %s: %s", name, formats[i].name,
                            formats[i].utf16
                                ? "set \"encoding\": \"utf-16\" in the schema, or save it as UTF-8"
                                : "save it as CSV");
    return SBL_OK;
}

/* Have the next line in the buffer. feed: what ends it; NULL: the file ends before, or it is longer than
 * a record may be. */
static sbl_status find_line(sbl_csv_reader *reader, const char **feed, sbl_error *err)
{
    for (;;) {
        const size_t left = reader->end - reader->start;
        *feed = memchr(reader->buffer + reader->start, '\n', left);
        if (*feed != NULL || reader->exhausted || left > reader->record_limit) return SBL_OK;
        const sbl_status status = sbl_csv_refill(reader, err);
        if (status != SBL_OK) return status;
    }
}

/* Does the next line begin with the name of a column? */
static bool begins_with_a_name(const sbl_csv_reader *reader)
{
    sbl_csv_cell cell;
    const sbl_schema *schema = reader->schema;
    if (sbl_csv_cell_at(&cell, reader->buffer + reader->start, reader) == NULL) return false;
    for (size_t i = 0; schema != NULL && i < schema->column_count; i++)
        if (strlen(schema->columns[i].name) == cell.length &&
            memcmp(schema->columns[i].name, cell.text, cell.length) == 0)
            return true;
    return false;
}

/* Title lines above the header, as the schema declares them; drawn tables have none. */
static sbl_status skip_titles(sbl_csv_reader *reader, sbl_error *err)
{
    for (unsigned i = 0; i < reader->titles; i++) {
        const char *feed;
        const sbl_status status = find_line(reader, &feed, err);
        if (status != SBL_OK) return status;
        if (feed == NULL || begins_with_a_name(reader)) return SBL_OK;
        reader->start = (size_t)(feed - reader->buffer) + 1;
    }
    return SBL_OK;
}

/* Lines before the header that begin with the comment sign. */
static sbl_status skip_comments(sbl_csv_reader *reader, sbl_error *err)
{
    while (reader->comment != 0) {
        const char *feed;
        const sbl_status status = find_line(reader, &feed, err);
        if (status != SBL_OK) return status;
        if (reader->start < reader->end && reader->buffer[reader->start] != reader->comment) return SBL_OK;
        if (feed == NULL)
            return sbl_fail(err, SBL_EINPUT, "%s contains only comments",
                            sbl_byte_source_name(reader->source));
        reader->start = (size_t)(feed - reader->buffer) + 1;
    }
    return SBL_OK;
}

sbl_status sbl_csv_reach_header(sbl_csv_reader *reader, sbl_error *err)
{
    do { /* four bytes tell what kind of file it is */
        SBL_CHECK(sbl_csv_refill(reader, err));
    } while (reader->end < 4 && !reader->exhausted);
    SBL_CHECK(check_magic(reader, err));
    SBL_CHECK(skip_titles(reader, err));
    return skip_comments(reader, err);
}
