/* Checking a certificate: what it promises is recomputed from the mechanisms it lists. */
#ifndef SEMBLANCE_CERTIFICATE_H
#define SEMBLANCE_CERTIFICATE_H

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Recompute every field of the certificate at path. With a ledger (ledger_path may be NULL) the
 * releases that it lists must also stand in it, and it must not have been rolled back behind the
 * certificate.
 * Out:     statement  the guarantee in words, several lines with a final newline; NULL on failure
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_string_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_verify(char **statement, const char *path,
                                                       const char *ledger_path, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
