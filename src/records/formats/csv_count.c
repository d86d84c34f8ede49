/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the records of a CSV file by where they end, without their cells. A quote counts only where it opens a cell
 * or is in one that is open, so between quotes nothing but line feeds is looked for, many bytes at a time. The ends
 * are those of sbl_csv_scan_piece() (csv.c), which the tests compare on hostile bytes. */
#include <string.h>

#include "records/formats/csv.h"

#define FEED_BLOCK 128 /* bytes: their line feeds fit a uint8_t */

/* Between two pieces of a file. */
typedef struct record_count {
    char delimiter, quote;
    bool quoted;  /* in a quoted cell */
    bool closing; /* and its last byte was a quote: another one doubles it, anything else follows the cell */
    char before;  /* the last byte outside of a quoted cell; a line feed before the first record */
    uint64_t feeds;
} record_count;

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
static const char *pass_quoted(record_count *count, const char *p, const char *end)
{
    const char *quote = memchr(p, count->quote, (size_t)(end - p));
    count->closing = quote != NULL;
    return quote != NULL ? quote + 1 : end;
}

/* Up to the next quote, which opens a cell if a delimiter or a line feed comes before it. */
static const char *pass_plain(record_count *count, const char *p, const char *end)
{
    const char *quote = memchr(p, count->quote, (size_t)(end - p));
    const char *stop = quote != NULL ? quote : end;
    count->feeds += count_feeds(p, stop);
    if (stop > p) count->before = stop[-1];
    if (quote == NULL) return end;
    count->quoted = count->before == count->delimiter || count->before == '\n';
    count->before = count->quote;
    return quote + 1;
}

static void count_piece(record_count *count, const char *p, const char *end)
{
    while (p < end) {
        if (count->closing) {
            count->closing = false;
            count->quoted = *p == count->quote;
            if (count->quoted) p++;
        } else {
            p = count->quoted ? pass_quoted(count, p, end) : pass_plain(count, p, end);
        }
    }
}

sbl_status sbl_csv_count(uint64_t *rows, sbl_csv_reader *reader, sbl_progress_listener *listener,
                         sbl_error *err)
{
    record_count count = {.delimiter = reader->delimiter, .quote = reader->quote, .before = '\n'};
    for (;;) {
        count_piece(&count, reader->buffer + reader->start, reader->buffer + reader->end);
        reader->start = reader->end;
        if (reader->exhausted) break;
        SBL_CHECK(sbl_report_rows_read(listener, count.feeds, err));
        SBL_CHECK(sbl_csv_refill(reader, err));
    }
    if (count.quoted && !count.closing) return sbl_csv_fail_open_quote(reader, err);
    /* The line end that ends the file starts no row. */
    *rows = count.feeds + (count.before != '\n' || count.closing);
    return SBL_OK;
}
