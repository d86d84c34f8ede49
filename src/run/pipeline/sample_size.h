/* SPDX-License-Identifier: Apache-2.0 */
/* How much is drawn of a model: rows, or whole persons. */
#ifndef SBL_PIPELINE_SAMPLE_SIZE_H
#define SBL_PIPELINE_SAMPLE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct sbl_amount {
    uint64_t rows;    /* or images, exactly; with whole persons, the last may lack some of its
                       * rows. 0: as many as the model was fitted to */
    uint64_t persons; /* exactly, each with all its rows; 0: rows count */
} sbl_amount;

/* persons: are the records drawn as whole persons (after/model/model.h, whole_units)? linked: of several tables, which
 * have no number of rows together?
 * Returns: SBL_OK; SBL_EARG for both at once, for persons of what draws none, or for rows of linked tables */
sbl_status sbl_amount_check(const sbl_amount *amount, bool persons, bool linked, sbl_error *err);

#endif
