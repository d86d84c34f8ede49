/* Logarithm, exponential and sine from +, -, *, / and sqrt in a fixed order: IEEE 754 arithmetic
 * gives the same bits on every platform, which libm does not promise. Relative error below 1e-14
 * (logarithm, sine) and 1e-15 (exponential); far better than a float needs. */
#ifndef SBL_RANDOM_EXACT_MATH_H
#define SBL_RANDOM_EXACT_MATH_H

/* ln x for normal x > 0. */
double sbl_exact_log(double x);
/* e^x; 0 below -700, e^700 above 700. */
double sbl_exact_exp(double x);
/* sin and cos of 2 pi t for t in [0, 1). */
void sbl_exact_sincos_turns(double *sine, double *cosine, double t);

#endif
