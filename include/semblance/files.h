/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one job: it must not write to a file that it reads, or to a ledger, even if overwriting
 * was asked for. Every function of the library that takes paths checks this for its own files. A program
 * with further files checks all of them together.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_FILES_H
#define SEMBLANCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The endings of files next to an output: OUTPUT.release and so on. A ledger is INPUT.ledger, a checkpoint
 * RELEASE.training, a signature CERTIFICATE.sig. */
#define SBL_ENDING_RELEASE ".release"
#define SBL_ENDING_CERTIFICATE ".certificate.json"
#define SBL_ENDING_SCHEMA ".schema.json"
#define SBL_ENDING_LEDGER ".ledger"
#define SBL_ENDING_CHECKPOINT ".training"
#define SBL_ENDING_SIGNATURE ".sig"

typedef struct sbl_named_file {
    /* For messages: "the input", "--report". */
    const char *name;
    /* NULL and "-" are skipped. A file that is read may also be a folder or a list a,b,c. */
    const char *path;
    /* false: it is only read, or appended to as a ledger is. */
    bool written;
} sbl_named_file;

/* Returns: SBL_OK; SBL_EARG if a written file is also another one of the list, by any spelling or link; is in a
 * folder of the list that is read; or is a ledger, which is never replaced. */
SBL_API SBL_MUST_USE sbl_status sbl_files_check(const sbl_named_file *files, size_t count, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
