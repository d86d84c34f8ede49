/* SPDX-License-Identifier: Apache-2.0 */
/* What a RON-Gauss release sums (Chanyaswad, Liu and Mittal 2019): means and second moments of
 * records that are points of the unit ball (public/rows/unit_record.h), seen through a public random
 * orthonormal projection. Parameters of the feature `ball` (records/features/ball_moments.c), made from public facts
 * before any data is opened, and rebuilt from their JSON when a release is read.
 *
 * With u = Q x, Q the first rows of a Haar matrix (public/rows/projection.h) or the identity when p = m:
 * - clip: one release of sum u (all m coordinates), sum u_i^2 and sum u_i u_j (i < j < p), counts.
 * - normalise (the paper's): x <- x / |x|; a first release of sum x and counts gives the centre
 *   c; then x <- (x - c) / |x - c|, and a second release of the moments of the first p
 *   coordinates of Q x. Vectors shorter than 2^-40 become e_1. The second release's plan holds the
 *   centre, so that it is all that a model needs.
 * A regression target y is one more coordinate, before the others, that Q leaves alone; the ball
 * then has radius sqrt(1 + a^2). docs/mechanisms/ron-gauss.md has sensitivities and proofs. */
#ifndef SBL_ROWS_PROJECTION_H
#define SBL_ROWS_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "public/plan/facts.h"
#include "public/rows/unit_record.h"

#define SBL_RON_FEATURE "ball"
#define SBL_RON_MEAN "mean"
#define SBL_RON_SQUARES "moments.squares"
#define SBL_RON_PRODUCTS "moments.products"
#define SBL_RON_GRID_BITS 14 /* the norm bound is 2^14 grid units: 14-bit coordinates */
#define SBL_RON_MAX_DIMENSIONS 4096

typedef enum sbl_ron_geometry { SBL_RON_CLIP, SBL_RON_NORMALISE } sbl_ron_geometry;
typedef enum sbl_ron_space { SBL_RON_ORIGINAL, SBL_RON_PROJECTED } sbl_ron_space;

/* Relative precision of the parts of a release, for a ball of radius 1: multipliers of mean,
 * moments and counts in the proportion mean : 1 : counts. */
typedef struct sbl_ron_split {
    double mean;
    double counts;
    double first_share; /* normalise: the first release's share of mu^2 (pure: of epsilon); else 1 */
} sbl_ron_split;

typedef struct sbl_ron_options {
    sbl_ron_geometry geometry;
    sbl_ron_space space;
    size_t dimensions; /* p, 1 .. m */
    bool counts;       /* release the class counts */
    bool pure;         /* Laplace noise */
    sbl_ron_split split;
    uint64_t seed; /* of the rotation */
} sbl_ron_options;

/* What the first release of `normalise` said, as its reader saw it. */
typedef struct sbl_ron_centre {
    double *means; /* (C, width): y, then x, per class */
    double *sizes; /* (C): rows per class, each at least 1 */
    double rows;
} sbl_ron_centre;

typedef struct sbl_ron_plan {
    sbl_unit_record record;
    sbl_ron_options options;
    sbl_ron_centre centre; /* zeros but in the plan of normalise's second release */
    size_t targets;        /* 1 with a regression target, else 0: coordinates before those of Q x */
    size_t width;          /* m + targets */
    size_t moments;        /* p + targets: coordinates that take part in squares and products */
    double radius;         /* of the ball, sqrt(1 + a^2) */
} sbl_ron_plan;

/* The record and the centre (NULL: none) are copied. Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_ron_plan_build(sbl_ron_plan *plan, const sbl_unit_record *record,
                              const sbl_ron_options *options, const sbl_ron_centre *centre, sbl_error *err);
/* As parameters of the feature, owned by the caller (json_decref); NULL when out of memory. And
 * back: parameters that do not give back themselves are refused; nothing in them may be ignored. */
json_t *sbl_ron_parameters(const sbl_ron_plan *plan);
sbl_status sbl_ron_plan_parse(sbl_ron_plan *plan, const json_t *parameters, sbl_error *err);
void sbl_ron_plan_clear(sbl_ron_plan *plan);

/* The record of a table: a numeric label is the target, kept within target_radius. */
sbl_status sbl_ron_record(sbl_unit_record *record, const sbl_facts *facts, double target_radius, bool centred,
                          sbl_error *err);

const char *sbl_ron_geometry_name(sbl_ron_geometry geometry);
const char *sbl_ron_space_name(sbl_ron_space space);

/* ---- the split of the budget (projection.c) ---- */

/* What a split depends on; all of it public. */
typedef struct sbl_ron_sizes {
    size_t width;    /* coordinates of the mean */
    size_t moments;  /* coordinates of the second moments */
    bool labelled;   /* more than one class: a record may change its label */
    bool counts;     /* released */
    bool add_remove; /* else replace-one */
    bool pure;
    bool paper; /* 0.3 of mu^2 (pure: of epsilon) for the mean, 0.7 for the moments */
    sbl_ron_geometry geometry;
} sbl_ron_sizes;

/* The split with the least expected squared error of all means and second moments together, for a
 * unit ball, or the paper's. A projected direction stands for the m/p directions that are modelled
 * by it. A count's error counts as half a coordinate: what it does to a mean. */
sbl_ron_split sbl_ron_split_choose(const sbl_ron_sizes *sizes);

/* Standard deviation of the noise on a sum of products of two coordinates, for a unit ball, when
 * the split's releases together cost `amount` (mu; pure: epsilon). */
double sbl_ron_noise(const sbl_ron_sizes *sizes, const sbl_ron_split *split, double amount);

/* ---- points (projection.c) ---- */

/* The rotation as the features need it: (m, m) or, for moments alone, (p, m); NULL where p = m and
 * it is the identity. */
typedef struct sbl_ron_rotation {
    double *rows;  /* (count, m) */
    float *packed; /* the same in single precision */
    size_t count;
} sbl_ron_rotation;

/* All m rows for clip and for what is drawn in the original space, else the p that are needed. */
sbl_status sbl_ron_rotation_init(sbl_ron_rotation *rotation, const sbl_ron_plan *plan, sbl_error *err);
void sbl_ron_rotation_clear(sbl_ron_rotation *rotation);

/* The feature, made. */
typedef struct sbl_ball {
    sbl_ron_plan plan;
    sbl_ron_rotation rotation;
    const sbl_facts *facts; /* borrowed */
} sbl_ball;

/* x / |x|, or e_1 when |x| < 2^-40 or not finite. */
void sbl_ron_normalise(float *x, size_t count);

/* points (rows, m) -> features (rows, width): y, then Q x. workspace: sbl_gemm_workspace(m). */
void sbl_ron_rotate(float *features, size_t stride, const sbl_ron_plan *plan,
                    const sbl_ron_rotation *rotation, const float *points, size_t coordinates,
                    const float *targets, size_t rows, float *workspace);

/* A uniformly distributed (Haar) orthogonal matrix from a public seed, in double precision.
 *
 * Q of the QR decomposition of a matrix of independent standard normals, with the signs that make
 * the diagonal of R positive, is Haar distributed (Mezzadri 2007). That Q is unique, so it does not
 * matter how it is found; here by Gram-Schmidt done twice, which for such matrices is orthonormal
 * to rounding, with sums in a fixed order: the same bits on every platform and for any number of
 * threads. (RON-Gauss draws uniform entries and leaves the signs to the library; that Q is not
 * Haar: its first direction is nearly the all-ones vector.) */

/* rows: (count, dimensions), count <= dimensions: the first count rows of a Haar matrix. */
sbl_status sbl_haar_rows(double *rows, size_t count, size_t dimensions, uint64_t seed, sbl_error *err);

/* The orthonormalisation alone: row k less its parts along rows 0 .. k - 1, at length 1, for each k
 * in turn. SBL_EARG when a row is (nearly) dependent on those before it. */
sbl_status sbl_orthonormalise(double *rows, size_t count, size_t dimensions, sbl_error *err);

#endif
