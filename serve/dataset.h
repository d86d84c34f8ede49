/* SPDX-License-Identifier: Apache-2.0 */
/* What a request names: a table, an image set, linked tables, or a table of a database (PATH::TABLE), and how it is read.
 * What was said of that is kept beside it, in NAME.reading.json. */
#ifndef SBL_SERVE_DATASET_H
#define SBL_SERVE_DATASET_H

#include <jansson.h>
#include <stdbool.h>

#include "semblance/data.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "served_folder.h"

#define SBL_ENDING_READING ".reading.json"
#define SBL_ENDING_PART ".part"                     /* of what is being received, here or by other programs */
#define SBL_ENDING_UPLOAD ".upload" SBL_ENDING_PART /* our own: no other program makes such a name */
#define SBL_DATABASE_SIGN "::"                      /* between a database and its table */
#define SBL_MOST_READINGS 24
#define SBL_READING_SIZE 512 /* of one value, with the NUL */

typedef enum sbl_serve_kind { SBL_KIND_TABLE, SBL_KIND_IMAGES, SBL_KIND_PACKAGE } sbl_serve_kind;

typedef struct sbl_serve_dataset {
    char name[SBL_FOLDER_PATH_SIZE]; /* as requests call it */
    char path[SBL_FOLDER_PATH_SIZE]; /* its file, or the folder of its images */
    sbl_serve_kind kind;
    char readings[SBL_MOST_READINGS][SBL_READING_SIZE]; /* by sbl_serve_reading_at(); "": not said */
    /* For an inspection or a check of it: as of sbl_data_options; NULL: none. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
    const char *person; /* for an inspection: as of sbl_data_options */
} sbl_serve_dataset;

const char *sbl_serve_kind_name(sbl_serve_kind kind);
/* false: it is none. */
bool sbl_serve_kind_named(sbl_serve_kind *kind, const char *name);
/* What a name says: how it ends; of a folder that it holds images. */
sbl_serve_kind sbl_serve_kind_by_name(const char *path, bool is_folder);

/* Is it, or is it in, something that was not received whole: NAME.part? */
bool sbl_serve_is_partial(const char *path);

/* The options of data that can be said here; NULL past the last. The text of a flag is "true". */
const sbl_option *sbl_serve_reading_at(size_t index);
/* The forms of data that it may have. */
unsigned sbl_serve_forms(const sbl_serve_dataset *set);
/* What was said; NULL: nothing. */
const char *sbl_serve_reading(const sbl_serve_dataset *set, const char *name);
/* Say it.   Returns: SBL_EARG for an unknown name, a value that the option does not take, a file outside the folder */
sbl_status sbl_serve_reading_set(sbl_serve_dataset *set, const char *name, const char *text, sbl_error *err);
/* All of an object whose members are texts, whole numbers and true. */
sbl_status sbl_serve_reading_take(sbl_serve_dataset *set, const json_t *said, sbl_error *err);
json_t *sbl_serve_reading_json(const sbl_serve_dataset *set);
/* What was said, as options; those of these forms of data only. */
sbl_status sbl_serve_reading_give(sbl_data_options *options, const sbl_serve_dataset *set, unsigned forms,
                                  sbl_error *err);

/* The data set of this name, which must be there, read as was kept.
 * Returns: SBL_OK; SBL_EARG: no name of ours; SBL_EIO: it is not there */
sbl_status sbl_serve_dataset_find(sbl_serve_dataset *set, int root, const char *name, sbl_error *err);
/* The same, without what was kept. */
sbl_status sbl_serve_dataset_begin(sbl_serve_dataset *set, int root, const char *name, sbl_error *err);
/* Keep how it is read; what was kept before gets a number. */
sbl_status sbl_serve_dataset_keep(const sbl_serve_dataset *set, int root, sbl_error *err);

/* Its records. Every file that they come from is one of the folder.
 * In:    engine  DuckDB's library; NULL: found where libraries are
 * Owner: the caller; sbl_data_free() */
sbl_status sbl_serve_dataset_open(sbl_data **data, const sbl_serve_dataset *set, int root, const char *engine,
                                  sbl_error *err);
/* The ledger that a run is charged to, which may be that of a package or a folder; PATH + ".ledger" where there is none yet.
 * engine: as above.   Returns: SBL_EINPUT: the link beside the data leads out of the folder */
sbl_status sbl_serve_dataset_ledger(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_dataset *set, int root,
                                    const char *engine, sbl_error *err);

#endif
