/* SPDX-License-Identifier: Apache-2.0 */
/* Result codes and the caller-owned error message.
 *
 * Everything that can fail returns sbl_status; the value goes through an output argument, which is
 * set to NULL or zero on failure. An sbl_error * may always be NULL. Messages are one line, lower
 * case, without a full stop; they name the file, field or option and what to do, never a cell.
 *
 *     sbl_error err;
 *     if (sbl_data_open(&data, path, NULL, &err) != SBL_OK) fprintf(stderr, "%s\n", err.message);
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_STATUS_H
#define SEMBLANCE_STATUS_H

#include "semblance/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text, exit code of the program). One list makes the enum, the names and the texts.
 */
#define SBL_STATUS_LIST(X)                                                           \
    X(SBL_OK, 0, "success", 0)                                                       \
    X(SBL_EARG, 1, "an argument or option is out of range", 2)                       \
    X(SBL_EINPUT, 2, "an input, schema, certificate or ledger is not acceptable", 3) \
    X(SBL_EBUDGET, 3, "the privacy budget does not cover this release", 4)           \
    X(SBL_EIO, 4, "reading or writing failed", 5)                                    \
    X(SBL_EMEM, 5, "out of memory", 1)                                               \
    X(SBL_EENTROPY, 6, "the system could not supply secure randomness", 1)           \
    X(SBL_EINTERNAL, 7, "an internal invariant does not hold", 1)                    \
    X(SBL_ESTOPPED, 8, "stopped on request", 130)                                    \
    X(SBL_EBUSY, 9, "a handle is in use by another call", 1)                         \
    X(SBL_EWEAK, 10, "a test was too weak to show anything", 6)

typedef enum sbl_status {
#define SBL_STATUS_ENUM(name, value, text, exit_code) name = value,
    SBL_STATUS_LIST(SBL_STATUS_ENUM)
#undef SBL_STATUS_ENUM
} sbl_status;

/* What a caller could do about a failure, if there is one thing to do. A program says it in its
 * own words after the message, which is complete without them. */
typedef enum sbl_hint {
    SBL_HINT_NONE = 0,
    SBL_HINT_OVERWRITE,    /* a file exists: choose another name, or ask for overwriting */
    SBL_HINT_LEDGER_SHARE, /* name one ledger for both runs */
    SBL_HINT_LEDGER_MAKE,  /* make the ledger first: sbl_ledger_init() */
    SBL_HINT_TRAIN,        /* continue from the release `file`: sbl_synthesizer_train() */
    SBL_HINT_HEALTH,       /* find the cells that do not fit (sbl_schema_check()); or continue after the
                            * release `file` anyway: option health, then as RESUME */
    SBL_HINT_RESUME,       /* continue after the release `file`, with the data: sbl_synthesizer_resume() */
    SBL_HINT_WHERE,        /* change the condition: sbl_sample_options.where */
    SBL_HINT_ROWS,         /* give another number of records */
    SBL_HINT_CLASSES,      /* declare the number of classes */
    SBL_HINT_REAL_LABELS,  /* name the labels of the real images */
    SBL_HINT_SYNTHETIC_LABELS,
    SBL_HINT_TRAIN_LABELS,
    SBL_HINT_NO_MODELS,       /* evaluate without models */
    SBL_HINT_TRAIN_SET,       /* name the records that were fitted */
    SBL_HINT_SCHEMA,          /* give a schema, or spend more */
    SBL_HINT_FILES,           /* name the files of the run: release_path, certificate_path */
    SBL_HINT_DELTA,           /* give a smaller delta: a stream has no default that depends on its rows */
    SBL_HINT_DELIMITER,       /* name the delimiter */
    SBL_HINT_TAKE,            /* say which proposals of the schema `file` to take: sbl_schema_accept() */
    SBL_HINT_LEDGER_UNIT,     /* name another ledger, for this unit; sbl_ledger_add_up() adds both up */
    SBL_HINT_ROWS_PER_PERSON, /* say how many rows a person may have */
    SBL_HINT_PERSONS,         /* give another number of persons */
    SBL_HINT_DUCKDB,          /* install DuckDB's library, or say where it is: sbl_data_options.duckdb */
    SBL_HINT_COLUMNS,         /* name the columns: sbl_data_options.columns, or a schema */
    SBL_HINT_ONE_SITE,        /* declare it: sbl_shards.persons_at_one_site */
    SBL_HINT_ADBC_DRIVER, /* install the library of the database, or say where it is: sbl_data_options.adbc_driver */
    SBL_HINT_TABLE,      /* say which table of the database: sbl_data_options.table */
    SBL_HINT_ADD_REMOVE, /* choose SBL_ADD_REMOVE as neighbours */
    SBL_HINT_ONE_ROW,    /* declare a unit, or sbl_data_options.one_row_per_person */
    SBL_HINT_LEDGER,     /* name a ledger */
    SBL_HINT_DEVICE,     /* the device is not available: name another one */
    SBL_HINT_OUTSIDE,    /* allow files outside the package's folder: sbl_data_options.allow_outside */
    SBL_HINT_DECIMAL,    /* declare the decimal mark of the table (sbl_data_options.decimal) */
    SBL_HINT_COMMAS      /* the same, after a release: ',' starts again, '.' continues from it */
} sbl_hint;

#define SBL_ERROR_MESSAGE_SIZE 512
#define SBL_ERROR_FILE_SIZE 256

/* 1024 bytes in every version: later versions put new fields into `reserved`. A caller need
 * not set it up; the library sets everything except `reserved`. */
typedef struct sbl_error {
    sbl_status status;
    char message[SBL_ERROR_MESSAGE_SIZE];
    sbl_hint hint;
    /* The file that the hint is about. "": none, or its name is longer. */
    char file[SBL_ERROR_FILE_SIZE];
    char reserved[1024 - SBL_ERROR_MESSAGE_SIZE - SBL_ERROR_FILE_SIZE - 2 * sizeof(int)];
} sbl_error;

/* The fixed English text of a status; never NULL. */
SBL_API const char *sbl_status_text(sbl_status status);

/* Makes text from a file or a user safe to print, in place: each control character (C0, C1, line
 * ends), each mark or override of direction, and each byte that is not UTF-8, becomes '?'. Everything before
 * the last @ of an address (SCHEME://USER:PASSWORD@HOST) and after "password=" is left out. Messages of
 * sbl_error are such lines already. Returns text; NULL is fine. */
SBL_API char *sbl_plain_line(char *text);

/* The exit code a program should end with: 0 ok, 1 internal, 2 usage, 3 bad input, 4 budget, 5 I/O,
 * 6 a test that was too weak, 130 stopped on request. */
SBL_API int sbl_status_exit_code(sbl_status status);

#ifdef __cplusplus
}
#endif

#endif
