/* SPDX-License-Identifier: Apache-2.0 */
/* How much of its charge does a release use up? The largest change of the exact sums, times the
 * multipliers with which they are released, between any two contributions (replace-one) or by any
 * one (add-remove), against the joint sensitivity that the ledger was charged for. In integers:
 *     Gaussian   sum over values of (m_b dS)^2   <=  joint  <=  2^16 mu2
 *     Laplace    sum over values of |m_b dS|     <=  joint  =   eps0 / 2^40 */
#ifndef SBL_AUDIT_CHANGE_H
#define SBL_AUDIT_CHANGE_H

#include <stdbool.h>

#include "base/int128.h"
#include "door/ledger/ledger_book.h"
#include "door/release/release.h"
#include "owner/audit/contributions.h"

#define SBL_NO_CONTRIBUTION ((size_t)-1) /* the other of the two: there is no record */

typedef struct sbl_change {
    size_t pairs;
    size_t first, second; /* that move most */
    sbl_u128 moved;       /* by them; SBL_U128_MAX stands for anything that does not fit */
    bool within;          /* no pair exceeds the charge */
    double reach;         /* moved over charged, as a length: 1 is all of it. For people */
} sbl_change;

/* What a release of one less what one of the other holds, before noise. second NULL: nothing. */
sbl_u128 sbl_change_between(const sbl_sum *first, const sbl_sum *second, const sbl_release *release);
/* Fills within and reach from moved. entry: as it was charged. */
void sbl_change_judge(sbl_change *change, const sbl_ledger_entry *entry);

/* release: for its multipliers. entry: as it was charged. */
sbl_change sbl_change_largest(const sbl_contributions *all, const sbl_release *release,
                              const sbl_ledger_entry *entry);

/* m_b S of value `at` of noisy block i; NULL sum: 0. */
sbl_i128 sbl_scaled_value(const sbl_sum *sum, const sbl_release *release, size_t i, size_t at);

#endif
