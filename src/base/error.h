/* SPDX-License-Identifier: Apache-2.0 */
/* Setting errors, and leaving a function: SBL_CHECK where it owns nothing, SBL_TRY where `done:` cleans up. */
#ifndef SBL_BASE_ERROR_H
#define SBL_BASE_ERROR_H

#include "semblance/status.h"

/* Fill err (which may be NULL) and return status, so that a failure is one statement:
 *     return sbl_fail(err, SBL_EINPUT, "%s: field '%s' is missing", path, name); */
sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...) SBL_PRINTF(3, 4);

/* The same with what a caller could do about it, and the file that this is about; NULL: none. */
sbl_status sbl_fail_hint(sbl_error *err, sbl_status status, sbl_hint hint, const char *file,
                         const char *format, ...) SBL_PRINTF(5, 6);

/* SBL_EMEM: "out of memory for WHAT". */
sbl_status sbl_no_memory(sbl_error *err, const char *what);

/* Run an expression of type sbl_status and return its failure. For functions that own nothing. */
#define SBL_CHECK(expression)                            \
    do {                                                 \
        const sbl_status check_status = (expression);    \
        if (check_status != SBL_OK) return check_status; \
    } while (0)

/* Run an expression of type sbl_status; on failure store it in `status` and jump to `done`. */
#define SBL_TRY(expression)              \
    do {                                 \
        status = (expression);           \
        if (status != SBL_OK) goto done; \
    } while (0)

/* Fail as sbl_fail does, in a function that owns things: store the status and jump to `done`. */
#define SBL_FAIL(...)                   \
    do {                                \
        status = sbl_fail(__VA_ARGS__); \
        goto done;                      \
    } while (0)

/* SBL_EARG when a pointer that a caller must give is NULL. */
sbl_status sbl_need(const void *pointer, const char *name, sbl_error *err);
#define SBL_NEED(argument) SBL_TRY(sbl_need(argument, #argument, err))

#endif
