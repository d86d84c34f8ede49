/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers fill. The first member, a size_t, says how much of the struct the caller
 * knows: a program that was built with an older header keeps working, and one that was built with a
 * newer header is refused where it asks for something that this library does not know. */
#ifndef SBL_BASE_CALLER_STRUCT_H
#define SBL_BASE_CALLER_STRUCT_H

#include <stddef.h>

#include "base/error.h"

/* Copy over our defaults what the caller's struct says; its size becomes ours.
 * In:      what  names the struct in messages, "options"
 * Returns: SBL_OK; SBL_EARG for NULL, a size that was not set, or a tail that is not zero */
sbl_status sbl_struct_take(void *ours, size_t our_size, const void *theirs, const char *what, sbl_error *err);

#endif
