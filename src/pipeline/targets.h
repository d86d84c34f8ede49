/* Files of a run that must not be one another: --force must never cost the private table, the
 * schema or a ledger. */
#ifndef SBL_PIPELINE_TARGETS_H
#define SBL_PIPELINE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct sbl_named_path {
    const char *name; /* "the input", "the release", ... */
    const char *path; /* NULL and "-" are passed over */
    bool written;     /* this run writes it */
} sbl_named_path;

/* SBL_EARG when a file that is written is also another one of the list, under whatever name; or
 * when it is a ledger, which is never overwritten. */
sbl_status sbl_check_targets(const sbl_named_path *paths, size_t count, sbl_error *err);

#endif
