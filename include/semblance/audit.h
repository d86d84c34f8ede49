/* SPDX-License-Identifier: Apache-2.0 */
/* Attack the library's own releases: can one record change more than was charged for it?
 *
 *     sbl_audit_options options;
 *     sbl_audit_verdict verdict;
 *     sbl_audit_options_init(&options);
 *     sbl_audit_run(&verdict, NULL, &options, &err);
 *
 * In libsemblance-evaluate, which is linked before libsemblance and is of the same version.
 *
 *   change      the largest change of the exact sums between hostile neighbours, times the public
 *               multipliers, over the joint sensitivity that the ledger was charged for: at most 1,
 *               in integers
 *   additivity  a sum less the sum without a record is that record's own sum, in every bit, whatever
 *               its place, the number of threads and the size of batches
 *   attack      two neighbouring data sets, thousands of releases of each through the real release step:
 *               a lower bound on epsilon from right guesses. It must not exceed the charge, and
 *               must exceed half of it: an attack that sees nothing proves nothing
 *
 * Everything is charged to ledgers in memory; the data's own ledger is never touched. Data that the
 * library makes itself is not private. For a given table every number is
 * computed from its records: NOT PRIVATE, and all outputs say so first. docs/AUDIT.md shows a run.
 *
 * Stability: experimental: it may change in any version (docs/C.md). */
#ifndef SEMBLANCE_AUDIT_H
#define SEMBLANCE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/data.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set up by sbl_audit_options_init(). A number 0 or a NULL means the default. */
typedef struct sbl_audit_options {
    /* Set by sbl_audit_options_init(). */
    size_t struct_size;
    /* A table, of which the first 1000 rows are read. Default: tables, linked tables and images that the
     * library makes. */
    sbl_data *data;
    /* The table's schema: required with `data`, refused without. */
    const sbl_schema *schema;
    /* Default: every method that fits the data. */
    const char *method;
    /* For each release. Default 4. */
    double epsilon;
    /* At most 1e-3. Default 1e-5. */
    double delta;
    /* Only releases with delta 0. Default: both kinds, if a method has them. */
    bool pure;
    /* Only `neighbours`. Default: both relations. */
    bool one_relation;
    sbl_neighbours neighbours;
    /* Releases of each of the two data sets of an attack, 100 to 1e7. Default: 10000, or as many as an
     * attack on a small epsilon needs, at most 160000. */
    uint64_t runs;
    /* The numbers as JSON. Default: none. */
    const char *json_path;
    /* A page: HTML if the name ends in .html, Markdown otherwise. Default: none. */
    const char *report_path;
    bool overwrite;

    /* A non-zero return value stops the audit with SBL_ESTOPPED. */
    sbl_progress progress;
    void *context;
} sbl_audit_options;

#define sbl_audit_options_init(pointer) SBL_STRUCT_INIT(pointer)

typedef enum sbl_audit_verdict {
    SBL_AUDIT_BROKEN = 0, /* something exceeds what was charged, or a sum does not add up */
    SBL_AUDIT_WEAK,       /* nothing does, but an attack saw too little to prove anything */
    SBL_AUDIT_HELD        /* everything held, and every attack would have caught half the claim */
} sbl_audit_verdict;

/* Out:     verdict  SBL_AUDIT_BROKEN on failure
 *          text     tables for people; may be NULL; sbl_free
 * Privacy: for a given table, the verdict and every output are computed from records: NOT PRIVATE.
 * Returns: SBL_OK, whatever the verdict; SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM, SBL_ESTOPPED,
 *          SBL_EENTROPY */
SBL_API SBL_MUST_USE sbl_status sbl_audit_run(sbl_audit_verdict *verdict, char **text,
                                              const sbl_audit_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
