/* [1] and [2] Where records come from: a table or an image set, in a file or in memory, as a stream
 * of encoded batches. Every source has public facts, can be read once from its beginning to its end,
 * and again after a rewind. Memory does not grow with the number of records.
 *
 * A new kind of source is one file with one table of functions. */
#ifndef SBL_SOURCE_SOURCE_H
#define SBL_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/status.h"
#include "plan/records.h"
#include "plan/text_cell.h"
#include "schema/probe.h"

typedef struct sbl_source sbl_source;

typedef struct sbl_source_kind {
    /* The next records into source->batch; batch.rows = 0: there are no more. */
    sbl_status (*read)(sbl_source *source, sbl_error *err);
    /* To the first record again. SBL_EARG for a stream that cannot be read twice; SBL_EINPUT when it
     * is seen that the data is not what it was. */
    sbl_status (*rewind)(sbl_source *source, sbl_error *err);
    void (*close)(sbl_source *source); /* wipes; source->state may be half made */
} sbl_source_kind;

struct sbl_source {
    const sbl_source_kind *kind;
    char *name;             /* for messages */
    const sbl_facts *facts; /* borrowed */
    uint64_t count;  /* records, where the container says so; 0: known at the end. Public under
                      * replace-one only */
    bool can_rewind; /* false: standard input, a pipe */
    sbl_records batch;
    void *state;
};

/* A CSV table, plain or gzip; "-": standard input. The facts are those of its schema.
 * notice (may be NULL) is called once for each column of the file that the schema does not name. */
sbl_status sbl_source_open_table(sbl_source **source, const char *path, const sbl_facts *facts,
                                 void (*notice)(void *context, const char *name), void *context,
                                 sbl_error *err);

/* An Arrow table in memory. open() gives a stream from the first row on, which the source releases: once for
 * each reading. */
struct ArrowArrayStream;
typedef struct sbl_arrow_origin {
    const char *name; /* for messages */
    sbl_status (*open)(void *context, struct ArrowArrayStream *stream, sbl_error *err);
    void *context;
    bool can_rewind; /* open() may be called again */
    uint64_t count;  /* rows, where they are known; 0: at the end */
} sbl_arrow_origin;

/* The same of an Arrow table; each column is read by its type, as table/typed.h says. */
sbl_status sbl_source_open_arrow(sbl_source **source, const sbl_arrow_origin *origin,
                                 const sbl_facts *facts,
                                 void (*notice)(void *context, const char *name), void *context,
                                 sbl_error *err);

/* The table as CSV text with a header, written to a file descriptor (path is for messages). With a schema
 * (NULL: none) cells are written as its columns write them, and what is missing as their first missing value;
 * the dialect is the usual one.
 * Privacy: writes records */
sbl_status sbl_arrow_write_csv(int descriptor, const char *path, const sbl_arrow_origin *origin,
                               const sbl_schema *schema, sbl_error *err);

/* A CSV table that nobody has described: its cells as answers to probes (schema/probe.h), one code
 * for each column that is looked at. The facts are those of sbl_probe_schema(probes, names); probes
 * (one for each column of the header) are borrowed. It is read once: other probes are another source.
 */
sbl_status sbl_source_open_probes(sbl_source **source, const char *path, const sbl_probe *probes,
                                  const sbl_facts *facts, sbl_error *err);
/* The names of its columns, from the header; sbl_strings_clear(). dialect, here and below: how the
 * table is written, with a header; of sbl_source_open_probes that of the facts' schema. */
sbl_status sbl_source_read_names(sbl_strings *names, const char *path, const sbl_dialect *dialect,
                                 sbl_error *err);

/* The same table, the texts of some columns: what can be a category (table/probe_cell.h). Batches of
 * cells, row after row; rows 0: there are no more. Sources of texts are read once.
 * Privacy: records. */
typedef struct sbl_text_source sbl_text_source;
sbl_status sbl_text_source_open(sbl_text_source **source, const char *path,
                                const sbl_dialect *dialect, const size_t *columns, size_t count,
                                sbl_error *err);
sbl_status sbl_text_source_read(sbl_text_source *source, const sbl_text_cell **cells, size_t *rows,
                                sbl_error *err);
void sbl_text_source_close(sbl_text_source *source); /* wipes; NULL is fine */

/* An image set (image/image_set.h). What it is, is publicly declared. */
typedef struct sbl_image_origin {
    const char *images; /* an IDX file, CIFAR file(s) as a comma list, or a folder */
    const char *labels; /* of IDX images; NULL: none */
    uint64_t classes;   /* 0: the default of the format */
    bool balanced;      /* the classes are declared to be equally frequent */
    bool grey;          /* read PNG files as grey */
    size_t height;      /* of every image, with width; 0: the files say it, a folder's first one */
    size_t width;
    bool size_of_first; /* set on return: a folder's first file said how large images are */
} sbl_image_origin;

/* The facts (cleared by the caller, after the source) come from the container.
 * Returns: SBL_OK, SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_source_open_images(sbl_source **source, sbl_facts *facts, sbl_image_origin *origin,
                                  sbl_error *err);

/* Encoded records in memory, borrowed until the source is closed: as sbl_records says, any number
 * of rows. */
sbl_status sbl_source_open_memory(sbl_source **source, const sbl_records *records, const char *name,
                                  const sbl_facts *facts, sbl_error *err);

/* Is there no going back in what stands at this path: standard input, a pipe, a device? Seen without
 * opening it. */
bool sbl_source_is_stream(const char *path);

/* batch is valid until the next call.
 * Privacy: records. */
sbl_status sbl_source_read(sbl_source *source, const sbl_records **batch, sbl_error *err);
sbl_status sbl_source_rewind(sbl_source *source, sbl_error *err);
void sbl_source_close(sbl_source *source); /* NULL is fine */

/* For the kinds: an empty source of that name; and whether a file is still the one that was seen:
 * the same place, size and time. */
sbl_status sbl_source_new(sbl_source **source, const sbl_source_kind *kind, const char *name,
                          const sbl_facts *facts, sbl_error *err);
bool sbl_source_unchanged(const char *path, const struct stat *seen);

#endif
