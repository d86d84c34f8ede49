/* SPDX-License-Identifier: Apache-2.0 */
/* A feature is one of these tables: a map from an encoded record to a vector of integers with a
 * proven bound, made from public facts and parameters. A new feature is one file with one table, a line in
 * records/features/features.c, its page in docs/mechanisms and its test. Where a network can be trained against
 * its mean, after/losses/loss.h has a loss of the same name; what both need is in public/features.
 *
 *   plan (public/plan/plan.h) -> sbl_features_make -> layout and weights -> add records to a sum */
#ifndef SBL_FEATURES_FEATURE_H
#define SBL_FEATURES_FEATURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "public/features/encoder_choice.h"
#include "public/plan/block.h"
#include "public/rows/encoded_records.h"

typedef struct sbl_sum sbl_sum; /* records/accumulate/sum.h */

typedef struct sbl_feature sbl_feature;
struct sbl_feature {
    const char *name; /* the name used in plans */

    /* ---- public: from facts and parameters ---- */
    /* SBL_EINPUT for parameters that this version does not know or that do not fit the facts;
     * SBL_EARG for one that is out of range. */
    sbl_status (*make)(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err);
    void (*free)(void *made);          /* NULL: made is the facts, or another's */
    size_t (*count)(const void *made); /* of its blocks, >= 1; NULL: one */
    /* Fill its blocks (zeroed), and for those that are not withheld the precision of each relative
     * to the others, in units of the grid. */
    void (*describe)(const void *made, sbl_block *blocks, double *weights);
    /* Records that are called so, by a title or by the name of their files: refused, SBL_EINPUT, where it is made
     * of a network that was trained on a set of that name. NULL: of no network. */
    sbl_status (*check_name)(const void *made, const char *called, sbl_error *err);

    /* ---- [3] and [4]: records to sums ---- */
    /* Bytes of one thread's workspace, zeroed first and wiped at the end. NULL: none, or one of several
     * parts, which the feature makes itself and frees wiped. */
    size_t (*workspace_bytes)(const void *made);
    sbl_status (*workspace_new)(void **workspace, const void *made, sbl_error *err);
    void (*workspace_free)(void *workspace, const void *made);
    /* All its blocks, the first being number `block` of the sum, for the rows of the open batch. A
     * row's integers depend on that row alone. NULL: the sum forms the block itself. */
    sbl_status (*add)(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err);

    /* As add, for images whose points in the encoder's space, (rows, P), are known from the search for their cells
     * (records/features/cell_labels.h). It adds the same bits without running the encoder again. NULL: add. */
    const sbl_encoded *(*encoded)(const void *made); /* the encoder of these points */
    sbl_status (*add_points)(sbl_sum *sum, size_t block, const void *made, void *workspace,
                             const float *points, size_t rows, sbl_error *err);

    /* ---- whose records ---- */
    bool whole_units; /* its records are whole persons (sbl_records.events). A plan that has such a
                       * feature has no other but those that take either */
    bool any_units;   /* takes persons as well as rows: it looks at neither numbers nor codes */
};

/* A feature that was made. */
typedef struct sbl_feature_instance {
    const sbl_feature *kind;
    void *made;
    size_t block;       /* the number of its first block in the layout */
    size_t block_count; /* its blocks, all of them, follow each other */
} sbl_feature_instance;

/* The features that there are; ends with NULL. */
extern const sbl_feature *const sbl_feature_list[];

#endif
