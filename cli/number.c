/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal texts rounded in a stated direction. Quotients and
 * roots are corrected by the sign of an exact fused remainder. */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEOPLE_DIGITS 10

char *sbl_cli_exact(char text[SBL_CLI_NUMBER_SIZE], double number)
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, SBL_CLI_NUMBER_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return text;
}

/* One unit of the last of PEOPLE_DIGITS digits. */
static double last_digit(double number)
{
    return pow(10.0, floor(log10(fabs(number))) - (PEOPLE_DIGITS - 1));
}

static char *rounded(char text[SBL_CLI_NUMBER_SIZE], double number, bool up)
{
    (void)snprintf(text, SBL_CLI_NUMBER_SIZE, "%.*g", PEOPLE_DIGITS, number);
    const double shown = strtod(text, NULL);
    if (up ? shown < number : shown > number)
        (void)snprintf(text, SBL_CLI_NUMBER_SIZE, "%.*g", PEOPLE_DIGITS,
                       up ? number + last_digit(number) : number - last_digit(number));
    return text;
}

char *sbl_cli_rounded_up(char text[SBL_CLI_NUMBER_SIZE], double number)
{
    return rounded(text, number, true);
}

char *sbl_cli_rounded_down(char text[SBL_CLI_NUMBER_SIZE], double number)
{
    return rounded(text, number, false);
}

/* The remainder q b - a is exact in a fused multiply-add, so its sign says on which side q lies. */
double sbl_cli_divide_up(double a, double b)
{
    const double quotient = a / b;
    return fma(quotient, b, -a) >= 0.0 ? quotient : nextafter(quotient, INFINITY);
}

double sbl_cli_divide_down(double a, double b)
{
    const double quotient = a / b;
    return fma(quotient, b, -a) <= 0.0 ? quotient : nextafter(quotient, 0.0);
}

double sbl_cli_sqrt_up(double number)
{
    const double root = sqrt(number);
    return fma(root, root, -number) >= 0.0 ? root : nextafter(root, INFINITY);
}
