/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the handle of records: a table of any format (records/rows/table.h), or an image set in files
 * or in memory. */
#ifndef SBL_SOURCE_DATA_HANDLE_H
#define SBL_SOURCE_DATA_HANDLE_H

#include "base/handle_lock.h"
#include "public/schema/encoding_layout.h"
#include "records/formats/arrow_table.h"
#include "records/image/image_place.h"
#include "records/source/data_source.h"

struct sbl_data {
    sbl_mark mark;
    char *name; /* for messages */
    char *path; /* of a file; NULL: records are in memory */
    /* Receives what is reported about the records (NOT PRIVATE); NULL: no listener. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
    sbl_data_kind kind;
    /* Tables. */
    sbl_table table; /* borrows name and path */
    sbl_strings texts;
    sbl_data_options written; /* how it is written, as far as that was said; borrows texts */
    sbl_strings columns;      /* names that were declared */
    bool is_server;           /* it stands on one: there is no file */
    bool is_query;            /* it is what a query selects */
    bool one_row_per_person;  /* of which the owner says so */
    /* Linked tables: a handle of each, in use by this one, and its name. */
    sbl_data **linked; /* (linked_count); NULL: it is one table */
    sbl_mark **linked_uses;
    sbl_strings linked_names;
    size_t linked_count;
    bool outside; /* files of the package may be outside of its folder */
    /* Images. */
    sbl_image_place images; /* borrows name, path, texts and what follows */
    bool balanced;          /* the classes are declared to be equally frequent */
    sbl_image_buffers buffers;
    sbl_image_facts facts; /* of images in memory: owns the names of classes */
};

/* A handle of this name (NULL: the usual one) and path (NULL: none), with nothing in it yet. */
sbl_status sbl_data_make(sbl_data **data, sbl_data_kind kind, const char *name, const char *path,
                         sbl_error *err);
/* A table of any format: of `table` its name, path, format, state, can_rewind and count. The state is the handle's, also
 * on failure. */
sbl_status sbl_data_of_table(sbl_data **data, const sbl_table *table, sbl_error *err);
/* A table of Arrow, with nothing in it yet. */
sbl_status sbl_data_make_arrow(sbl_data **data, const char *name, sbl_error *err);
/* Opens one table of a list or a package: sbl_data_open(). */
typedef sbl_status (*sbl_data_opener)(sbl_data **data, const char *path, const sbl_data_options *options,
                                      sbl_error *err);
/* Those that a package names (package_open.c). outside: also outside of its folder.   Returns: SBL_OK; SBL_EINPUT for the package, SBL_EIO names a table whose
 * file cannot be read; SBL_EMEM */
sbl_status sbl_data_open_package(sbl_data **data, const char *path, bool outside, sbl_data_opener open_one,
                                 sbl_error *err);
/* The linked table of this name.   Returns: SBL_OK; SBL_EARG: there is none, or the data is a single table */
sbl_status sbl_data_linked(const sbl_data **table, const sbl_data *data, const char *name, sbl_error *err);

/* Is the data one table for a schema of one, and several for a schema of several?   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_data_check_tables(const sbl_data *data, const sbl_schema *schema, sbl_error *err);
/* The table of a handle.   Returns: SBL_OK; SBL_EARG: it holds images, or several tables */
sbl_status sbl_data_table(const sbl_table **table, const sbl_data *data, sbl_error *err);

#endif
