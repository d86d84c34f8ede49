/* SPDX-License-Identifier: Apache-2.0 */
/* The one handle of records that every reader takes (include/semblance/data.h), and the facts about it that
 * need no record. */
#ifndef SBL_SOURCE_DATA_SOURCE_H
#define SBL_SOURCE_DATA_SOURCE_H

#include "base/handle_lock.h"
#include "base/kinds.h"
#include "public/schema/schema_type.h"
#include "semblance/data.h"

/* Texts are the handle's. */
typedef struct sbl_data_about {
    sbl_data_kind kind;
    const char *name; /* for messages */
    const char *path; /* of a file, beside which its ledger stands; NULL: records are in memory */
    /* Tables. */
    bool can_rewind;          /* can be read again */
    bool is_text;             /* what is a record, and what a name, is said by the text */
    bool has_dialect;         /* it is written in cells with marks between them, which can be told */
    size_t tables;            /* that are linked; 0: it is one table */
    bool outside;             /* files of the package may be outside of its folder */
    bool is_server;           /* of a database: beside it no ledger can stand */
    bool is_query;            /* what a query selects, so that which rows there are is private */
    bool one_row_per_person;  /* and the owner says that one person is at most one of them */
    uint64_t count;           /* of rows, where they are known; 0: at the end */
    sbl_data_options written; /* how it is written, as far as that was said */
    /* Images. */
    const char *labels; /* the path of their file; NULL: none */
    bool sized;         /* their size is declared */
} sbl_data_about;
sbl_data_about sbl_data_tell(const sbl_data *data);

/* Is this a list of files, a,b,c? A list has a comma and does not exist as a file itself. */
bool sbl_path_is_list(const char *path);
/* The file of one of linked tables, by its number, in any order; NULL: it is in memory, or there is no such table. */
const char *sbl_data_table_path(const sbl_data *data, size_t number);
/* The schema of the data as it is written: dialect options given with a table override the schema's.
 * *schema is replaced for linked tables.
 * Returns: SBL_OK; SBL_EARG: one is a single table and the other several, or a table is missing; SBL_EMEM */
sbl_status sbl_data_apply_written(sbl_schema **schema, const sbl_data *data, sbl_error *err);

/* For a call that reads it; as of sbl_use_begin(). */
sbl_status sbl_data_use(sbl_mark **used, sbl_data *data, sbl_error *err);

/* For a stream, which can be read once: keeps its content from now on, for callers that read it again. */
sbl_status sbl_data_keep(sbl_data *data, sbl_error *err);

#endif
