/* SPDX-License-Identifier: Apache-2.0 */
/* What one release costs, in integers.
 *
 * A release adds noise of fixed scale 2^SBL_NOISE_SCALE_BITS to m_b times the sum of each block b,
 * in one draw. Its cost is the largest, over the cases that exclude each other (the record keeps
 * its label; it changes it; under add-remove: it is there or not), of
 *     Gaussian:  mu^2 = sum_b m_b^2 Delta2_b^2 / 2^112      (L2 sensitivities, squared)
 *     Laplace:   eps0 = sum_b m_b Delta1_b / 2^56           (L1 sensitivities)
 * (docs/mechanisms/joint-release.md). Where up to k rows of one person count, that is a person's
 * row, and a person costs k^2 (Laplace: k) times as much (docs/mechanisms/unit.md). Charges are fixed96 (base/int128.h), rounded up. */
#ifndef SBL_ACCOUNT_CHARGE_H
#define SBL_ACCOUNT_CHARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"
#include "base/kinds.h"
#include "semblance/account.h"

#define SBL_NOISE_SCALE_BITS 56

typedef enum sbl_mechanism { SBL_DISCRETE_GAUSSIAN = 0, SBL_DISCRETE_LAPLACE = 1 } sbl_mechanism;

/* Is the number of rows public? Only where a row is a person (rows_per_unit 0) and replaced by
 * another: one who takes the place of a person may own fewer rows, or more. */
static inline bool sbl_rows_are_public(sbl_neighbours neighbours, uint64_t rows_per_unit)
{
    return neighbours == SBL_REPLACE_ONE && rows_per_unit == 0;
}

/* "discrete-gaussian", "discrete-laplace"; and both kinds of names as lists that end with NULL. */
extern const char *const sbl_mechanism_names[];
extern const char *const sbl_neighbours_names[];
const char *sbl_mechanism_name(sbl_mechanism mechanism);

/* Per block, in grid units: squared L2 sensitivity for the Gaussian, L1 for Laplace.
 *
 * Blocks of one family are a vector per record, its squares and its products. Their sensitivities
 * hold alone; together they cost less than their sum (docs/mechanisms/ron-gauss.md). Write V, S, P
 * for what the three cost alone in a case, U for what the vector costs in one_record. Then
 *     together  max(S, P) + V
 *     Gaussian, where V = 4 U (a signed vector, both records in one sum), which it takes opposite
 *     vectors to reach, whose squares and products agree:  4 U when U >= max(S, P), else
 *               max(S, P) + 2 U + U^2 / max(S, P) */
typedef struct sbl_sensitivity {
    uint64_t same_label;    /* replace-one, the label stays */
    uint64_t label_change;  /* replace-one, the label changes */
    uint64_t one_record;    /* add-remove */
    size_t family;          /* 0: none */
    bool is_moments;        /* within its family: squares or products, not the vector */
    uint64_t rows_per_unit; /* the same for all blocks of a release. 0: the above is what a person
                             * moves, who has one row; k: what one of up to k rows of a person moves */
    bool of_person;         /* the above is what a person moves, with however many rows */
} sbl_sensitivity;

/* Of the squares or products of the first `outer` coordinates of vectors with |q|^2 <= norm2, at
 * most 2^30, summed per class (a label change moves two sums) or over all records. For Laplace it
 * is that of both together, whichever is asked for, and outer is the larger where they differ. The
 * family is left 0. */
sbl_sensitivity sbl_moments_sensitivity(sbl_mechanism mechanism, sbl_block_kind kind, uint64_t norm2,
                                        uint64_t outer, bool per_class);

typedef struct sbl_charge {
    sbl_u128 mu2;   /* fixed96 */
    sbl_u128 eps0;  /* fixed96, pure epsilon */
    sbl_u128 delta; /* fixed96, extra delta */
    uint64_t draws; /* integers of noise; 0 for none of them Gaussian */
} sbl_charge;

/* The joint sensitivity J: max over cases of sum_b m_b^2 s_b (Gaussian) or sum_b m_b s_b (Laplace),
 * a family taken together. A family has at most one vector. For persons with up to k rows, J also covers
 * added rows, because the number of rows is not fixed. J_1 is the sensitivity for one added row, and P the
 * cost of the blocks of_person:
 *     add-remove   k^2 J_1 + P                                          (Laplace: k J_1 + P)
 *     replace-one  max(k^2 J, ((k - 1) sqrt J + sqrt J_1)^2 + P)        (max(k J, (k - 1) J + J_1 + P))
 * Returns: SBL_OK; SBL_EARG when it does not fit 128 bits */
sbl_status sbl_joint_sensitivity(sbl_u128 *joint, sbl_mechanism mechanism, sbl_neighbours neighbours,
                                 const sbl_sensitivity *blocks, const uint64_t *multipliers, size_t count,
                                 sbl_error *err);

/* mu2 or eps0 from a joint sensitivity, rounded up; draws is copied (Gaussian only counts).
 * Returns: SBL_OK; SBL_EARG when the charge does not fit */
sbl_status sbl_charge_from_joint(sbl_charge *charge, sbl_mechanism mechanism, sbl_u128 joint, uint64_t draws,
                                 sbl_error *err);

/* Element-wise sum. SBL_EARG on overflow. */
sbl_status sbl_charge_add(sbl_charge *total, const sbl_charge *charge, sbl_error *err);

/* The largest integer multipliers proportional (up to rounding down) to `weights` whose release
 * costs at most `amount` (mu for the Gaussian, epsilon for Laplace); verified in integers.
 * Multipliers of blocks with zero sensitivity in every case are refused.
 * In:      amount > 0; weights > 0 finite; count >= 1
 * Returns: SBL_OK; SBL_EARG when a multiplier would be zero or too large for 62 bits */
sbl_status sbl_choose_multipliers(uint64_t *multipliers, sbl_mechanism mechanism, sbl_neighbours neighbours,
                                  const sbl_sensitivity *blocks, const double *weights, size_t count,
                                  double amount, sbl_error *err);

/* fixed96 to double, rounded up / down. */
double sbl_fixed96_to_double_up(sbl_u128 value);
double sbl_fixed96_to_double_down(sbl_u128 value);

/* double >= 0 to fixed96, rounded up / down. SBL_EARG when negative, NaN or too large. */
sbl_status sbl_fixed96_from_double_up(sbl_u128 *value, double number, sbl_error *err);
sbl_status sbl_fixed96_from_double_down(sbl_u128 *value, double number, sbl_error *err);

/* Running totals of a ledger. */
typedef struct sbl_totals {
    sbl_charge charge;
    uint64_t releases;          /* RESERVE lines */
    uint64_t gaussian_releases; /* of them, with Gaussian noise */
} sbl_totals;

/* sum += the cost of part for a group of `units` of its units, e.g. a person with `units` rows: mu grows by
 * their number, so mu^2 by its square, and a pure epsilon by it (docs/mechanisms/accounting.md).
 * Returns: SBL_OK; SBL_EARG for 0 units, for several if part has an extra delta, which is known for one
 * unit only, and for sums that do not fit: sum is unchanged */
sbl_status sbl_totals_add_group(sbl_totals *sum, const sbl_totals *part, uint64_t units, sbl_error *err);

#endif
