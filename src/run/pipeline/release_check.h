/* SPDX-License-Identifier: Apache-2.0 */
/* What a release on disk says of itself, for a certificate to be held against. */
#ifndef SBL_PIPELINE_RELEASE_CHECK_H
#define SBL_PIPELINE_RELEASE_CHECK_H

#include "base/error.h"
#include "door/certificate/certificate_document.h"
#include "door/release/release.h"

/* What a release's plan says in a certificate: the hash of the table's schema ("" for images, for an unknown
 * plan, and where a schema is only being discovered), and the columns of each block. Owned by the caller:
 * sbl_described_clear(). */
typedef struct sbl_described {
    char schema[SBL_SHA256_TEXT_SIZE];
    char **of; /* (count); NULL: nothing is said */
    size_t count;
    uint64_t rows_together; /* of a person (door/certificate/certificate_document.h) */
} sbl_described;
sbl_status sbl_describe_release(sbl_described *described, const sbl_release *release, sbl_error *err);
void sbl_described_clear(sbl_described *described);

/* Load a release with the hash of its bytes, and what its plan says. The evidence borrows from release,
 * path and described. */
sbl_status sbl_release_check_load(sbl_release **release, sbl_described *described,
                                  sbl_release_evidence *evidence, sbl_store_entry from, sbl_error *err);

#endif
