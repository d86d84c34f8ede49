/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a release, its certificate and its ledger for the cases of ledger/ and verify/:
 *     make_release EPSILON RELEASE CERTIFICATE [LEDGER]
 * Ends like the program would: one line and its exit code on failure. */
#include <stdio.h>
#include <stdlib.h>

#include "support/small_fit.h"

int main(int argc, char **argv)
{
    sbl_error err = {.status = SBL_OK};
    if (argc < 4) return 2;
    const sbl_status status =
        small_fit(strtod(argv[1], NULL), argv[2], argv[3], argc > 4 ? argv[4] : NULL, &err);
    if (status != SBL_OK) (void)fprintf(stderr, "semblance: %s\n", err.message);
    return sbl_status_exit_code(status);
}
