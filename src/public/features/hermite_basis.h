/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite functions of a number, the parts of a record that plans name, and their parameters (records/features/hermite.h).
 *
 * Mehler: for 0 < rho < 1
 *     exp(-rho / (1 - rho^2) (u - v)^2) = sum_{c >= 0} phi_c(u) phi_c(v),
 *     phi_0 = (1 - rho^2)^(1/4) exp(-rho u^2 / (1 + rho)),   phi_1 = sqrt(2 rho) u phi_0,
 *     phi_{c+1} = sqrt(2 rho / (c+1)) u phi_c - rho sqrt(c / (c+1)) phi_{c-1},
 *     phi_c' = sqrt(2 c rho) phi_{c-1} - 2 rho / (1 + rho) u phi_c.
 * That is the Gaussian kernel of length scale s with 1 / (2 s^2) = rho / (1 - rho^2), that is rho =
 * sqrt(s^4 + 1) - s^2. The first C + 1 functions are a projection of all, so phi(u) has norm at most
 * 1, and any two are at most sqrt 2 apart because the kernel is not negative.
 *
 * A coordinate x in [0,1] (a number, or a pixel over 255) is u = reach (x - 1/2); its function has a
 * length scale in units of its range. Categories are one-hot, never numbers. Parts:
 *     hermite          phi of every coordinate by itself, for one or more functions: the sum kernel
 *     hermite-product  the outer product over the coordinates of a subset: the product kernel; and, if a metric is
 *                      given, the outer product over its coordinates z_j (public/features/kernel_metric.h), each moved
 *                      from its public range to [0,1]: the Mahalanobis kernel
 * all side by side, each of norm at most 1, so P parts have norm sqrt(P). */
#ifndef SBL_FEATURES_HERMITE_BASIS_H
#define SBL_FEATURES_HERMITE_BASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "public/features/kernel_metric.h"
#include "public/plan/facts.h"

#define SBL_HERMITE "hermite"
#define SBL_HERMITE_PRODUCT "hermite-product"
#define SBL_HERMITE_MOST_ORDER 500
#define SBL_HERMITE_MOST_FUNCTIONS 16
#define SBL_HERMITE_MOST_SIZE 16 /* coordinates of a subset */
#define SBL_HERMITE_MOST_LEVELS 4096

/* One family of functions of a coordinate. */
typedef struct sbl_hermite_function {
    double length; /* of the kernel, in units of the coordinate's range: 0.001 .. 100 */
    size_t order;  /* C: functions 0 .. C; at most SBL_HERMITE_MOST_ORDER */
    double reach;  /* of u: 0.01 .. 100 */
} sbl_hermite_function;

/* rho of a squared length scale s2 > 0, in (0,1). */
double sbl_hermite_rho(double s2);
/* phi_0 .. phi_order at u. */
void sbl_hermite_values(double *phi, double u, double rho, size_t order);
/* What part of the kernel's diagonal, 1, the functions hold at the worst place of the range. */
double sbl_hermite_held(const sbl_hermite_function *function);
/* The reach that holds most of it: a rule of length and order. */
double sbl_hermite_reach(double length, size_t order);

/* A coordinate of a part: numbers are 0 .. d - 1 and have a function, categorical columns d .. d + K -
 * 1 and have none; those of a metric follow and have one. */
#define SBL_HERMITE_ONEHOT ((size_t)-1)
typedef struct sbl_hermite_factor {
    size_t coordinate;
    size_t function;
    size_t width; /* order + 1, or the cardinality */
} sbl_hermite_factor;

typedef struct sbl_hermite_part {
    size_t factor, count; /* into factors */
    size_t offset, width; /* into the block */
} sbl_hermite_part;

typedef struct sbl_hermite {
    const sbl_facts *facts; /* borrowed */
    const char *name;       /* of the feature */
    bool kernel;            /* mode */
    size_t level_count;     /* of a number */
    double pull;            /* of the loss, beside the others' */
    sbl_hermite_function *functions;
    size_t function_count;
    sbl_hermite_factor *factors;
    size_t factor_count;
    sbl_hermite_part *parts;
    size_t part_count;
    size_t width;
    sbl_metric metric;         /* of a product: its last part; count 0: none */
    struct sbl_levels *levels; /* mode kernel: records/accumulate/levels.h */
} sbl_hermite;

/* Parameters, as written in plans. */
typedef struct sbl_hermite_options {
    bool norm;          /* mode norm, else kernel */
    size_t level_count; /* of a number, 2 .. SBL_HERMITE_MOST_LEVELS; of images 256 */
    double pull;        /* above 0 */
    const sbl_hermite_function *functions;
    size_t function_count; /* 1 .. SBL_HERMITE_MOST_FUNCTIONS */
    /* Of a product: its coordinates have the last functions, one each. NULL, count 0: none. */
    const sbl_metric *metric;
} sbl_hermite_options;
/* columns: NULL, every number has every function; else an array of d arrays of function numbers.
 * subsets: arrays of coordinates; columns: NULL, every number has function 0, else d numbers.
 * Both are taken. NULL when out of memory. */
json_t *sbl_hermite_parameters(const sbl_hermite_options *options, json_t *columns);
json_t *sbl_hermite_product_parameters(const sbl_hermite_options *options, json_t *columns, json_t *subsets);
/* Parts from parameters and facts; on failure, too, they are to be cleared. Leaves levels NULL. */
sbl_status sbl_hermite_parts_read(sbl_hermite *hermite, const sbl_facts *facts, const json_t *parameters,
                                  bool product, sbl_error *err);
void sbl_hermite_parts_clear(sbl_hermite *hermite);

static inline size_t sbl_hermite_coordinates(const sbl_hermite *hermite)
{
    return hermite->facts->shape.numeric + hermite->facts->shape.categorical + hermite->metric.count;
}

/* The first of the metric's. */
static inline size_t sbl_hermite_first_metric(const sbl_hermite *hermite)
{
    return hermite->facts->shape.numeric + hermite->facts->shape.categorical;
}

#endif
