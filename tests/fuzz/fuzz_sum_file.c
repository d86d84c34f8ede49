/* Partial-sum files: any bytes, the same bytes with a right seal, and with the right plan too, so
 * that the payload is reached. What is accepted must be a sum that records could have given. */
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/hash.h"

#define HASH_AT 12
#define MAC_SIZE SBL_SHA256_SIZE
#define CHECK(condition) \
    if (!(condition)) abort()

static const uint8_t key[SBL_SUM_KEY_SIZE] = {0};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sbl_layout small_layout(void)
{
    static sbl_block blocks[2] = {
        {.name = "a", .width = 2, .per_class = true, .bound2 = 100, .scale = 1},
        {.name = "b", .width = 2, .nonnegative = true, .bound2 = 9, .bound1 = 4, .scale = 1}};
    return (sbl_layout){
        .blocks = blocks, .block_count = 2, .classes = 2, .counts = true, .rows_cap = 1000};
}

static void decode(const uint8_t *data, size_t size, const sbl_layout *layout)
{
    sbl_sum *sum = NULL;
    sbl_error err;
    const sbl_status status = sbl_sum_decode(&sum, data, size, layout, key, "input", &err);
    CHECK((status == SBL_OK) == (sum != NULL));
    if (sum == NULL) {
        CHECK(status == SBL_EINPUT && strchr(err.message, '\n') == NULL);
        return;
    }
    const uint64_t rows = sbl_sum_rows(sum);
    CHECK(sbl_sum_is_whole(sum) && rows <= layout->rows_cap);
    CHECK(sbl_sum_counts(sum)[0] + sbl_sum_counts(sum)[1] == (int64_t)rows);
    for (size_t i = 0; i < 4; i++)
        CHECK(llabs(sbl_sum_values(sum, 0)[i]) <= 10 * sbl_sum_counts(sum)[i / 2]);
    const sbl_status merged = sbl_sum_merge(sum, sum, NULL);
    CHECK(merged == (rows <= layout->rows_cap / 2 ? SBL_OK : SBL_EINPUT));
    sbl_sum_free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sbl_layout layout = small_layout();
    decode(data, size, &layout);
    if (size < HASH_AT + SBL_SHA256_SIZE + MAC_SIZE) return 0;
    uint8_t *copy = malloc(size);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    for (int with_plan = 0; with_plan < 2; with_plan++) {
        if (with_plan != 0) CHECK(sbl_layout_hash(copy + HASH_AT, &layout, NULL) == SBL_OK);
        CHECK(sbl_hmac_sha256(copy + size - MAC_SIZE, key, sizeof key, copy, size - MAC_SIZE,
                              NULL) == SBL_OK);
        decode(copy, size, &layout);
    }
    free(copy);
    return 0;
}
