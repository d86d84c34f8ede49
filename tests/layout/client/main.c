/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest client of an installed Semblance: a library call and a version check. */
#include <semblance.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    double mu = 0.0;
    sbl_error err;
    if (strcmp(sbl_version(), SBL_VERSION_STRING) != 0) {
        printf("header %s, library %s\n", SBL_VERSION_STRING, sbl_version());
        return 1;
    }
    if (sbl_gdp_mu(&mu, 1.0, 1e-5, &err) != SBL_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    printf("mu %.6f\n", mu);
    return 0;
}
