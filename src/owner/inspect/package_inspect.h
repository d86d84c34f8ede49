/* SPDX-License-Identifier: Apache-2.0 */
/* Several files as one package: which columns are keys, which table holds the persons, which tables anyone may see. NOT PRIVATE:
 * keys and counts are read from the records, for the owner, who edits the package. */
#ifndef SBL_INSPECT_PACKAGE_INSPECT_H
#define SBL_INSPECT_PACKAGE_INSPECT_H

#include "base/json.h"
#include "base/tag_table.h"
#include "base/text.h"
#include "owner/inspect/inspect.h"
#include "public/schema/schema_type.h"
#include "records/source/data_handle.h"

/* The values of a column that may be a key. */
typedef struct sbl_key_column {
    sbl_tag_table tags; /* numbered from 1 */
    uint64_t cells;     /* with a value */
    uint64_t missing;
    uint64_t repeated;    /* cells with a value that came before */
    uint64_t looked, odd; /* cells that were looked at; of them, dates and numbers with a fraction */
    uint64_t plain;       /* of all: digits alone */
    uint64_t zero_led;    /* of these: with a zero before other digits */
    uint64_t pointed;     /* 1001.0, as pandas writes whole numbers next to an empty cell */
    bool dropped;         /* it is not a key */
} sbl_key_column;

/* A file at work. */
typedef struct sbl_inspected_file {
    const char *name; /* of the table; borrowed */
    const sbl_data *data;
    sbl_table table; /* of the data, with a listener */
    sbl_dialect dialect;
    sbl_strings columns;
    sbl_key_column *keys; /* (columns) */
    uint64_t rows;
    /* What it is, once links are chosen. */
    size_t key;        /* the column that other tables name, or SBL_NO_COLUMN */
    size_t parent;     /* the table it refers to, or SBL_NO_TABLE */
    size_t parent_key; /* by which column */
    size_t link;       /* by which link */
    bool lookup;       /* a small table that others refer to, which may be public */
    uint64_t most;     /* rows of one person, at most */
} sbl_inspected_file;

/* A column whose values are keys of another file. */
typedef struct sbl_key_link {
    size_t from, column; /* the file and its column */
    size_t to, key;      /* the file that it names and its key */
    uint64_t cells;      /* with a value */
    uint64_t found;      /* of them, those that are a key */
    uint32_t *children;  /* (keys + 1): rows by the number of the key */
    size_t named;        /* keys that are named at least once */
    bool good;           /* it is a foreign key */
} sbl_key_link;

typedef struct sbl_inspected_files {
    sbl_inspected_file *items;
    size_t count;
    sbl_key_link *links;
    size_t link_count;
    sbl_progress_listener listener;
} sbl_inspected_files;

/* Of a handle of linked tables, which is borrowed.   Owner: the caller, also after a failure */
sbl_status sbl_inspected_files_open(sbl_inspected_files *files, sbl_data *data, sbl_error *err);
void sbl_inspected_files_clear(sbl_inspected_files *files);

/* ---- keys (package_keys.c), reading each file three times ---- */

sbl_status sbl_package_find_links(sbl_inspected_files *files, sbl_error *err);

/* Reads a file once more: the keys of each row in two columns, of which the first may be SBL_NO_COLUMN. A missing key has both
 * parts 0. */
typedef struct sbl_key_pairs {
    void (*take)(struct sbl_key_pairs *pairs, sbl_unit_tag own, sbl_unit_tag parent);
} sbl_key_pairs;
sbl_status sbl_package_read_pairs(sbl_key_pairs *pairs, const sbl_inspected_file *file, size_t own,
                                  size_t parent, sbl_error *err);

/* ---- the tree (package_tree.c) ---- */

/* Chooses the table of persons, the parent of every other table, and what may be public.
 * Returns: SBL_OK; SBL_EINPUT: one line that names the files and says what to do */
sbl_status sbl_package_choose_tree(sbl_inspected_files *files, sbl_error *err);
/* Rows per person (most).   Reads every file but the root and what may be public once */
sbl_status sbl_package_count_rows(sbl_inspected_files *files, sbl_error *err);
/* The private tables, parents first: numbers of files.   Out: order (count). Returns: how many */
size_t sbl_package_order(size_t *order, const sbl_inspected_files *files);
/* Why, a line for each table. */
void sbl_package_describe(sbl_text *notes, const sbl_inspected_files *files);

/* ---- the draft (package_draft.c) ---- */

/* output: where the package will be, or NULL; files are named relative to it.   Returns: SBL_OK; SBL_EINPUT: a file
 * is not in its folder */
sbl_status sbl_package_draft(json_t **package, sbl_text *notes, const sbl_inspected_files *files,
                             const char *output, sbl_error *err);

/* ---- rules of each table with the columns of its parents (package_rules.c) ---- */

/* Adds proposals to the package. where: its path, for messages */
sbl_status sbl_package_propose_rules(json_t *package, const sbl_inspected_files *files, const char *where,
                                     sbl_error *err);

/* All of it (package_inspect.c).   Out: package; notes  what to look at.   output: as above */
sbl_status sbl_package_inspect(json_t **package, sbl_text *notes, sbl_data *data, const char *output,
                               sbl_error *err);

/* A number of rows that is plain: 1, 2, 5, 10, ... and not below. */
uint64_t sbl_package_plain_rows(uint64_t most);

#endif
