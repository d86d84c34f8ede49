/* SPDX-License-Identifier: Apache-2.0 */
/* Release files: any bytes, and the same bytes with the right magic, version and closing hash. What
 * is accepted lies within its own bounds. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "door/release/release.h"

#define CHECK(condition) \
    if (!(condition)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *data, size_t size)
{
    sbl_release *release = NULL;
    sbl_error err;
    size_t values = 0;
    const sbl_status status = sbl_release_decode(&release, data, size, "input", &err);
    CHECK((status == SBL_OK) == (release != NULL));
    if (release == NULL) {
        CHECK(status == SBL_EINPUT && strchr(err.message, '\n') == NULL);
        return;
    }
    for (size_t b = 0; b < release->block_count; b++) {
        const sbl_block *block = &release->blocks[b];
        CHECK(sbl_release_find(release, block->name) == block && block->offset == values);
        (void)sbl_release_estimate(release, block, sbl_release_columns(release, block) - 1, block->width - 1);
        CHECK(sbl_release_noise_deviation(release, block) > 0);
        values += block->width * sbl_release_columns(release, block);
    }
    CHECK(values == release->value_count && values <= size / 16);
    sbl_release_free(release);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    if (size < 16 + SBL_SHA256_SIZE) return 0;
    uint8_t *copy = malloc(size);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    memcpy(copy, "SBLRELS\n", 8);
    sbl_store_u32(copy + 8, 1);
    CHECK(sbl_sha256(copy + size - SBL_SHA256_SIZE, copy, size - SBL_SHA256_SIZE, NULL, 0, NULL) == SBL_OK);
    decode(copy, size);
    free(copy);
    return 0;
}
