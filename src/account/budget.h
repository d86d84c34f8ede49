/* Does a running total of charges fit a budget? The one place where the integers of the ledger meet
 * floating point; every rounding goes outward (against the spender).
 *
 * The signature of sbl_budget_check holds no floating-point type, so that the ledger's own file,
 * which is compiled without floating point, can ask. */
#ifndef SBL_ACCOUNT_BUDGET_H
#define SBL_ACCOUNT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "account/charge.h"
#include "base/int128.h"
#include "base/status.h"

/* A budget as it stands in a ledger's first line: the texts are kept as they were given. */
#define SBL_BUDGET_TEXT_SIZE 32
typedef struct sbl_budget {
    char epsilon[SBL_BUDGET_TEXT_SIZE]; /* > 0, or "inf" */
    char delta[SBL_BUDGET_TEXT_SIZE];   /* in (0, 1); "0" for a budget of pure releases only */
    sbl_u128 mu2;                       /* fixed96; 0: no such limit */
} sbl_budget;

/* Running totals of a ledger. */
typedef struct sbl_totals {
    sbl_charge charge;
    uint64_t releases;          /* RESERVE lines */
    uint64_t gaussian_releases; /* of them, with Gaussian noise */
} sbl_totals;

/* Are the budget's texts well formed? SBL_EARG names what is wrong. */
sbl_status sbl_budget_validate(const sbl_budget *budget, sbl_error *err);

/* SBL_OK when totals fit the budget, SBL_EBUDGET (with public numbers only in the message) when
 * not: delta(eps_budget - allowance; mu, eps0) + allowance + extra delta <= delta_budget, evaluated
 * with outward rounding, and mu2 <= budget mu2 where given. Pure totals (mu2 = 0, delta = 0) need
 * eps0 <= eps_budget only. */
sbl_status sbl_budget_check(const sbl_budget *budget, const sbl_totals *totals, sbl_error *err);

/* The mu to spend on one Gaussian release of `draws` integers, so that it alone fits (epsilon,
 * delta): sbl_gdp_mu after the allowance for those draws is taken off. Up to epsilon 10 or so this
 * is sbl_gdp_mu in every digit shown; beyond 40 no delta may be left.
 * Returns: SBL_OK, SBL_EARG */
sbl_status sbl_release_mu(double *mu, double epsilon, double delta, uint64_t draws, sbl_error *err);

/* The smallest epsilon at delta that the totals amount to, allowance included, rounded up.
 * delta = 0 is allowed for pure totals. Infinity when no epsilon does. SBL_EARG for a bad delta. */
sbl_status sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta,
                              sbl_error *err);

#endif
