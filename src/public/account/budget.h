/* SPDX-License-Identifier: Apache-2.0 */
/* Does a running total of charges fit a budget? The one place where the integers of the ledger meet
 * floating point; every rounding goes outward (against the spender).
 *
 * The signature of sbl_budget_check holds no floating-point type, so that the ledger's own file,
 * which is compiled without floating point, can ask. */
#ifndef SBL_ACCOUNT_BUDGET_H
#define SBL_ACCOUNT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"
#include "public/account/charge.h"

/* A budget as in a ledger's first line: the texts are kept as they were given. */
#define SBL_BUDGET_TEXT_SIZE 32
#define SBL_NO_LIMIT "none" /* costs are added up and stated, none is refused */
typedef struct sbl_budget {
    char epsilon[SBL_BUDGET_TEXT_SIZE]; /* > 0; SBL_NO_LIMIT; or "inf": nothing is guaranteed */
    char delta[SBL_BUDGET_TEXT_SIZE];   /* in (0, 1); "0" for a budget of pure releases only */
    sbl_u128 mu2;                       /* fixed96; 0: no such limit */
} sbl_budget;

/* Does the budget refuse anything, ever? */
bool sbl_budget_has_limit(const sbl_budget *budget);

/* Is the first budget at most as large as the second? Without a limit everything is allowed; otherwise
 * neither epsilon nor delta nor mu2 may be larger. False if either is not a valid budget. */
bool sbl_budget_allows_no_more(const sbl_budget *budget, const sbl_budget *other);

/* Are the budget's texts well formed? SBL_EARG names what is wrong. */
sbl_status sbl_budget_validate(const sbl_budget *budget, sbl_error *err);

/* SBL_OK when totals fit the budget, SBL_EBUDGET (with public numbers only in the message) when
 * not: delta(eps_budget - allowance; mu, eps0) + allowance + extra delta <= delta_budget, evaluated
 * with outward rounding, and mu2 <= budget mu2 where given. Pure totals (mu2 = 0, delta = 0) need
 * eps0 <= eps_budget only. */
sbl_status sbl_budget_check(const sbl_budget *budget, const sbl_totals *totals, sbl_error *err);

/* Is delta small enough to mean anything? With probability delta all may be told: of n people at
 * 1/n or more, one of them could be published whole and the statement would still hold. So delta
 * must be below 1/n where n is public, and at most SBL_DELTA_MAX in any case. delta = 0 is fine; n
 * = 0: not known or private. Returns: SBL_OK; SBL_EARG says why */
#define SBL_DELTA_MAX 1e-3
sbl_status sbl_delta_check(double delta, uint64_t n, sbl_error *err);

/* The delta of who does not say one: 1e-5, and a tenth of 1/n, cut to two digits, where n is public and that is less.
 * n = 0: not known or private. */
#define SBL_DELTA_USUAL 1e-5
double sbl_delta_usual(uint64_t n);

/* The mu to spend on one Gaussian release of `draws` integers, so that it alone fits (epsilon,
 * delta): sbl_gdp_mu after the allowance for those draws is taken off. Up to epsilon 10 or so this
 * is sbl_gdp_mu in every digit shown; beyond 40 no delta may be left.
 * Returns: SBL_OK, SBL_EARG */
sbl_status sbl_release_mu(double *mu, double epsilon, double delta, uint64_t draws, sbl_error *err);

/* The largest epsilon of one more release that the budget still allows, rounded down: a Gaussian release that alone
 * is (epsilon, delta) private at the budget's delta, with as many draws as any release has, or a pure one where
 * that delta is 0. 0: none; infinity: the budget has no limit. */
double sbl_budget_epsilon_left(const sbl_budget *budget, const sbl_totals *totals);

/* The smallest epsilon at delta that the totals amount to, allowance included, rounded up.
 * delta = 0 is allowed for pure totals. Infinity when no epsilon does. SBL_EARG for a bad delta. */
sbl_status sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta, sbl_error *err);

#endif
