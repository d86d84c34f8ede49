/* SPDX-License-Identifier: Apache-2.0 */
/* [1] and [2] The records of a handle (data_source.h) as a stream of encoded batches. Every source has
 * public facts, can be read once from beginning to end, and again after a rewind. Memory does not grow with
 * the number of records, except where the rows of a person are put together (records/persons).
 *
 * A new kind of source is one file with one table of functions. */
#ifndef SBL_SOURCE_SOURCE_H
#define SBL_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/siphash.h"
#include "public/rows/encoded_records.h"
#include "public/rows/text_cell.h"
#include "public/schema/probe.h"
#include "records/source/data_source.h"

typedef struct sbl_source sbl_source;

typedef struct sbl_source_kind {
    /* The next records into source->batch; batch.rows = 0: there are no more. */
    sbl_status (*read)(sbl_source *source, sbl_error *err);
    /* The next batches, which are ready together; 0: the end. NULL: they come one by one. */
    sbl_status (*read_wave)(sbl_source *source, const sbl_records **batches, size_t *count, sbl_error *err);
    /* To the first record again. SBL_EARG for a stream that cannot be read twice; SBL_EINPUT when it
     * is seen that the data is not what it was. */
    sbl_status (*rewind)(sbl_source *source, sbl_error *err);
    void (*close)(sbl_source *source); /* wipes; source->state may be half made */
    /* How many records a reading gives, without encoding them; the source stands where it did. NULL: they are read. */
    sbl_status (*count)(uint64_t *records, sbl_source *source, sbl_error *err);
} sbl_source_kind;

struct sbl_source {
    const sbl_source_kind *kind;
    char *name;             /* for messages */
    const sbl_facts *facts; /* borrowed */
    uint64_t count;         /* records, where the container says so; 0: known at the end. Public under
                      * replace-one only */
    bool can_rewind;        /* false: standard input, a pipe */
    bool working;           /* an empty batch is not the end: there is work before the first record, which
                      * is done in pieces so that the caller can stop */
    sbl_records batch;
    void *state;
};

/* The records of a handle, from the first on; of linked tables, whole persons. data is borrowed until the source is closed.
 * In/out:  facts   of a table, those of its schema; of images, where what they are is publicly declared, they come from
 *                  the container and are cleared by the caller, after the source
 * In:      notice  (may be NULL) is called once for each column of the table that the schema does not name
 * Returns: SBL_OK, SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_source_open(sbl_source **source, sbl_data *data, sbl_facts *facts,
                           void (*notice)(void *context, const char *name), void *context, sbl_error *err);

/* A table without a schema: its cells as answers to probes (public/schema/probe.h), one code for each
 * column that is looked at; or, if SBL_PROBE_TEXT is asked of some columns and nothing of the others, the
 * texts that can be a category (records/rows/probe_cell.h). The facts are those of
 * sbl_probe_schema(probes, names); data and probes (one for each name) are borrowed. It is read once: other probes
 * need another source. */
sbl_status sbl_source_open_probes(sbl_source **source, const sbl_data *data, const sbl_probe *probes,
                                  const sbl_facts *facts, sbl_error *err);
/* The names of its columns, which are public; sbl_strings_clear(). dialect: how the table
 * is written, with a header, in; out, with the end of the header's line; of sbl_source_open_probes that of
 * the facts' schema. */
sbl_status sbl_source_read_names(sbl_strings *names, sbl_dialect *dialect, const sbl_data *data,
                                 sbl_error *err);

/* Encoded records in memory, borrowed until the source is closed: as sbl_records says, any number
 * of rows. */
sbl_status sbl_source_open_memory(sbl_source **source, const sbl_records *records, const char *name,
                                  const sbl_facts *facts, sbl_error *err);

/* The rows of a table with a unit, grouped by person: a record is a whole person (sbl_records.events),
 * with its first k = rows_per_unit rows in the order of reading, sorted by the schema's column of order
 * where it has one. rows is taken, also on failure, and is at its beginning.
 *
 * One extra reading counts the rows of each person. A stream that can be read only once is held in memory
 * instead, as far as its rows count. Then the rows of a person wait in memory until the last one that
 * counts has come. So memory holds the persons, and the rows of those who are not complete: at most k rows
 * if the rows of each person follow each other, and at worst all rows that count. What is kept of a
 * person, and when it is given, does not depend on what another person's rows hold. */
sbl_status sbl_source_open_persons(sbl_source **source, sbl_source *rows, sbl_error *err);
/* Linked tables (facts of them, a handle of sbl_data_link()) as whole persons: a root row with all rows
 * that refer to it (linked_rows.h). Each table is read once; what counts of its rows stays in memory. */
sbl_status sbl_source_open_linked(sbl_source **source, const sbl_data *data, const sbl_facts *facts,
                                  void (*notice)(void *context, const char *name), void *context,
                                  sbl_error *err);
/* For a table with a unit whose rows were not read yet: ids are hashed with this key, instead of one for
 * this reading alone, so that all processes that read shards of one table agree. */
sbl_status sbl_source_share_unit_key(sbl_source *source, const uint8_t key[SBL_SIPHASH_KEY_SIZE],
                                     sbl_error *err);
/* The shard of a person by that hash, from 0. Rows without a person are in shard 0. */
static inline uint64_t sbl_part_of_unit(sbl_unit_tag tag, uint64_t parts) { return tag.low % parts; }
/* The rows of the persons in shard `number`, from 0, of the given number of shards, by that hash; rows is
 * taken, also on failure. All rows of a person are in one shard, and rows without a person are in the
 * first. */
sbl_status sbl_source_open_part(sbl_source **source, sbl_source *rows, uint64_t number, uint64_t parts,
                                sbl_error *err);
/* The most bytes for each person, and for each row that waits; and for n rows, of any persons and in any
 * order. */
typedef struct sbl_person_bytes {
    double person, row, all;
} sbl_person_bytes;
sbl_person_bytes sbl_source_person_bytes(const sbl_facts *facts, uint64_t n);

/* The bytes that reading a CSV file takes with this number of threads, beyond those of one thread, at most. */
size_t sbl_source_lane_bytes(const sbl_facts *facts, size_t threads);

/* batch is valid until the next call.
 * Privacy: records. */
sbl_status sbl_source_read(sbl_source *source, const sbl_records **batch, sbl_error *err);
/* The next batches in the order of the records, for threads that share the work on them; count 0 is an empty batch.
 * They are valid until the next call.
 * Privacy: records. */
sbl_status sbl_source_read_wave(sbl_source *source, const sbl_records **batches, size_t *count,
                                sbl_error *err);
sbl_status sbl_source_rewind(sbl_source *source, sbl_error *err);
/* How many records there are, of a source that is at its first one, where it is left. A table that gives another
 * number to a later reading of this source fails there: what was counted is what is summed.
 * Privacy: their number, which must be public. */
sbl_status sbl_source_count(uint64_t *records, sbl_source *source, sbl_error *err);
void sbl_source_close(sbl_source *source); /* NULL is fine */

/* For the kinds: a source of that name with `size` bytes of state, all zero; 0: the caller has some. On failure, too, it is handed to
 * sbl_source_opened(), which closes one that could not be opened and returns the status. */
sbl_status sbl_source_new(sbl_source **source, const sbl_source_kind *kind, size_t size, const char *name,
                          const sbl_facts *facts, sbl_error *err);
sbl_status sbl_source_opened(sbl_source **source, sbl_status status);

/* The kinds that a handle can become, by what it holds; `from` and `place` are borrowed until the source is closed. */
struct sbl_table;
struct sbl_image_place;
sbl_status sbl_source_open_rows(sbl_source **source, const struct sbl_table *from, const sbl_facts *facts,
                                void (*notice)(void *context, const char *name), void *context,
                                sbl_error *err);
/* The same of one of several tables that are linked. */
typedef struct sbl_row_reading {
    void (*notice)(void *context, const char *name); /* may be NULL */
    void *context;
    const uint8_t *unit_key; /* of the tags, which several tables share; borrowed. NULL: its own */
    bool with_keys;          /* rows say their own keys, too: */
    size_t key_column;       /* this column of the schema */
} sbl_row_reading;
sbl_status sbl_source_open_keyed_rows(sbl_source **source, const struct sbl_table *from,
                                      const sbl_facts *facts, const sbl_row_reading *reading, sbl_error *err);
sbl_status sbl_source_open_images(sbl_source **source, sbl_facts *facts, const struct sbl_image_place *place,
                                  bool balanced, sbl_error *err);

/* How a file looks, to tell whether it is still the same: its place, size and time. */
typedef struct sbl_file_stamp {
    struct stat seen;
    bool taken;
} sbl_file_stamp;
sbl_file_stamp sbl_file_stamp_read(const char *path);                    /* NULL: there is nothing to see */
bool sbl_file_stamp_equal(const sbl_file_stamp *look, const char *path); /* one that was not taken: yes */

#endif
