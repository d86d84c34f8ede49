/* SPDX-License-Identifier: Apache-2.0 */
/* The handle behind include/semblance/ledger.h. */
#ifndef SBL_API_LEDGER_API_H
#define SBL_API_LEDGER_API_H

#include "door/ledger/ledger_book.h"
#include "semblance/ledger.h"

struct sbl_ledger {
    sbl_ledger_view view;
    char head[SBL_SHA256_TEXT_SIZE];
    double delta; /* of the budget */
};

#endif
