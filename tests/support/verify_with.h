/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate verified against a ledger (NULL: alone). */
#ifndef SBL_TESTS_SUPPORT_VERIFY_WITH_H
#define SBL_TESTS_SUPPORT_VERIFY_WITH_H

#include "semblance/certificate.h"

static inline sbl_status verify_with(char **statement, const char *path, const char *ledger, sbl_error *err)
{
    sbl_certificate_files files;
    sbl_certificate_files_init(&files);
    files.ledger = ledger;
    return sbl_certificate_verify(statement, path, &files, err);
}

#endif
