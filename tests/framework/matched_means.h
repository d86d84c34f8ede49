/* SPDX-License-Identifier: Apache-2.0 */
/* A method that the library does not know: see matched_means.c. */
#ifndef SBL_TESTS_FRAMEWORK_MATCHED_MEANS_H
#define SBL_TESTS_FRAMEWORK_MATCHED_MEANS_H

#include "run/methods/method.h"

extern const sbl_method method_matched_means;

#endif
