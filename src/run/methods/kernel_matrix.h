/* SPDX-License-Identifier: Apache-2.0 */
/* The option mahalanobis: a public matrix over some columns of numbers (public/features/kernel_metric.h). */
#ifndef SBL_METHODS_KERNEL_MATRIX_H
#define SBL_METHODS_KERNEL_MATRIX_H

#include "base/error.h"
#include "public/features/kernel_metric.h"
#include "public/plan/facts.h"
#include "semblance/options.h"

extern const sbl_option sbl_option_mahalanobis;

/* What the options give; count 0: nothing.
 * Returns: SBL_OK; SBL_EARG: not a matrix over columns of numbers, or not positive definite */
sbl_status sbl_kernel_matrix(sbl_metric *metric, const sbl_facts *facts, const sbl_synth_options *options,
                             sbl_error *err);

#endif
