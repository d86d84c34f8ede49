/* What a release on disk says of itself, for a certificate to be held against. */
#ifndef SBL_PIPELINE_EVIDENCE_H
#define SBL_PIPELINE_EVIDENCE_H

#include "base/status.h"
#include "certificate/certificate.h"
#include "release/release.h"

/* Load a release with the hash of its bytes. The evidence borrows from release and path. */
sbl_status sbl_evidence_load(sbl_release **release, sbl_release_evidence *evidence,
                             const char *path, sbl_error *err);

#endif
