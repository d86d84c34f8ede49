/* How many rows a synthetic person has: from the noisy histogram of a run's first release. */
#ifndef SBL_PIPELINE_PERSONS_H
#define SBL_PIPELINE_PERSONS_H

#include "model/model.h"
#include "release/release.h"

/* Set model->persons from the block of persons of the release: the nearest distribution to it. Where
 * a row is a person nothing is set, and where one row of a person counts, all have one. Post-processing.
 * Returns: SBL_OK; SBL_EINPUT for a release without the block; SBL_EMEM */
sbl_status sbl_persons_fit(sbl_model *model, const sbl_release *first, sbl_error *err);

#endif
