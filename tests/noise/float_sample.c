/* SPDX-License-Identifier: Apache-2.0 */
/* What check_no_float.sh must find: one floating-point addition. */
double float_sample(double a, double b);

double float_sample(double a, double b) { return a + b; }
