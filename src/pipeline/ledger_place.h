/* Which ledger a run is charged to: one data set, one account book, without asking. */
#ifndef SBL_PIPELINE_LEDGER_PLACE_H
#define SBL_PIPELINE_LEDGER_PLACE_H

#include <stdbool.h>

#include "account/charge.h"
#include "base/status.h"
#include "base/text.h"

/* The ledger of what is read from input: INPUT.ledger beside the file or folder itself (a symbolic
 * link is followed, so that the data has one ledger under all its names; of a comma list, beside
 * its first). Where input is NULL, "-", neither file nor folder, or in a folder that cannot be
 * written to: STEM.ledger, and *beside_input is false. */
sbl_status sbl_ledger_path_of_data(sbl_text *path, bool *beside_input, const char *input,
                                   const char *stem, sbl_error *err);

/* A ledger without a limit, for a run at delta; 0: a pure one. rows_per_unit: of one person that
 * count; 0: a row is a person. */
sbl_status sbl_ledger_make_unlimited(const char *path, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key,
                                     sbl_error *err);

#endif
