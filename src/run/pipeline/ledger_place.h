/* SPDX-License-Identifier: Apache-2.0 */
/* Which ledger a run is charged to: one data set, one account book, without asking. */
#ifndef SBL_PIPELINE_LEDGER_PLACE_H
#define SBL_PIPELINE_LEDGER_PLACE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/store/store.h"
#include "base/text.h"
#include "public/account/charge.h"
#include "run/pipeline/data_names.h"

typedef struct sbl_ledger_choice {
    const sbl_store *store;
    sbl_text path;  /* its name there */
    bool fell_back; /* it is next to the release, where other runs on the data do not see it */
    bool is_there;  /* false: it is made when the first release is charged */
    bool beside;    /* it is next to the data, because the caller named none */
} sbl_ledger_choice;

/* The ledger of the data. given: one that was named, which is used. Otherwise it is the one that is next to any of the
 * data's names (data_names.h), or that a link there leads to: files of a list, of a folder and of a package have one ledger
 * together. Where there is none, it is made as INPUT.ledger next to the file, folder or package itself, of a list next to
 * the first file in the order of the bytes. Only where there is none and none can be made (records in memory, a
 * stream, folders that cannot be written to) it is STEM.ledger, in the store of the stem.
 * Returns: SBL_OK; SBL_EINPUT where there are several, or hard links lead to folders that are not known and there is
 *          none here; SBL_EMEM
 * Owner:   the caller clears choice->path, also after a failure */
sbl_status sbl_ledger_choose(sbl_ledger_choice *choice, sbl_store_entry given, const sbl_data_places *places,
                             sbl_store_entry stem, sbl_error *err);

/* Makes links to the ledger, which is there, next to every part of the data that can be read by itself: files of a list,
 * tables of a package. Where no link can be made (a folder that cannot be written to) there is none.
 * Returns: SBL_OK; SBL_EINPUT where another ledger was made there since it was chosen; SBL_EMEM */
sbl_status sbl_ledger_link(const sbl_ledger_choice *choice, const sbl_data_places *places, sbl_error *err);

/* The one that was chosen; borrows choice. */
static inline sbl_store_entry sbl_ledger_chosen(const sbl_ledger_choice *choice)
{
    return (sbl_store_entry){choice->store, choice->path.data};
}

/* A ledger without a limit, for a run at delta; 0: a pure one. rows_per_unit: of one person that
 * count; 0: a row is a person. */
sbl_status sbl_ledger_make_unlimited(sbl_store_entry ledger, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key, sbl_error *err);

#endif
