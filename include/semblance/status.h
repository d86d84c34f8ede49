/* Result codes and the caller-owned error message.
 *
 * Everything that can fail returns sbl_status; the value goes through an output argument, which is
 * set to NULL or zero on failure. An sbl_error * may always be NULL. Messages are one line, lower
 * case, without a full stop; they name the file, field or option and what to do, never a cell. */
#ifndef SEMBLANCE_STATUS_H
#define SEMBLANCE_STATUS_H

#include "semblance/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text, exit code of the program). One list makes the enum, the names and the texts.
 */
#define SBL_STATUS_LIST(X)                                                           \
    X(SBL_OK, 0, "success", 0)                                                       \
    X(SBL_EARG, 1, "an argument or option is out of range", 2)                       \
    X(SBL_EINPUT, 2, "an input, schema, certificate or ledger is not acceptable", 3) \
    X(SBL_EBUDGET, 3, "the privacy budget does not cover this release", 4)           \
    X(SBL_EIO, 4, "reading or writing failed", 5)                                    \
    X(SBL_EMEM, 5, "out of memory", 1)                                               \
    X(SBL_EENTROPY, 6, "the system could not supply secure randomness", 1)           \
    X(SBL_EINTERNAL, 7, "an internal invariant does not hold", 1)                    \
    X(SBL_ESTOPPED, 8, "stopped on request", 130)

typedef enum sbl_status {
#define SBL_STATUS_ENUM(name, value, text, exit_code) name = value,
    SBL_STATUS_LIST(SBL_STATUS_ENUM)
#undef SBL_STATUS_ENUM
} sbl_status;

#define SBL_ERROR_MESSAGE_SIZE 512

typedef struct sbl_error {
    sbl_status status;
    char message[SBL_ERROR_MESSAGE_SIZE];
} sbl_error;

/* The fixed English text of a status; never NULL. */
SBL_API const char *sbl_status_text(sbl_status status);

/* The exit code a program should end with: 0 ok, 1 internal, 2 usage, 3 bad input, 4 budget, 5 I/O,
 * 130 stopped on request. */
SBL_API int sbl_status_exit_code(sbl_status status);

#ifdef __cplusplus
}
#endif

#endif
