/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, strictly and without a locale. */
#ifndef SBL_CLI_NUMBER_H
#define SBL_CLI_NUMBER_H

#define SBL_CLI_NUMBER_SIZE 40

/* As few digits as read back as the same number: for machines. Returns text. */
char *sbl_cli_exact(char text[SBL_CLI_NUMBER_SIZE], double number);

/* Ten digits, never above (down) or never below (up) the number: what a person reads must not
 * promise more than what was computed. Both return text. */
char *sbl_cli_rounded_up(char text[SBL_CLI_NUMBER_SIZE], double number);
char *sbl_cli_rounded_down(char text[SBL_CLI_NUMBER_SIZE], double number);

/* a / b for positive numbers, not below (up) or not above (down) the true quotient. */
double sbl_cli_divide_up(double a, double b);
double sbl_cli_divide_down(double a, double b);
/* Not below the true square root. */
double sbl_cli_sqrt_up(double number);

#endif
