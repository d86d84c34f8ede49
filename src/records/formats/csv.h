/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the CSV format. Rows in: a table, plain or gzip, as a stream of typed batches. Memory does
 * not grow with the number of rows.
 *
 * There are two kinds of bad input. A bad container (gzip data, header, columns) is refused with one line.
 * Bad content of a record never is. A cell that cannot be read is missing if its column may be empty;
 * otherwise it becomes the column's public constant (the midpoint of the bounds, category 0). A value that
 * is not a category becomes the declared `other`, if there is one. Numbers are clamped to their bounds, and
 * a row is never dropped. So every byte string is some table, and one record changes one row.
 *
 * Rows are the RFC 4180 records after the header line, whatever their length. Line ends are LF or CRLF; a
 * byte order mark is skipped. A quote at the start of a cell opens it, and the next quote that is not
 * doubled closes it. In between, commas and line ends are characters; anywhere else a quote is a character.
 * So where a record ends depends on its own bytes alone, and records that are put one after the other are
 * read as exactly these records. Every line is a row, even an empty one: in a table of one column it holds
 * an empty cell, otherwise it has too few cells. Only the line end that ends the file starts no row.
 * Missing cells cannot be read, and cells beyond the header's are skipped. In a record longer than 1 MiB no
 * cell can be read. A file that ends inside a quoted cell is not a sequence of records: its container is
 * bad. Blanks around a cell count only if a category has them. */
#ifndef SBL_FORMATS_CSV_H
#define SBL_FORMATS_CSV_H

#include "base/byte_source.h"
#include "records/formats/diagnose.h"
#include "records/rows/cell_decode.h"
#include "records/rows/unit_id.h"

/* Bytes past the end of the data that may be read (words are loaded eight bytes at a time). */
#define SBL_CSV_PADDING 16

typedef struct sbl_csv_reader sbl_csv_reader;

/* buffer[0 .. end) is data; buffer[end] is always a line feed, so that scans stop there, and a
 * record that seems to stop at end is incomplete unless the source is exhausted. */
struct sbl_csv_reader {
    sbl_byte_source *source;
    const sbl_schema *schema;
    const uint8_t *unit_key; /* NULL: whose row it is, is not asked */
    char delimiter;          /* of the schema's dialect */
    char quote;
    char comment;      /* 0: none */
    unsigned titles;   /* lines above the header */
    bool header;       /* the first line holds names */
    bool crlf;         /* and it ends with "\r\n" */
    sbl_field *fields; /* in the order of the file */
    size_t field_count;

    char *buffer;
    size_t capacity; /* of data; SBL_CSV_PADDING more is allocated */
    size_t start;    /* of the next record */
    size_t end;
    bool exhausted;
    size_t record_limit;
    size_t chunk;
    bool chunk_given; /* ranges are as long, too */
    char *scratch;    /* quoted cells without their doubled quotes; record_limit and padding */
    size_t kept;      /* of scratch: used by earlier cells of the row, which stay good */

    sbl_cell *cells; /* (field_count) where there is no schema: the row as it is. Else NULL */

    struct sbl_csv_ranges *ranges; /* NULL: nothing was read by ranges yet */

    sbl_diagnosis *diagnosis; /* NULL unless asked for */
    uint8_t *row_faults;      /* of the row at hand, in the batch; NULL where it keeps none */
    bool few_cells;
    bool extra_cells;
};

/* A cell's text: in the buffer or in scratch, followed by padding. */
typedef struct sbl_csv_cell {
    const char *text;
    size_t length;
    bool malformed; /* characters after the closing quote */
} sbl_csv_cell;

/* The first delimiter or line feed at or after p. */
static inline const char *sbl_csv_delimiter(const char *p, char delimiter)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = UINT64_C(0x8080808080808080);
    for (;; p += 8) {
        const uint64_t word = sbl_load_word(p);
        const uint64_t comma = word ^ (ones * (unsigned char)delimiter);
        const uint64_t feed = word ^ (ones * '\n');
        /* The lowest bit set marks the first zero byte of either (higher ones may be false). */
        const uint64_t found = (((comma - ones) & ~comma) | ((feed - ones) & ~feed)) & highs;
        if (found != 0) return p + (unsigned)__builtin_ctzll(found) / 8;
    }
}

/* An unquoted cell; returns what ends it, a delimiter or a line feed. */
static inline const char *sbl_csv_plain_cell(sbl_csv_cell *cell, const char *p, char sign)
{
    const char *delimiter = sbl_csv_delimiter(p, sign);
    const char *last = delimiter;
    if (*delimiter == '\n' && last > p && last[-1] == '\r') last--;
    cell->text = p;
    cell->length = (size_t)(last - p);
    cell->malformed = false;
    return delimiter;
}

/* A cell that starts with a quote, which p points to; NULL when it is not closed in the buffer. */
const char *sbl_csv_quoted_cell(sbl_csv_cell *cell, const char *p, const sbl_csv_reader *reader);

/* Any cell. */
static inline const char *sbl_csv_cell_at(sbl_csv_cell *cell, const char *p, const sbl_csv_reader *reader)
{
    return *p == reader->quote ? sbl_csv_quoted_cell(cell, p, reader)
                               : sbl_csv_plain_cell(cell, p, reader->delimiter);
}

/* The state of a scan. */
typedef enum sbl_csv_place {
    SBL_CSV_CELL_START = 0, /* a quote here opens a quoted cell */
    SBL_CSV_PLAIN,          /* in an unquoted cell, or after a closing quote: quotes are characters */
    SBL_CSV_QUOTED,         /* commas and line ends are characters */
    SBL_CSV_QUOTE           /* after a quote in a quoted cell: another one doubles it, anything else
                       follows the cell's end */
} sbl_csv_place;

/* A record looked at for its end alone, piece by piece: at its first byte but for the signs. */
typedef struct sbl_csv_scan {
    char delimiter;
    char quote;
    sbl_csv_place place;
    bool odd_quote;     /* a quote where a program that quotes as the standard says writes none */
    bool several_lines; /* a line end inside a quoted cell */
    /* For a record too long to be read: the cells that name its person and its own key are still kept. */
    struct {
        sbl_unit_id *id;
        size_t cell; /* its number */
    } ids[2];
    size_t id_count; /* 0: not asked for */
    size_t cell;     /* of the scan */
    bool quoted;     /* the cell of the scan began with a quote */
    bool carriage;   /* a CR that is the line end's, or the id's */
} sbl_csv_scan;

/* Go on from p. Returns the line feed that ends the record, or end when it does not end before. */
const char *sbl_csv_scan_piece(sbl_csv_scan *scan, const char *p, const char *end);

/* Where the fault of a cell of the row at hand is kept; NULL: nowhere. */
static inline uint8_t *sbl_csv_fault(const sbl_csv_reader *reader, const sbl_field *field)
{
    return reader->row_faults != NULL ? reader->row_faults + field->index : NULL;
}

/* Read the record at reader->start into row; *found is false at the end of the table. */
sbl_status sbl_csv_next_row(sbl_csv_reader *reader, sbl_batch *batch, size_t row, bool *found,
                            sbl_error *err);

/* The file ended inside a quoted cell: SBL_EINPUT. */
sbl_status sbl_csv_fail_open_quote(const sbl_csv_reader *reader, sbl_error *err);

/* Finds the ends of records by their quotes, delimiters and line feeds (csv_count.c). A scan begins at the first byte of a record,
 * with before = '\n', or elsewhere with the state that is known there, and goes on over consecutive pieces of the file. */
typedef struct sbl_csv_ends {
    char delimiter, quote;
    bool quoted;  /* in a quoted cell */
    bool closing; /* and its last byte was a quote: another one doubles it, anything else follows the cell */
    char before;  /* the last byte outside of a quoted cell */
    uint64_t records;  /* ends so far */
    const char *first; /* past the first end of the last piece; NULL: it has none */
    const char *last;  /* past the last one, likewise */
} sbl_csv_ends;

void sbl_csv_pass(sbl_csv_ends *ends, const char *p, const char *end);

/* How many records there are from start on, by their ends alone (csv_count.c).
 * In:      listener  as of a table; NULL: none
 * Returns: as sbl_csv_next_row() until its last row */
sbl_status sbl_csv_count(uint64_t *rows, sbl_csv_reader *reader, sbl_progress_listener *listener,
                         sbl_error *err);

/* Fills `count` batches with consecutive rows, by all threads, from ranges of the file (csv_ranges.c). The rows and their
 * order are those of sbl_csv_next_row(). A batch may be empty; the first one is empty only at the end. done() is called for each
 * batch by the thread that filled it. `count` is the same in every call.
 * Returns: as sbl_csv_next_row() */
typedef struct sbl_csv_ranges sbl_csv_ranges;
sbl_status sbl_csv_read_many(sbl_csv_reader *reader, sbl_batch *const *batches, size_t count,
                             void (*done)(void *context, size_t batch), void *context, sbl_error *err);
void sbl_csv_ranges_free(sbl_csv_ranges *ranges); /* wipes; NULL is fine */
/* sbl_csv_count() by `count` threads. */
sbl_status sbl_csv_count_many(uint64_t *rows, sbl_csv_reader *reader, size_t count,
                              sbl_progress_listener *listener, sbl_error *err);
#define SBL_CSV_THREAD_RANGES ((size_t)1 << 20) /* bytes that each thread reads at a time, in some ranges */
/* Up to batch->capacity rows by one thread. */
sbl_status sbl_csv_read_rows(sbl_csv_reader *reader, sbl_batch *batch, sbl_error *err);

/* Move the record at start to the front of the buffer and read up to one chunk more. */
sbl_status sbl_csv_refill(sbl_csv_reader *reader, sbl_error *err);

/* Begin to read: to the header of whatever file this is, past title lines and comments. */
sbl_status sbl_csv_reach_header(sbl_csv_reader *reader, sbl_error *err);

/* The names of the header, for a table without a schema; without a header, as many empty ones as the first record
 * has cells. */
sbl_status sbl_csv_read_names(sbl_csv_reader *reader, sbl_strings *names, sbl_error *err);

/* Match the file's header with the schema: fields, container faults, notices. */
sbl_status sbl_csv_read_header(sbl_csv_reader *reader, const sbl_table_options *options, sbl_error *err);

/* How a file seems to be written, from its beginning: encoding, delimiter, header. What was given stands, the
 * rest is found out. For its owner to look at; NOT PRIVATE. */
sbl_status sbl_sniff_table(sbl_dialect *dialect, const sbl_table *table, const sbl_data_options *given,
                           sbl_error *err);

#endif
