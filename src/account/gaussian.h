/* What the files of this folder share of the Gaussian and mixed formulas. */
#ifndef SBL_ACCOUNT_GAUSSIAN_H
#define SBL_ACCOUNT_GAUSSIAN_H

/* Bound on the relative error of the two functions below, several times what the tests measure.
 * A decision against a limit multiplies the computed delta by 1 + this. */
#define SBL_DELTA_MARGIN 1e-13L

/* sbl_gdp_delta in extended range, so that no delta a caller may ask for underflows. Infinite
 * epsilon is allowed. */
long double sbl_gdp_delta_wide(double mu, long double epsilon);

/* sbl_mixed_delta likewise. */
long double sbl_mixed_delta_wide(double mu, double epsilon0, unsigned parts, long double epsilon);

/* sbl_mixed_epsilon for arguments that are known to be valid. */
double sbl_mixed_epsilon_valid(double mu, double epsilon0, unsigned parts, double delta);

#endif
