/* Checking a certificate: what it promises is recomputed from the mechanisms it lists.
 *
 *     char *statement;
 *     sbl_certificate_verify(&statement, "synthetic.csv.certificate.json", NULL, &err);
 *     puts(statement);
 *     sbl_free(statement);
 */
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

/* What a certificate is held against; set up by sbl_certificate_files_init(). NULL: nothing. */
typedef struct sbl_certificate_files {
    size_t struct_size;
    const char *ledger;          /* the releases that it lists must stand in it, and it must not have been
                         * rolled back behind the certificate */
    const char *const *releases; /* each must be one that is listed, to the byte; plan, layout, bounds
                    * and joint sensitivity are derived again from the release itself */
    size_t release_count;
    const char *model; /* must be the listed one, to the byte */
    const char *const
        *outputs; /* likewise: a table, or an image or label file; a folder: every output that is
                                 * listed is in it under its name */
    size_t output_count;
    const char *key;       /* the public key, Ed25519 in PEM, by which it must have been signed */
    const char *signature; /* where the signature stands; NULL: CERTIFICATE.sig */
    const char *schema;    /* must say what the schema of the run said: the same facts, whatever the file's
                            * layout and origin */
} sbl_certificate_files;

#define sbl_certificate_files_init(pointer) SBL_STRUCT_INIT(pointer)

/* Recompute every field of the certificate at path, and hold it against files (may be NULL).
 * Out:     statement  the guarantee in words, several lines with a final newline; NULL on failure
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_verify(char **statement, const char *path,
                                                       const sbl_certificate_files *files, sbl_error *err);

/* Sign the bytes of the certificate at path, which must be a sound one, with an Ed25519 key: 64 bytes go
 * to signature_path (docs/FORMATS.md).
 * In:      key             a private key in PEM without a passphrase
 *          signature_path  NULL: PATH.sig
 * Returns: SBL_OK; SBL_EINPUT for no such key, or a certificate in which a field is wrong; SBL_EARG where
 *          the signature would replace the certificate or the key; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_sign(const char *path, const char *key,
                                                     const char *signature_path, bool overwrite,
                                                     sbl_error *err);

/* What a certificate guarantees, in numbers. The caller sets struct_size before asking; the library fills no
 * more than that. */
typedef struct sbl_guarantee {
    size_t struct_size;
    bool holds;     /* false: nothing is guaranteed (a ledger without a limit to epsilon, a test key) */
    double epsilon; /* at delta, over all releases of the ledger, rounded up; infinite where nothing holds */
    double delta;   /* 0 of pure releases */
    double mu;      /* of Gaussian differential privacy; 0 where there is no Gaussian release */
    double epsilon_of_run; /* of the releases of this run alone, at the same delta */
    sbl_neighbours neighbours;
    uint64_t n;        /* the public number of records; 0 when it is private */
    uint64_t releases; /* of this run */
    uint64_t others;   /* other releases that the ledger lists */
    bool run_only;     /* the ledger was made for this run: other runs over the data are not added up */
    bool images;       /* else a table */
    char method[64];
    char trained_on[208]; /* the device that trained a network towards the releases: "cpu", or a name like
                           * "cuda:0 NVIDIA H200"; "": nothing was trained when the certificate was written, or
                           * it is of a version that does not say */
} sbl_guarantee;

/* The same check of a certificate in memory, and its facts.
 * Out:     facts      may be NULL; statement  as above, may be NULL
 * In:      text       JSON of length bytes
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EARG, SBL_EMEM
 * Owner:   of statement the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_read(sbl_guarantee *facts, char **statement, const char *text,
                                                     size_t length, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
