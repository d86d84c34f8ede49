/* SPDX-License-Identifier: Apache-2.0 */
/* Check a certificate: its promise is recomputed from the mechanisms that it lists.
 *
 *     char *statement;
 *     sbl_certificate_verify(&statement, "synthetic.csv.certificate.json", NULL, &err);
 *     puts(statement);
 *     sbl_free(statement);
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_CERTIFICATE_H
#define SEMBLANCE_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The files to compare with a certificate; set up by sbl_certificate_files_init(). NULL: none. */
typedef struct sbl_certificate_files {
    size_t struct_size;
    /* It must list the releases of the certificate, and must not have been rolled back behind the
     * certificate. */
    const char *ledger;
    /* Each must be one of the listed releases, to the byte. Plan, layout, bounds and joint sensitivity are
     * derived again from the release itself. */
    const char *const *releases;
    size_t release_count;
    /* Must be the listed model, to the byte. */
    const char *model;
    /* Each must be a listed output, to the byte: a table, or an image or label file. A folder must hold every
     * listed output under its name. */
    const char *const *outputs;
    size_t output_count;
    /* The public key (Ed25519, PEM) that the certificate must have been signed with. */
    const char *key;
    /* The signature's file. NULL: CERTIFICATE.sig. */
    const char *signature;
    /* Must declare the same facts as the schema of the run; layout and origin of the file may differ. */
    const char *schema;
} sbl_certificate_files;

#define sbl_certificate_files_init(pointer) SBL_STRUCT_INIT(pointer)

/* Recompute every field of the certificate at path, and compare it with files (may be NULL).
 * Out:     statement  the guarantee in words, several lines with a final newline; NULL on failure
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_verify(char **statement, const char *path,
                                                       const sbl_certificate_files *files, sbl_error *err);

/* Sign the bytes of the certificate at path, which must be valid, with an Ed25519 key: 64 bytes go
 * to signature_path (docs/FORMATS.md).
 * In:      key             a private key in PEM without a passphrase
 *          signature_path  NULL: PATH.sig
 * Returns: SBL_OK; SBL_EINPUT for a file without such a key, or a certificate with a wrong field; SBL_EARG if
 *          the signature would replace the certificate or the key; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_sign(const char *path, const char *key,
                                                     const char *signature_path, bool overwrite,
                                                     sbl_error *err);

/* What a certificate guarantees, in numbers. The caller sets struct_size before the call; the library fills no
 * more than that. */
typedef struct sbl_guarantee {
    size_t struct_size;
    /* false: nothing is guaranteed (a ledger whose epsilon is infinite, or a test key). */
    bool holds;
    /* At delta, over all releases of the ledger, rounded up. Infinite if nothing is guaranteed. */
    double epsilon;
    /* 0 for pure releases. */
    double delta;
    /* Of Gaussian differential privacy; 0 if there is no Gaussian release. */
    double mu;
    /* For the releases of this run alone, at the same delta. */
    double epsilon_of_run;
    sbl_neighbours neighbours;
    /* The public number of records; 0 if it is private. */
    uint64_t n;
    /* The number of releases of this run. */
    uint64_t releases;
    /* The number of other releases in the ledger. */
    uint64_t others;
    /* The ledger was made for this run: other runs over the data are not added up. */
    bool run_only;
    /* true: images; false: a table. */
    bool images;
    char method[64];
    /* The device that trained a network towards the releases: "cpu", or a name like "cuda:0 NVIDIA H200".
     * "" if nothing was trained when the certificate was written, or if its version does not say. */
    char trained_on[208];
} sbl_guarantee;

/* The same check of a certificate in memory, and its facts.
 * Out:     facts      may be NULL; statement  as above, may be NULL
 * In:      text       JSON of length bytes
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EARG, SBL_EMEM
 * Owner:   the caller owns statement; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_read(sbl_guarantee *facts, char **statement, const char *text,
                                                     size_t length, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
