/* SPDX-License-Identifier: Apache-2.0 */
/* Free memory that the library returned.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_MEMORY_H
#define SEMBLANCE_MEMORY_H

#include "semblance/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Free a text or bytes that a function of this library returned for the caller to free; NULL is fine. */
SBL_API void sbl_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
