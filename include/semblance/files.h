/* Files that belong to one piece of work: what it writes must not be what it reads, nor a ledger,
 * whatever overwriting was asked for. Every function of the library that takes paths holds this for
 * its own; a program that has further files asks for all of them together. */
#ifndef SEMBLANCE_FILES_H
#define SEMBLANCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What stands behind the name of an output in the names of the files beside it; of a ledger behind
 * that of the input, of a checkpoint behind that of the release, of a signature behind that of the
 * certificate. */
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

/* SBL_EARG when a file that is written is also another one of the list, by whatever spelling or link;
 * lies in a folder of it that is read; or is a ledger, which is never replaced. */
SBL_API SBL_MUST_USE sbl_status sbl_files_check(const sbl_named_file *files, size_t count, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
