/* SPDX-License-Identifier: Apache-2.0 */
/* A backend written once more and plainly, in double, for tests: what the others are held to. Its memory is
 * open to its operations alone: whoever follows one of its tensors otherwise is stopped by the processor,
 * as on a machine whose device has a memory of its own. */
#ifndef SBL_TESTS_REFERENCE_BACKEND_H
#define SBL_TESTS_REFERENCE_BACKEND_H

#include "base/backend/backend.h"

/* One for the life of a test; not for several threads. */
const sbl_backend *reference_backend_open(void);
/* Checks that all its tensors were released. */
void reference_backend_close(void);
/* The allocation after `after` more of them finds no room; SIZE_MAX: never. */
void reference_backend_fail(size_t after);
/* Operations from now on fail: copies leave what they were to fill, sync says so. */
void reference_backend_break(void);

#endif
