/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation of one backend against another's, through the contract (base/backend/backend.h). */
#ifndef SBL_TESTS_BACKEND_CHECK_H
#define SBL_TESTS_BACKEND_CHECK_H

#include "base/backend/backend.h"

/* Asserts that results differ by at most `tolerance` of their root mean square. */
void backend_check_all(const sbl_backend *have, const sbl_backend *want, double tolerance);
/* Asserts that the same operation gives the same bits twice. */
void backend_check_repeats(const sbl_backend *have);
/* Asserts that it does on one thread and on so many. */
void backend_check_threads(const sbl_backend *have, int threads);

#endif
