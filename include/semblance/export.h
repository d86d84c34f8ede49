/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol visibility, compiler hints and the initialisation of structs, used by every public header.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_EXPORT_H
#define SEMBLANCE_EXPORT_H

#include <string.h>

/* Set every field of a caller's struct to its default, and struct_size to its size, so that a
 * program that was built with an older, smaller struct works with a newer library. */
#define SBL_STRUCT_INIT(pointer) \
    (memset((pointer), 0, sizeof *(pointer)), (void)((pointer)->struct_size = sizeof *(pointer)))

#if defined(__GNUC__)
#define SBL_API __attribute__((visibility("default")))
#define SBL_MUST_USE __attribute__((warn_unused_result))
#define SBL_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define SBL_API
#define SBL_MUST_USE
#define SBL_PRINTF(format_index, first_argument)
#endif

#endif
