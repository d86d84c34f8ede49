/* SPDX-License-Identifier: Apache-2.0 */
/* [8] and [9] Where synthetic records go: the same kinds of data as a source, outwards. What is
 * written appears whole when the sink is finished, or not at all. */
#ifndef SBL_SINKS_SINK_H
#define SBL_SINKS_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "public/rows/encoded_records.h"

typedef struct sbl_sink sbl_sink;

/* A condition such as "age > 80 and ward in (surgery, cardiology)" (docs/CONSTRAINTS.md). A row where it
 * depends on a missing value does not satisfy it. schema: borrowed.
 * Returns: SBL_OK, SBL_EINPUT for what cannot be read, SBL_EMEM */
typedef struct sbl_row_condition sbl_row_condition;
sbl_status sbl_row_condition_new(sbl_row_condition **condition, const char *text, const sbl_schema *schema,
                                 sbl_error *err);
void sbl_row_condition_free(sbl_row_condition *condition); /* NULL is fine */

/* What a row of a table must hold to be written: one cell, or a condition on any of its columns. */
typedef struct sbl_condition {
    sbl_row_condition *on_row; /* NULL: a cell */
    size_t column;             /* of the declared schema, none that is ignored */
    uint32_t code;             /* of a category, the missing one included */
    double value;              /* of a number, date or datetime: on its column's grid */
    bool missing;              /* of the same: it is */
} sbl_condition;

/* Keep the rows of a batch that hold all conditions, in their order, and `most` of them at most. Rows are
 * post-processing by then, so that leaving some out tells nothing of the data that the model does not tell. */
struct sbl_batch;
bool sbl_condition_holds(const struct sbl_batch *batch, size_t row, const sbl_condition *condition);
void sbl_conditions_keep(struct sbl_batch *batch, const sbl_condition *conditions, size_t count,
                         uint64_t most);
/* The same of whole persons, by their numbers in the batch: one is kept who has, for each condition, a row that
 * holds it. No more than most_persons are, and no row beyond the first `most` of theirs.
 * Returns: how many persons were kept */
uint64_t sbl_conditions_keep_persons(struct sbl_batch *batch, const sbl_condition *conditions, size_t count,
                                     uint64_t most, uint64_t most_persons);

/* Without the rows that are marked. */
void sbl_rows_leave_out(struct sbl_batch *batch, const bool *left_out);

typedef struct sbl_sink_kind {
    sbl_status (*write)(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err);
    sbl_status (*finish)(sbl_sink *sink, sbl_error *err);
    void (*close)(sbl_sink *sink); /* what was not finished never was; state may be half made */
} sbl_sink_kind;

struct sbl_sink {
    const sbl_sink_kind *kind;
    const sbl_facts *facts; /* borrowed */
    /* Set before the first write. */
    uint64_t seed; /* public: of what a sink makes itself */
    size_t wanted; /* the one class that is drawn, or SBL_NO_COLUMN */
    /* Tables: rows that do not hold all of these are not written (condition_count 0: every row is),
     * and no more than `most` are. Of whole persons, who come with all their rows in one write, the
     * persons count, and no more than most_persons are written. */
    const sbl_condition *conditions; /* borrowed */
    size_t condition_count;
    uint64_t most;
    uint64_t most_persons;
    uint64_t written; /* records so far, where there are conditions or whole persons */
    uint64_t persons; /* whole persons so far */
    void *state;
};

/* Can a table be written under this name? SBL_EARG where its ending promises something else, and of Parquet also where
 * DuckDB's library is not there, the name is of no regular file, or two columns have one name to it. Asked before a
 * budget is charged for the table.
 * In:      engine  the path of DuckDB's library, which Parquet needs; NULL: found
 *          schema  NULL: not known yet */
sbl_status sbl_sink_check_table(const char *path, const char *engine, const sbl_schema *schema,
                                sbl_error *err);
/* Can images or linked tables be written into a folder of this name? SBL_EARG where it is one of a file of Parquet. */
sbl_status sbl_sink_check_folder(const char *path, sbl_error *err);
/* A table at path: Parquet when it ends in .parquet, .pq or .parq (parquet_table.h), else CSV ("-": standard output),
 * gzip when it ends in .gz. Where a person may own several rows, every row gets the id of one, and the person's names:
 * each its own, unless sbl_sink_set_persons was called before the first. engine: as above. */
sbl_status sbl_sink_open_table(sbl_sink **sink, const char *path, const char *engine, const sbl_facts *facts,
                               bool overwrite, sbl_error *err);

/* shares: as of a model (after/model/model.h). SBL_OK and nothing done where they are NULL or the table has
 * no unit. */
sbl_status sbl_sink_set_persons(sbl_sink *sink, const double *shares, sbl_error *err);

/* A table in memory: typed rows, as they would be written, are given away. rows is good for the call; first is
 * the number of its first row, from 0.   Returns: SBL_OK; what ends the drawing */
typedef sbl_status (*sbl_take_rows)(void *context, const struct sbl_batch *rows, uint64_t first,
                                    sbl_error *err);
sbl_status sbl_sink_open_rows(sbl_sink **sink, const sbl_facts *facts, sbl_take_rows take, void *context,
                              sbl_error *err);
/* Appends the cell of a column that is made, no statistic (public/schema/role.h). */
void sbl_sink_synthetic_cell(const sbl_sink *sink, sbl_text *cell, size_t column, uint64_t row);

/* ---- linked tables (package_sink.c) ---- */

/* A table among others: where its keys stand, and whose rows they name. */
typedef struct sbl_sink_links {
    size_t key;             /* column of the key of its rows, or SBL_NO_COLUMN */
    size_t parent_key;      /* column that names the parent row, or SBL_NO_COLUMN: the root */
    const sbl_sink *parent; /* of the table that row is in; NULL: the root */
    size_t named;           /* the column of the parent's key */
    bool remembers;         /* constraints of some table name columns of others: rows are remembered for
                             * those below them until sbl_sink_forget() */
} sbl_sink_links;
/* Rows are of linked tables: drawn->numbers and parents are their keys, and all that is given is written. Before
 * the first write, and of the parent before its children.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_sink_set_links(sbl_sink *sink, const sbl_sink_links *links, sbl_error *err);
/* No row that comes refers to one that was written so far. */
void sbl_sink_forget(sbl_sink *sink);
/* End the table of a sink without letting it appear (after/sinks/writer.h). */
struct sbl_pending_file;
sbl_status sbl_sink_hand_over(sbl_sink *sink, struct sbl_pending_file *file, sbl_error *err);

/* A package in a folder: NAME.csv for each table, and datapackage.json. */
typedef struct sbl_package_folder {
    const char *folder;
    /* The file that the tables were read from; its public look-up tables are copied. NULL: none. */
    const char *package;
    bool outside; /* its files need not be in its folder */
} sbl_package_folder;

/* The files that it becomes. */
typedef struct sbl_package_files {
    sbl_text folder;
    sbl_text *paths; /* (count): tables in their order, copies of look-up tables, then the package */
    size_t count;
    size_t tables;
    sbl_text *originals; /* (count - tables - 1): what is copied */
    json_t *look_ups;    /* (array): their resources */
    json_t *references;  /* by table: its foreign keys into them */
} sbl_package_files;
/* facts: of linked tables.   Returns: SBL_OK; SBL_EARG for a folder or a table without a name of its own; SBL_EINPUT,
 * SBL_EIO for the package; SBL_EMEM */
sbl_status sbl_package_files_name(sbl_package_files *files, const sbl_package_folder *target,
                                  const sbl_facts *facts, sbl_error *err);
void sbl_package_files_clear(sbl_package_files *files);
/* Would the sink be refused for a reason that can be seen beforehand? As sbl_image_files_check(). */
sbl_status sbl_package_files_check(const sbl_package_files *files, bool overwrite, sbl_error *err);
/* The package as JSON text, with the paths of the files (sbl_free). */
sbl_status sbl_package_files_text(char **text, const sbl_package_files *files, const sbl_facts *facts,
                                  sbl_error *err);

/* Linked tables into a folder: all files appear when it is finished, or none. Whole persons, with all their rows of
 * all tables, until there are most_persons of them or `most` rows, whichever is first. */
sbl_status sbl_sink_open_package(sbl_sink **sink, const sbl_package_folder *target, const sbl_facts *facts,
                                 bool overwrite, sbl_error *err);
/* The same in memory: rows of table t are given to take with contexts[t] (borrowed). */
sbl_status sbl_sink_open_package_rows(sbl_sink **sink, const sbl_facts *facts, sbl_take_rows take,
                                      void *const *contexts, sbl_error *err);
/* The sink of one of its tables; borrowed. */
const sbl_sink *sbl_sink_of_table(const sbl_sink *sink, size_t table);

/* An image set in a folder. */
typedef struct sbl_image_folder {
    const char *folder;
    bool png;            /* a folder of PNG files; else a pair of IDX files */
    const char *preview; /* a PNG of some images of every class, or NULL */
} sbl_image_folder;

/* The files that it becomes. labels is empty where there are none. */
typedef struct sbl_image_files {
    sbl_text folder;
    sbl_text images; /* PNG: the folder */
    sbl_text labels;
} sbl_image_files;
sbl_status sbl_image_files_name(sbl_image_files *files, const sbl_image_folder *target,
                                const sbl_facts *facts, sbl_error *err);
void sbl_image_files_clear(sbl_image_files *files);
/* Would the sink be refused for a reason that can be seen beforehand? Asked before a budget is
 * charged for what goes into it. Leaves no folder behind that was not there. */
sbl_status sbl_image_files_check(const sbl_image_files *files, const sbl_image_folder *target,
                                 const sbl_facts *facts, uint64_t count, bool overwrite, sbl_error *err);
/* count images will be written. */
sbl_status sbl_sink_open_images(sbl_sink **sink, const sbl_image_folder *target, uint64_t count,
                                const sbl_facts *facts, bool overwrite, sbl_error *err);

/* For the kinds: a sink with `size` bytes of state, all zero. On failure, too, it is closed by the caller. */
sbl_status sbl_sink_new(sbl_sink **sink, const sbl_sink_kind *kind, size_t size, const sbl_facts *facts,
                        sbl_error *err);

sbl_status sbl_sink_write(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err);
sbl_status sbl_sink_finish(sbl_sink *sink, sbl_error *err);
void sbl_sink_close(sbl_sink *sink); /* NULL is fine */

#endif
