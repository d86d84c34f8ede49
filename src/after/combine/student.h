/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t distribution. */
#ifndef SBL_COMBINE_STUDENT_H
#define SBL_COMBINE_STUDENT_H

/* The t with P[|T| <= t] = level. In: 0 < level < 1; degrees > 0, may be infinite (the normal distribution).
 * Relative error below 1e-12. */
double sbl_student_central(double level, double degrees);

#endif
