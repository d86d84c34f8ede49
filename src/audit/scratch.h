/* Ledgers in a folder of one's own (base/scratch.h) for as long as an audit takes. No ledger of anyone's data is
 * ever touched. */
#ifndef SBL_AUDIT_SCRATCH_H
#define SBL_AUDIT_SCRATCH_H

#include "base/scratch.h"
#include "base/status.h"
#include "ledger/ledger.h"

/* A new, empty ledger without a limit at path, in place of any that is there. rows_per_unit: of one
 * person that count; 0: a row is a person. */
sbl_status sbl_scratch_ledger(const char *path, sbl_neighbours neighbours, uint64_t rows_per_unit,
                              double delta, sbl_error *err);

#endif
