/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where a record ends, by RFC 4180 alone: the end depends on no length, on no schema and on nothing
 * that follows. The reader of cells (csv_row.c) finds the same end for records that fit its buffer; this
 * code skips the rest. */
#include <string.h>

#include "records/formats/csv.h"

/* After a closing quote only a delimiter or a line end is in order; a CR counts as the latter's. */
static sbl_csv_place after_quote(sbl_csv_scan *scan, char c)
{
    if (c == scan->quote) return SBL_CSV_QUOTED;
    if (c == scan->delimiter) return SBL_CSV_CELL_START;
    if (c != '\r') scan->odd_quote = true;
    return SBL_CSV_PLAIN;
}

static sbl_csv_place in_plain(sbl_csv_scan *scan, char c)
{
    if (c == scan->delimiter) return SBL_CSV_CELL_START;
    if (c == scan->quote) scan->odd_quote = true;
    return SBL_CSV_PLAIN;
}

/* The CR before a line feed is not part of a cell. */
static void add_plain(sbl_csv_scan *scan, sbl_unit_id *id, char c)
{
    if (scan->carriage) sbl_unit_id_add(id, '\r');
    scan->carriage = c == '\r';
    if (!scan->carriage) sbl_unit_id_add(id, c);
}

/* The id that the cell of the scan is; NULL: none. */
static sbl_unit_id *id_here(const sbl_csv_scan *scan)
{
    for (size_t i = 0; i < scan->id_count; i++)
        if (scan->ids[i].cell == scan->cell) return scan->ids[i].id;
    return NULL;
}

/* The bytes that the reader of cells would find in a cell that says whose row it is, or which. */
static void take_id(sbl_csv_scan *scan, sbl_csv_place was, char c)
{
    sbl_unit_id *id = id_here(scan);
    if (was != SBL_CSV_QUOTED && c == scan->delimiter) {
        if (id != NULL && scan->carriage) sbl_unit_id_add(id, '\r');
        scan->carriage = scan->quoted = false;
        scan->cell++;
        return;
    }
    if (was == SBL_CSV_CELL_START) scan->quoted = c == scan->quote;
    if (id == NULL) return;
    if (!scan->quoted)
        add_plain(scan, id, c);
    else if (was == SBL_CSV_QUOTED ? c != scan->quote : was == SBL_CSV_QUOTE && c == scan->quote)
        sbl_unit_id_add(id, c);
}

const char *sbl_csv_scan_piece(sbl_csv_scan *scan, const char *p, const char *end)
{
    for (; p < end; p++) {
        const sbl_csv_place was = scan->place;
        if (scan->place == SBL_CSV_QUOTED) {
            if (*p == scan->quote) scan->place = SBL_CSV_QUOTE;
            if (*p == '\n') scan->several_lines = true;
        } else if (*p == '\n') {
            return p;
        } else if (scan->place == SBL_CSV_QUOTE) {
            scan->place = after_quote(scan, *p);
        } else if (scan->place == SBL_CSV_CELL_START && *p == scan->quote) {
            scan->place = SBL_CSV_QUOTED;
        } else {
            scan->place = in_plain(scan, *p);
        }
        if (scan->id_count != 0) take_id(scan, was, *p);
    }
    return end;
}

/* ---- quoted cells ---- */

/* The rest of a quoted cell after its first doubled quote: copied without the doubling. */
static const char *unescape(sbl_csv_cell *cell, const char *text, const char *quote,
                            const sbl_csv_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    char *scratch = reader->scratch + reader->kept;
    const size_t most = reader->record_limit - reader->kept;
    size_t length = 0;
    while (quote != NULL) {
        const bool doubled = quote[1] == reader->quote && quote + 1 < end;
        const size_t part = (size_t)(quote - text) + (doubled ? 1 : 0);
        /* Longer than any record: the row will be refused as too long whatever the cell says. */
        if (part > most - length) return NULL;
        memcpy(scratch + length, text, part);
        length += part;
        if (!doubled) {
            cell->text = scratch;
            cell->length = length;
            return quote + 1;
        }
        text = quote + 2;
        quote = memchr(text, reader->quote, (size_t)(end - text));
    }
    return NULL;
}

const char *sbl_csv_quoted_cell(sbl_csv_cell *cell, const char *p, const sbl_csv_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const char *text = p + 1;
    const char *quote = text < end ? memchr(text, reader->quote, (size_t)(end - text)) : NULL;
    if (quote == NULL) return NULL;
    if (quote[1] == reader->quote && quote + 1 < end) {
        p = unescape(cell, text, quote, reader);
        if (p == NULL) return NULL;
    } else {
        cell->text = text;
        cell->length = (size_t)(quote - text);
        p = quote + 1;
    }
    if (*p == '\r' && p[1] == '\n') p++;
    cell->malformed = *p != reader->delimiter && *p != '\n';
    return cell->malformed ? sbl_csv_delimiter(p, reader->delimiter) : p;
}
