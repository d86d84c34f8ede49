/* SPDX-License-Identifier: Apache-2.0 */
/* `visits`: the smallest feature of whole persons. Of m events each adds U / m to the cell of its code
 * and to that of its position, the m - 1 later ones U / (m - 1) to the cell of the code before and this
 * one, and a person adds U to the cell of its number of events. */
#ifndef SBL_TESTS_PIPELINE_VISITS_H
#define SBL_TESTS_PIPELINE_VISITS_H

#include "records/features/feature.h"

#define VISITS_UNIT 65536

extern const sbl_feature feature_visits;

#endif
