/* SPDX-License-Identifier: Apache-2.0 */
/* A feature that the library does not know, and its loss: see first_moment.c. */
#ifndef SBL_TESTS_FRAMEWORK_FIRST_MOMENT_H
#define SBL_TESTS_FRAMEWORK_FIRST_MOMENT_H

#include "after/losses/loss.h"
#include "records/features/feature.h"

extern const sbl_feature feature_first_moment;
extern const sbl_loss_kind loss_first_moment;

#endif
