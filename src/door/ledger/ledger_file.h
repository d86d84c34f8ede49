/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the ledger: access to its log under the lock (base/store/store.h). No floating point. */
#ifndef SBL_LEDGER_LEDGER_FILE_H
#define SBL_LEDGER_LEDGER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "door/ledger/ledger_book.h"

/* An open and locked ledger and what was read from it. */
typedef struct sbl_ledger_file {
    sbl_log log;
    const char *path; /* its name, borrowed */
    sbl_ledger_view view;
} sbl_ledger_file;

/* Open and lock (shared, or exclusive for writing), read it and verify every line.
 * Whatever is returned, the caller calls sbl_ledger_file_close. */
sbl_status sbl_ledger_file_open(sbl_ledger_file *file, sbl_store_entry ledger, bool writing, sbl_error *err);

/* Format line with the next sequence number, the time and its hash, and check it against the view,
 * which then holds it. Writes nothing; text grows by the line and its LF.
 * SBL_EBUDGET for a ledger with a torn line, unless this is the REPAIR that replaces it. */
sbl_status sbl_ledger_file_prepare(sbl_ledger_file *file, sbl_text *text, const sbl_ledger_line *line,
                                   sbl_error *err);

/* Write what was prepared over the torn line or at the end, sync it, read it back and compare. */
sbl_status sbl_ledger_file_append(sbl_ledger_file *file, const sbl_text *text, sbl_error *err);

/* The lock goes. */
void sbl_ledger_file_close(sbl_ledger_file *file);

#endif
