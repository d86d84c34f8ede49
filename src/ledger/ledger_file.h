/* Inside the ledger: the file under its lock. No floating point. */
#ifndef SBL_ACCOUNT_LEDGER_FILE_H
#define SBL_ACCOUNT_LEDGER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "ledger/ledger.h"

/* An open and locked ledger and what was read from it. Zero-initialise descriptor to -1. */
typedef struct sbl_ledger_file {
    const char *path; /* borrowed */
    int descriptor;
    sbl_ledger_view view;
} sbl_ledger_file;

/* Open without following links, lock (shared, or exclusive for writing), make sure that it is the
 * one plain file of that name, read it and verify every line.
 * Whatever is returned, the caller calls sbl_ledger_file_close. */
sbl_status sbl_ledger_file_open(sbl_ledger_file *file, const char *path, bool writing,
                                sbl_error *err);

/* Format line with the next sequence number, the time and its hash, and check it against the view,
 * which then holds it. Writes nothing; text grows by the line and its LF.
 * SBL_EBUDGET for a ledger with a torn line, unless this is the REPAIR that replaces it. */
sbl_status sbl_ledger_file_prepare(sbl_ledger_file *file, sbl_text *text,
                                   const sbl_ledger_line *line, sbl_error *err);

/* Write what was prepared over the torn line or at the end, sync it, read it back and compare. */
sbl_status sbl_ledger_file_append(sbl_ledger_file *file, const sbl_text *text, sbl_error *err);

/* Closing the only descriptor drops the lock. */
void sbl_ledger_file_close(sbl_ledger_file *file);

#endif
