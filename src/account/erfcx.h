/* The scaled complementary error function erfcx(x) = exp(x^2) erfc(x), and differences of it. */
#ifndef SBL_ACCOUNT_ERFCX_H
#define SBL_ACCOUNT_ERFCX_H

/* In: x >= 0. Relative error below 1e-15. */
double sbl_erfcx(double x);

/* erfcx(x) - erfcx(x + width) without cancellation, however small width is.
 * In: -1/2 <= x <= 150; width > 0. Relative error below 5e-15. */
long double sbl_erfcx_drop(double x, long double width);

#endif
