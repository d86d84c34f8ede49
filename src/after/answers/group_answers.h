/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to counts, sums and means of one group, from its noisy sums (docs/mechanisms/answers.md). */
#ifndef SBL_ANSWERS_GROUP_ANSWERS_H
#define SBL_ANSWERS_GROUP_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SBL_ANSWER_LEVEL 0.95 /* of every interval */
#define SBL_ANSWER_Z 1.959963984540054

/* NaN: not known. An end of an interval may be infinite. */
typedef struct sbl_interval {
    double low, high;
} sbl_interval;

typedef struct sbl_answer {
    double estimate;         /* NaN: the noise hides it */
    double noise;            /* standard deviation of the noise in the estimate */
    sbl_interval table;      /* for the value of the table that was read: noise alone */
    sbl_interval population; /* for the population it was drawn from: noise and sampling */
} sbl_answer;

/* What is publicly known about the sums of a group. */
typedef struct sbl_group_facts {
    double noise;     /* standard deviation of each sum */
    double tied;      /* 1 - 1/d where the d sums of the question were moved to their public total; else 1 */
    uint64_t n;       /* the public number of records; 0: private */
    double low, high; /* bounds of the value */
    bool sampled;     /* records are independent draws, so the sampling error is known */
} sbl_group_facts;

sbl_answer sbl_answer_count(double count, const sbl_group_facts *facts);
/* parts: sums of (1-u)^2, 2u(1-u), u^2. */
sbl_answer sbl_answer_sum(const double parts[3], const sbl_group_facts *facts);
sbl_answer sbl_answer_mean(const double parts[3], const sbl_group_facts *facts);

/* The values t with (a - t b)^2 <= c + d t^2, within [low, high]; all of it where they are not an interval. */
sbl_interval sbl_ratio_interval(double a, double b, double c, double d, double low, double high);

#endif
