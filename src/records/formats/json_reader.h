/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to JSON tables (table.h): the records of a file one after the other, and the cells of each.
 *
 * In JSON Lines a record is a line, whatever it holds. In an array, commas separate the records, except in
 * strings and open brackets. So the end of a record depends on its own bytes, as long as it closes what it
 * opens. A record that is not a JSON object is a row without a readable cell. A value that is an object or
 * an array cannot be read. A name that a record lacks is missing; if a name occurs twice, the last value
 * counts.
 *
 * Bytes pass through a small window: a record may have any length. Only the texts of requested cells are
 * kept, at most SBL_JSON_MOST_TEXTS bytes; texts beyond that cannot be read. */
#ifndef SBL_FORMATS_JSON_READER_H
#define SBL_FORMATS_JSON_READER_H

#include "base/byte_source.h"
#include "records/rows/table.h"

#define SBL_JSON_MOST_TEXTS ((size_t)64 << 20)
#define SBL_JSON_PADDING 16     /* bytes past the window that can be read */
#define SBL_JSON_MOST_DEPTH 100 /* of brackets in a record; a deeper one is not read as JSON */

/* Zero-initialise; sbl_json_records_close().   Privacy: holds a record. */
typedef struct sbl_json_records {
    sbl_byte_source *source;
    bool is_array;
    /* (window_size, then SBL_JSON_PADDING): the bytes from `at` to `end` are still to be read, and a NUL follows. */
    char *window;
    size_t window_size, at, end;
    bool exhausted; /* the window holds the last bytes */
    bool closed;    /* the array was: nothing but blanks may follow */
    /* Of the record at hand: how many brackets are open, and is a string? */
    size_t depth;
    bool in_string, escaped;
    /* Its texts, one after the other. */
    char *texts;
    size_t used, capacity;
    bool overflowed; /* the text at hand has not all its bytes */
    /* What is looked for, and where each name of the record before was found. */
    sbl_strings *names; /* borrowed */
    bool gathers;       /* names that are not known are added. NOT PRIVATE */
    size_t *places;     /* (place_count), by position in the record; NOWHERE */
    size_t place_count;
    sbl_status failure; /* of reading or memory */
    sbl_error *err;
} sbl_json_records;

/* In:      source   taken, also on failure
 *          names    looked for, borrowed; with `gathers` empty, and what is found is added
 *          window   bytes read at a time; 0: 256 KiB. Has no influence on what is read
 * Returns: SBL_OK; SBL_EINPUT: no array where one should be; SBL_EIO, SBL_EMEM */
sbl_status sbl_json_records_open(sbl_json_records *records, sbl_byte_source *source, bool is_array,
                                 sbl_strings *names, bool gathers, size_t window, sbl_error *err);
/* The next record.
 * Out:     cells  (names) good until the next call; NULL: not wanted
 *          more   false: there are no more
 * Returns: SBL_OK; SBL_EINPUT: the array does not end where it should; SBL_EIO, SBL_EMEM */
sbl_status sbl_json_records_next(sbl_json_records *records, sbl_cell *cells, bool *more, sbl_error *err);
/* How many records there are from the first on, by their ends alone (json_count.c).
 * In:      listener  as of a table; NULL: none
 * Returns: as sbl_json_records_next() until the last one */
sbl_status sbl_json_count(uint64_t *rows, sbl_json_records *records, sbl_progress_listener *listener,
                          sbl_error *err);
void sbl_json_records_close(sbl_json_records *records); /* wipes, the source too */

#endif
