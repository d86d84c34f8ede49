/* A folder of one's own for as long as an audit takes: ledgers, releases and tables that nobody will
 * see. No ledger of anyone's data is ever touched. */
#ifndef SBL_AUDIT_SCRATCH_H
#define SBL_AUDIT_SCRATCH_H

#include "base/status.h"
#include "base/text.h"
#include "ledger/ledger.h"

typedef struct sbl_scratch {
    sbl_text folder; /* mode 0700 */
} sbl_scratch;

/* In a folder that is there.   Returns: SBL_OK, SBL_EIO, SBL_EMEM */
sbl_status sbl_scratch_open(sbl_scratch *scratch, const char *within, sbl_error *err);
/* Removes the folder with all that is in it. */
void sbl_scratch_close(sbl_scratch *scratch);

/* FOLDER/NAME; path is cleared first. */
sbl_status sbl_scratch_path(sbl_text *path, const sbl_scratch *scratch, const char *name,
                            sbl_error *err);
/* A new, empty ledger without a limit at path, in place of any that is there. */
sbl_status sbl_scratch_ledger(const char *path, sbl_neighbours neighbours, double delta,
                              sbl_error *err);

#endif
