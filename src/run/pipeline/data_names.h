/* SPDX-License-Identifier: Apache-2.0 */
/* The names that a data set has in the file system: a ledger may be next to each of them. */
#ifndef SBL_PIPELINE_DATA_NAMES_H
#define SBL_PIPELINE_DATA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Where the records of a run are; texts are borrowed. */
typedef struct sbl_data_places {
    const char *input; /* a file, a folder, a list (a,b,c), a package; NULL: in memory */
    /* (table_count): the files of the tables of a package. NULL: that table is in memory. */
    const char *const *tables;
    size_t table_count;
} sbl_data_places;

typedef enum sbl_name_kind {
    SBL_NAME_OWN,   /* of the data set: its ledger can be made next to it */
    SBL_NAME_PART,  /* of a part that can be read by itself: a link there leads to the ledger */
    SBL_NAME_AROUND /* of a folder that holds the data, or inside of it: only looked at */
} sbl_name_kind;

typedef struct sbl_data_name {
    char *path; /* canonical */
    sbl_name_kind kind;
} sbl_data_name;

typedef struct sbl_data_names {
    sbl_data_name *items; /* in the order of their bytes, each once */
    size_t count;
    bool elsewhere; /* a file has more names than these (hard links), in folders that are not known */
} sbl_data_names;

/* All names of the data, none where it has no file:
 *   OWN     the real path, hard links in its folder, and the symbolic links that lead to it; for each file of a list
 *   PART    files of the tables of a package; files of a folder that are symbolic links out of it
 *   AROUND  for Parquet files and folders, the folders that hold them; in folders, Parquet files and folders
 *           next to which a ledger is
 * Returns: SBL_OK; SBL_EMEM
 * Owner:   the caller clears names, also after a failure */
sbl_status sbl_data_names_find(sbl_data_names *names, const sbl_data_places *places, sbl_error *err);
void sbl_data_names_clear(sbl_data_names *names);

/* Can a folder hold it as a part: is it a folder, or a Parquet file? Ledgers of folders hold for such files only. */
bool sbl_name_is_in_folders(const char *path);

bool sbl_path_is_symbolic(const char *path);

#endif
