/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the ledger: checks a line against the lines before it. No floating point. */
#ifndef SBL_LEDGER_LEDGER_READ_H
#define SBL_LEDGER_LEDGER_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "door/ledger/ledger_book.h"

/* The place of a line, for messages. */
typedef struct sbl_ledger_place {
    const char *where; /* the file */
    size_t number;     /* of the line, from 1 */
    const char *hint;  /* what to do about a fault: "; restore ...", or "" */
} sbl_ledger_place;

/* Check a whole line (without LF) against the view and add it. After SBL_EINPUT the view is not to
 * be used further. */
sbl_status sbl_ledger_extend(sbl_ledger_view *view, const char *text, size_t length,
                             const sbl_ledger_place *place, sbl_error *err);

/* The RESERVE with this release id that has neither COMMIT nor VOID; NULL when there is none. */
sbl_ledger_line *sbl_ledger_find_open(const sbl_ledger_view *view, const char *rid);

/* Add a charge to running totals; false when they would not fit. One that is nothing at all counts
 * as no release. */
bool sbl_totals_add(sbl_totals *totals, const sbl_charge *charge);

#endif
