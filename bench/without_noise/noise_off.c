/* SPDX-License-Identifier: Apache-2.0 */
/* Noise for benches that show what a method gives without privacy: there is none. NOT PRIVATE.
 *
 * Defines door/noise/noise.h for the library semblance_without_noise, which no install rule names. Every ledger, release and
 * certificate of this build is marked as one of the test key: the shipped program refuses its ledgers and says that its
 * certificates guarantee nothing. The charge is made as usual, so a method plans as it does with noise. */
#include <string.h>

#include "base/alloc.h"
#include "door/noise/noise.h"

struct sbl_noise {
    bool open;
};

bool sbl_noise_is_test_build(void) { return true; }

sbl_status sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *noise = NULL;
    if (!sbl_reserve_token_is_test(token) || !sbl_reserve_token_spend(token))
        return sbl_fail(err, SBL_EINTERNAL,
                        "a build without noise needs a fresh reservation of a ledger of its own");
    SBL_ALLOC(*noise, 1, "the noise");
    (*noise)->open = true;
done:
    return status;
}

sbl_status sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err)
{
    if (!noise->open) return sbl_fail(err, SBL_EINTERNAL, "the noise is not open");
    memset(out, 0, count * sizeof *out);
    return SBL_OK;
}

sbl_status sbl_noise_laplace(sbl_noise *noise, sbl_i128 *out, size_t count, sbl_error *err)
{
    if (!noise->open) return sbl_fail(err, SBL_EINTERNAL, "the noise is not open");
    memset(out, 0, count * sizeof *out);
    return SBL_OK;
}

uint64_t sbl_noise_words(const sbl_noise *noise)
{
    (void)noise;
    return 0;
}

void sbl_noise_close(sbl_noise *noise) { sbl_free(noise); }
