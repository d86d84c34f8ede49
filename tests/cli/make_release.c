/* Writes a release, its certificate and its ledger for the cases of ledger/ and verify/:
 *     make_release EPSILON RELEASE CERTIFICATE [LEDGER]
 * Ends like the program would: one line and its exit code on failure. */
#include <stdio.h>
#include <stdlib.h>

#include "semblance/summary.h"

enum { ROWS = 100 };

int main(int argc, char **argv)
{
    static const sbl_summary_column column = {"height", 0.0, 10.0};
    uint32_t bins[ROWS];
    double values[ROWS];
    sbl_error err = {.status = SBL_OK};
    sbl_summary *summary = NULL;
    sbl_summary_options options;
    if (argc < 4) return 2;
    for (uint32_t row = 0; row < ROWS; row++) {
        bins[row] = row % 4;
        values[row] = row % 11;
    }
    const sbl_summary_records records = {bins, values, ROWS};
    sbl_summary_options_init(&options);
    options.epsilon = strtod(argv[1], NULL);
    options.release_path = argv[2];
    options.certificate_path = argv[3];
    options.ledger_path = argc > 4 ? argv[4] : NULL;
    const sbl_status status =
        sbl_summary_release(&summary, 4, &column, 1, &records, &options, &err);
    sbl_summary_free(summary);
    if (status != SBL_OK) (void)fprintf(stderr, "semblance: %s\n", err.message);
    return sbl_status_exit_code(status);
}
