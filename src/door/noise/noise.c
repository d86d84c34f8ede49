/* SPDX-License-Identifier: Apache-2.0 */
/* Noise in batches, for one reservation (docs/mechanisms/noise.md). */
#include "door/noise/noise.h"

#include <string.h>

#include "door/noise/bit_source.h"
#include "door/noise/constant_flow.h"
#include "door/noise/exact_draw.h"
#include "door/noise/key.h"
#include "public/account/charge.h"

_Static_assert(5 * SBL_CONSTANT_FLOW_LEVELS + 1 == SBL_NOISE_SCALE_BITS,
               "both Gaussian samplers must have the scale that is charged");

bool sbl_noise_is_test_build(void) { return sbl_key_is_test(); }

sbl_status sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err)
{
    *noise = NULL;
    if (sbl_reserve_token_is_test(token) != sbl_key_is_test())
        return sbl_fail(err, SBL_EINTERNAL,
                        "a reservation in a real ledger needs a real noise key, and one in a test "
                        "ledger a test key");
    if (!sbl_reserve_token_spend(token))
        return sbl_fail(err, SBL_EINTERNAL,
                        "the reservation was spent on an earlier noise key; reserve again");
    return sbl_keystream_open(noise, err);
}

/* Noise of a source that failed on the way is not noise: none of it leaves. */
static sbl_status finish(const sbl_noise *noise, void *out, size_t size, sbl_error *err)
{
    if (!noise->failed) return SBL_OK;
    memset(out, 0, size);
    return sbl_fail(err, SBL_EENTROPY,
                    "the noise keystream failed, or was used in a child process; no noise was drawn");
}

sbl_status sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err)
{
    if (count < SBL_NOISE_CONSTANT_FLOW_BELOW)
        for (size_t i = 0; i < count; i++) out[i] = sbl_draw_constant_flow(noise, SBL_CONSTANT_FLOW_LEVELS);
    else
        for (size_t i = 0; i < count; i++) out[i] = sbl_draw_gaussian(noise, SBL_NOISE_SCALE_BITS);
    return finish(noise, out, count * sizeof *out, err);
}

sbl_status sbl_noise_laplace(sbl_noise *noise, sbl_i128 *out, size_t count, sbl_error *err)
{
    for (size_t i = 0; i < count; i++) out[i] = sbl_draw_laplace(noise, SBL_NOISE_SCALE_BITS);
    return finish(noise, out, count * sizeof *out, err);
}

uint64_t sbl_noise_words(const sbl_noise *noise) { return noise->words - noise->left; }

void sbl_noise_close(sbl_noise *noise) { sbl_keystream_close(noise); }
