/* Checking a certificate: what it promises is recomputed from the mechanisms it lists. */
#ifndef SEMBLANCE_CERTIFICATE_H
#define SEMBLANCE_CERTIFICATE_H

#include <stddef.h>

#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a certificate is held against; set up by sbl_certificate_files_init(). NULL: nothing. */
typedef struct sbl_certificate_files {
    size_t struct_size;
    const char *ledger; /* the releases that it lists must stand in it, and it must not have been
                         * rolled back behind the certificate */
    const char *const
        *releases; /* each must be one that is listed, to the byte; plan, layout, bounds
                    * and joint sensitivity are derived again from the release itself */
    size_t release_count;
    const char *model;          /* must be the listed one, to the byte */
    const char *const *outputs; /* likewise: a table, or an image or label file */
    size_t output_count;
} sbl_certificate_files;

SBL_API void sbl_certificate_files_init_sized(sbl_certificate_files *files, size_t size);
#define sbl_certificate_files_init(files) sbl_certificate_files_init_sized((files), sizeof *(files))

/* Recompute every field of the certificate at path, and hold it against files (may be NULL).
 * Out:     statement  the guarantee in words, several lines with a final newline; NULL on failure
 * Returns: SBL_OK; SBL_EINPUT naming the first field that is wrong; SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_string_free() */
SBL_API SBL_MUST_USE sbl_status sbl_certificate_verify(char **statement, const char *path,
                                                       const sbl_certificate_files *files,
                                                       sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
