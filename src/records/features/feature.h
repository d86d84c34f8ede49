/* A feature is one of these tables: a map from an encoded record to a vector of integers with a
 * proven bound, made from public facts and parameters; and, where a network can be trained against
 * its mean, the loss and its gradient. A new feature is one file with one table, a line in
 * records/features/features.c, its page in docs/mechanisms and its test.
 *
 *   plan (public/plan/plan.h) -> sbl_features_make -> layout and weights -> add records to a sum
 *                                          \-> losses against the noisy means of a release */
#ifndef SBL_FEATURES_FEATURE_H
#define SBL_FEATURES_FEATURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "public/plan/block.h"
#include "public/rows/encoded_records.h"

typedef struct sbl_sum sbl_sum; /* records/accumulate/sum.h: training and sampling need not know it */

/* Of training (after/losses/loss_common.h): generated records with their gradients, and what a loss remembers. */
typedef struct sbl_generated sbl_generated;
typedef struct sbl_running sbl_running;

/* What training is to reach: noisy means of one feature's blocks, per class, from a release
 * (after/train/target.h). */
typedef struct sbl_target {
    float *means;     /* (C, width): noisy sums over n; all blocks of the feature side by side */
    double deviation; /* of the noise on one of them */
    double weight;    /* of this feature's loss beside the others' */
    /* Of a feature that is costly: which part of a class's rows a step looks at, and how much of
     * the mean is remembered from the steps before (the decay of a running mean, 0 to below 1), so
     * that a few rows a step do for many. 0: all, nothing. */
    double part, memory;
} sbl_target;

typedef struct sbl_feature sbl_feature;
struct sbl_feature {
    const char *name; /* as it stands in plans */

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
    /* One thread's workspace of so many bytes, zeroed at first and wiped in the end. NULL: none, or one
     * of several parts, which the feature makes itself and frees wiped. */
    size_t (*workspace_bytes)(const void *made);
    sbl_status (*workspace_new)(void **workspace, const void *made, sbl_error *err);
    void (*workspace_free)(void *workspace, const void *made);
    /* All its blocks, the first being number `block` of the sum, for the rows of the open batch. A
     * row's integers depend on that row alone. NULL: the sum forms the block itself. */
    sbl_status (*add)(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err);

    /* ---- [6] after the door: NULL where no network is trained against it ---- */
    /* Keeps nothing of target and batch; of made whatever it likes, which outlives it. The generated batch's
     * rows, classes, shares and weights are those of every step; its records are not there yet. */
    size_t loss_size; /* of the loss, which begins with an sbl_loss; zeroed */
    sbl_status (*loss_init)(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err);
    /* The loss of the generated batch; adds its gradient. Allocates nothing; the same bits for any number of
     * threads. */
    double (*loss_step)(void *loss, sbl_generated *generated);
    void (*loss_clear)(void *loss); /* what is not the pool's; may be NULL */
    /* As sbl_loss_memory(), of a loss whose running means are not the one of its sbl_loss. May be NULL. */
    sbl_running *(*loss_memory)(void *loss, size_t i);
    /* Tables: what the target says of the codes, for training to start from: expected (C, T), above 0,
     * adding up to about 1 in each column. NULL: nothing. */
    void (*loss_start)(float *expected, const void *made, const sbl_target *target,
                       const sbl_generated *generated);
    bool costly;      /* its loss goes by part and memory of the target */
    bool any_backend; /* its loss is computed by the generated batch's backend; else that is the CPU */

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
