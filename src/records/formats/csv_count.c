/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where records end, and counts them, without their cells. A quote counts only where it opens a cell
 * or is in one that is open, so between quotes nothing but line feeds is looked for, many bytes at a time. The ends
 * are those of sbl_csv_scan_piece() (csv.c), which the tests compare on hostile bytes. */
#include <string.h>

#include "records/formats/csv.h"

#define FEED_BLOCK 128 /* bytes: their line feeds fit a uint8_t */

static uint64_t count_feeds(const char *p, const char *end)
{
    uint64_t feeds = 0;
    for (; end - p >= FEED_BLOCK; p += FEED_BLOCK) {
        uint8_t block = 0;
        for (int i = 0; i < FEED_BLOCK; i++) block = (uint8_t)(block + (p[i] == '\n'));
        feeds += block;
    }
    for (; p < end; p++) feeds += *p == '\n';
    return feeds;
}

/* On to the quote that may close the cell. */
static const char *pass_quoted(sbl_csv_ends *ends, const char *p, const char *end)
{
    const char *quote = memchr(p, ends->quote, (size_t)(end - p));
    ends->closing = quote != NULL;
    return quote != NULL ? quote + 1 : end;
}

/* Bytes outside of quoted cells. */
static void count_ends(sbl_csv_ends *ends, const char *p, const char *end)
{
    const uint64_t feeds = count_feeds(p, end);
    if (end > p) ends->before = end[-1];
    if (feeds == 0) return;
    ends->records += feeds;
    if (ends->first == NULL) ends->first = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    while (end[-1] != '\n') end--;
    ends->last = end;
}

/* Up to the next quote, which opens a cell if a delimiter or a line feed comes before it. */
static const char *pass_plain(sbl_csv_ends *ends, const char *p, const char *end)
{
    const char *quote = memchr(p, ends->quote, (size_t)(end - p));
    count_ends(ends, p, quote != NULL ? quote : end);
    if (quote == NULL) return end;
    ends->quoted = ends->before == ends->delimiter || ends->before == '\n';
    ends->before = ends->quote;
    return quote + 1;
}

void sbl_csv_pass(sbl_csv_ends *ends, const char *p, const char *end)
{
    ends->first = ends->last = NULL;
    while (p < end) {
        if (ends->closing) {
            ends->closing = false;
            ends->quoted = *p == ends->quote;
            if (ends->quoted) p++;
        } else {
            p = ends->quoted ? pass_quoted(ends, p, end) : pass_plain(ends, p, end);
        }
    }
}

sbl_status sbl_csv_count(uint64_t *rows, sbl_csv_reader *reader, sbl_progress_listener *listener,
                         sbl_error *err)
{
    sbl_csv_ends ends = {.delimiter = reader->delimiter, .quote = reader->quote, .before = '\n'};
    for (;;) {
        sbl_csv_pass(&ends, reader->buffer + reader->start, reader->buffer + reader->end);
        reader->start = reader->end;
        if (reader->exhausted) break;
        SBL_CHECK(sbl_report_rows_read(listener, ends.records, err));
        SBL_CHECK(sbl_csv_refill(reader, err));
    }
    if (ends.quoted && !ends.closing) return sbl_csv_fail_open_quote(reader, err);
    /* The line end that ends the file starts no row. */
    *rows = ends.records + (ends.before != '\n' || ends.closing);
    return SBL_OK;
}
