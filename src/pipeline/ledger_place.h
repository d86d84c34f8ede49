/* Which ledger a run is charged to: one data set, one account book, without asking. */
#ifndef SBL_PIPELINE_LEDGER_PLACE_H
#define SBL_PIPELINE_LEDGER_PLACE_H

#include <stdbool.h>

#include "account/charge.h"
#include "base/status.h"
#include "base/text.h"
#include "store/store.h"

typedef struct sbl_ledger_choice {
    const sbl_store *store;
    sbl_text path;  /* its name there */
    bool fell_back; /* it stands beside the release, where other runs on the data do not see it */
    bool is_there;  /* false: it is made when the first release is charged */
    bool beside;    /* it stands beside the data, where nobody named one */
} sbl_ledger_choice;

/* The ledger of what is read from input. given: one that was named, which is taken; none: the data's
 * own, INPUT.ledger beside the file or folder itself, by its canonical name. A file of several names
 * (hard links) and a list of files (a,b,c) have one ledger too: that which stands beside any of the
 * names, or that a link beside them leads to, else it is made beside the first of them in the order of
 * their bytes. Only where there is
 * none and none can be made (input is NULL, "-" or neither file nor folder, or in folders that cannot
 * be written to) is it STEM.ledger, in the store of the stem.
 * Returns: SBL_OK; SBL_EINPUT where several stand there, or hard links lead to folders that are not
 *          known and none stands here; SBL_EMEM
 * Owner:   the caller clears choice->path, also after a failure */
sbl_status sbl_ledger_choose(sbl_ledger_choice *choice, sbl_item given, const char *input,
                             sbl_item stem, sbl_error *err);

/* Of a list of files whose ledger is there: a link to it beside each of the others, so that one that is read by itself or
 * in another list is charged to it, too. Where none can be made (a folder that cannot be written to) there is none. */
sbl_status sbl_ledger_link_list(const sbl_ledger_choice *choice, const char *input, sbl_error *err);

/* The one that was chosen; borrows choice. */
static inline sbl_item sbl_ledger_chosen(const sbl_ledger_choice *choice)
{
    return (sbl_item){choice->store, choice->path.data};
}

/* A ledger without a limit, for a run at delta; 0: a pure one. rows_per_unit: of one person that
 * count; 0: a row is a person. */
sbl_status sbl_ledger_make_unlimited(sbl_item ledger, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key,
                                     sbl_error *err);

#endif
