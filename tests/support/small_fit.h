/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest complete job, from records in memory to a release, its certificate and its ledger in files. */
#ifndef SBL_TEST_SMALL_FIT_H
#define SBL_TEST_SMALL_FIT_H

#include <semblance/synthesizer.h>

/* ledger NULL: the one beside the release. */
sbl_status small_fit(double epsilon, const char *release, const char *certificate, const char *ledger,
                     sbl_error *err);

#endif
