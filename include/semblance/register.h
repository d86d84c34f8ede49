/* SPDX-License-Identifier: Apache-2.0 */
/* The books of an institution: every ledger and certificate below some folders, as an officer reads them; and the page
 * that a data-protection impact assessment takes from a certificate.
 *
 *     char *text;
 *     sbl_register_options options;
 *     sbl_register_options_init(&options);
 *     sbl_register(&text, NULL, (const char *[]){"/data"}, 1, &options, &err);
 *
 * In libsemblance-evaluate. A register is for the owner: it names files, and which data sets are copies of each other
 * is computed from their bytes without noise. It is NOT PRIVATE.
 *
 * Stability: experimental: it may change in any version (docs/C.md). */
#ifndef SEMBLANCE_REGISTER_H
#define SEMBLANCE_REGISTER_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sbl_register_form {
    SBL_REGISTER_TABLE, /* for a terminal */
    SBL_REGISTER_CSV,   /* one line for each release */
    SBL_REGISTER_JSON,  /* docs/FORMATS.md, "Register" */
    SBL_REGISTER_HTML   /* a page for printing */
} sbl_register_form;

/* Set up by sbl_register_options_init(). */
typedef struct sbl_register_options {
    /* Set by sbl_register_options_init(). */
    size_t struct_size;
    /* Default SBL_REGISTER_TABLE. */
    sbl_register_form form;
    /* Also write the text to this file, mode 0600. Default: none. */
    const char *path;
    bool overwrite;
} sbl_register_options;

#define sbl_register_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Read every book below the folders. Symbolic links are not followed, and names that begin with a dot are left out. Ledgers and
 * certificates are verified, and not changed.
 * Out:     problems  how many problems the text names: books that cannot be read or do not hold, outputs that were changed,
 *                    data sets with two ledgers, ledgers with two successors; may be NULL
 * In:      options   may be NULL
 * Returns: SBL_OK; SBL_EINPUT where there is neither a ledger nor a certificate; SBL_EARG, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_register(char **text, size_t *problems, const char *const *folders,
                                             size_t count, const sbl_register_options *options,
                                             sbl_error *err);

/* What was made of the releases of one ledger, by the certificates in its folder and below: a line "SEQ NAME, NAME" for each
 * release with outputs. "" where there are none.
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_register_outputs(char **lines, const char *ledger, sbl_error *err);

/* One page for a data-protection impact assessment, filled from the certificate at path, which must hold. It may be
 * published.
 * In:      html    a page; false: Markdown
 *          output  also write it to this file, mode 0644; NULL: none
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_annex(char **text, const char *path, bool html,
                                                      const char *output, bool overwrite, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
