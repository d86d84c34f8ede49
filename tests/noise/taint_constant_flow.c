/* SPDX-License-Identifier: Apache-2.0 */
/* Run under valgrind: no branch of a short batch may depend on the keystream. The buffer is left
 * uninitialised, so that memcheck follows every value that comes of it; a jump that depends on one
 * is an error. (An address may: the search in the table reads where the noise sends it.)
 *
 * taint_constant_flow short|long: a short batch must pass; a long one, drawn by the exact sampler,
 * must not, which shows that the check can see. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/noise/keystream.h"
#include "door/noise/noise.h"
#include "fake_token.h"

int main(int argc, char **argv)
{
    const size_t count = argc == 2 && strcmp(argv[1], "long") == 0 ? 4096 : 80;
    sbl_noise *noise = malloc(sizeof *noise);
    int64_t *out = calloc(count, sizeof *out);
    if (noise == NULL || out == NULL) return 2;
    noise->alive = 0; /* the buffer's words and no more: a refill would bring defined ones */
    noise->refills = 0;
    noise->words = SBL_KEYSTREAM_WORDS;
    noise->left = SBL_KEYSTREAM_WORDS;
    noise->failed = false;
    const sbl_status status = sbl_noise_gaussian(noise, out, count, NULL);
    printf("%zu words used, %s\n", (size_t)sbl_noise_words(noise), sbl_status_text(status));
    free(out);
    free(noise);
    return 0;
}
