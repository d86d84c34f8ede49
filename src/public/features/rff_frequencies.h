/* SPDX-License-Identifier: Apache-2.0 */
/* The frequencies of random Fourier features of a table (records/features/rff.h), and the parameters that they are made
 * from.
 * Privacy: scales come from public facts (the number of columns), never from the data. */
#ifndef SBL_FEATURES_RFF_FREQUENCIES_H
#define SBL_FEATURES_RFF_FREQUENCIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "public/features/kernel_metric.h"
#include "public/plan/facts.h"

#define SBL_RFF "rff"

typedef struct sbl_rff {
    size_t columns;         /* d: numbers */
    size_t onehot;          /* T: one-hot entries */
    size_t codes;           /* K: categorical columns */
    size_t frequencies;     /* F */
    size_t joint;           /* frequencies 0 .. joint - 1 see the codes; whole panels, or all of F */
    float *panels;          /* in turns, laid out as base/compute/fourier.h says */
    float *code_panels;     /* of the joint frequencies */
    const sbl_facts *facts; /* borrowed, where it is the feature of a plan */
    sbl_pool pool;          /* of the panels */
} sbl_rff;

/* Public rule of the frequencies. */
typedef struct sbl_rff_rule {
    size_t frequencies;
    const double *scales; /* of the numbers, in units of sqrt(d / 6), the root mean squared distance
                           * of two uniform points of [0,1]^d */
    size_t scale_count;
    /* (d): of single numbers, in units of their range; 0: by the scales. NULL: all are. */
    const double *lengths;
    size_t length_count;           /* d, for parameters */
    sbl_metric metric;             /* of some numbers, which use it alone */
    const double *code_deviations; /* of the phases, in radians, that a code adds */
    size_t code_deviation_count;
    size_t joint; /* how many frequencies see the codes; rounded down to whole panels. All of them
                   * where there are no numbers, none where there are no codes */
    uint64_t seed;
} sbl_rff_rule;

/* Frequency f is a pure function of the rule and f. */
sbl_status sbl_rff_init(sbl_rff *rff, const sbl_record_shape *shape, const sbl_rff_rule *rule,
                        sbl_error *err);
void sbl_rff_clear(sbl_rff *rff);

/* Parameters of the feature `rff`: tables only. NULL when out of memory. features: D, even, 2 .. 1000000;
 * joint_share: of the frequencies, that see the codes, 0 .. 1; these two stand for the numbers of the rule,
 * whose lists have 1 .. SBL_MOST_SCALES. */
json_t *sbl_rff_parameters(const sbl_rff_rule *rule, size_t features, double joint_share);

/* As of sbl_feature: made is an sbl_rff. */
sbl_status sbl_rff_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err);
void sbl_rff_free(void *made);

#endif
