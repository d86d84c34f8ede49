/* Partial-sum files. Fixed width, little-endian:
 *     magic "SBLSUM1\n" | u32 version | layout hash (32) | u64 rows | u64 values |
 *     int64 per value: the blocks in order, then one count per class | HMAC-SHA256 of all before it
 * The reader knows the layout, hence the one size a file can have, before it believes a byte. */
#include <string.h>

#include "accumulate/sum_state.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"

#define MAGIC "SBLSUM1\n"
#define MAGIC_SIZE 8
#define VERSION 1
#define HASH_AT (MAGIC_SIZE + 4)
#define ROWS_AT (HASH_AT + SBL_SHA256_SIZE)
#define COUNT_AT (ROWS_AT + 8)
#define HEADER_SIZE (COUNT_AT + 8)
#define MAC_SIZE SBL_SHA256_SIZE

static sbl_status refuse_parts(const sbl_layout *layout, const char *where, sbl_error *err)
{
    return layout->rows_per_unit == 0
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "%s: sums of persons who may own several rows are not kept in parts: a "
                          "person's rows may stand in several",
                          where);
}

/* Cannot overflow: sbl_layout_validate leaves 8 more bytes for every value. */
static size_t file_size(const sbl_layout *layout)
{
    return HEADER_SIZE + 8 * sbl_layout_values(layout) + MAC_SIZE;
}

sbl_status sbl_sum_save(const sbl_sum *sum, const char *path, const uint8_t key[SBL_SUM_KEY_SIZE],
                        bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = file_size(&sum->layout);
    const sbl_file_write_options options = {.mode = 0600, .overwrite = overwrite};
    if (!sbl_sum_is_whole(sum))
        return sbl_fail(err, SBL_EARG, "%s: only a whole sum can be written", path);
    status = refuse_parts(&sum->layout, path, err);
    if (status != SBL_OK) return status;
    sbl_sum_fold_levels(sum);
    uint8_t *bytes = sbl_alloc_array(size, 1);
    if (bytes == NULL) return sbl_fail(err, SBL_EMEM, "out of memory while writing %s", path);
    memcpy(bytes, MAGIC, MAGIC_SIZE);
    uint8_t *next = sbl_store_u32(bytes + MAGIC_SIZE, VERSION);
    memcpy(next, sum->layout_hash, SBL_SHA256_SIZE);
    next = sbl_store_u64(bytes + ROWS_AT, sum->rows);
    next = sbl_store_u64(next, sum->value_count);
    for (size_t i = 0; i < sum->value_count; i++)
        next = sbl_store_u64(next, (uint64_t)sum->values[i]);
    SBL_TRY(sbl_hmac_sha256(next, key, SBL_SUM_KEY_SIZE, bytes, size - MAC_SIZE, err));
    SBL_TRY(sbl_file_write(path, bytes, size, options, err));
done:
    sbl_free_wiped(bytes, size);
    return status;
}

/* Is this a whole, unchanged file of this layout? What differs first decides the message. */
static sbl_status check_frame(const uint8_t *bytes, size_t size, const sbl_sum *sum,
                              const uint8_t key[SBL_SUM_KEY_SIZE], const char *where,
                              sbl_error *err)
{
    uint8_t mac[MAC_SIZE];
    if (size < HEADER_SIZE || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not a partial-sum file", where);
    if (sbl_load_u32(bytes + MAGIC_SIZE) != VERSION)
        return sbl_fail(err, SBL_EINPUT, "%s: partial-sum version %u is not known; this is %d",
                        where, (unsigned)sbl_load_u32(bytes + MAGIC_SIZE), VERSION);
    if (memcmp(bytes + HASH_AT, sum->layout_hash, SBL_SHA256_SIZE) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s belongs to another plan; make it again with this one",
                        where);
    if (size != file_size(&sum->layout) || sbl_load_u64(bytes + COUNT_AT) != sum->value_count)
        return sbl_fail(err, SBL_EINPUT, "%s is truncated or has bytes to spare; make it again",
                        where);
    const sbl_status status =
        sbl_hmac_sha256(mac, key, SBL_SUM_KEY_SIZE, bytes, size - MAC_SIZE, err);
    if (status != SBL_OK) return status;
    if (!sbl_equal_constant_time(mac, bytes + size - MAC_SIZE, MAC_SIZE))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: the seal is wrong; the file was changed or has another key", where);
    return SBL_OK;
}

/* Could records under these bounds have given these sums? */
static bool counts_are_plausible(const sbl_sum *sum)
{
    uint64_t left = sum->rows;
    for (size_t c = 0; c < sum->layout.classes; c++) {
        if (sum->counts[c] < 0 || (uint64_t)sum->counts[c] > left) return false;
        left -= (uint64_t)sum->counts[c];
    }
    return left == 0;
}

static bool block_is_plausible(const sbl_sum *sum, size_t block)
{
    const sbl_block *b = &sum->layout.blocks[block];
    const int64_t *values = sum->blocks[block].values;
    const uint64_t largest = sum->blocks[block].bounds.largest;
    for (size_t i = 0; i < sbl_block_values(&sum->layout, block); i++) {
        const uint64_t rows = b->per_class ? (uint64_t)sum->counts[i / b->width] : sum->rows;
        const int64_t limit = (int64_t)(rows * largest); /* <= 2^62: rows is within the cap */
        if (values[i] > limit || values[i] < (b->nonnegative ? 0 : -limit)) return false;
    }
    return true;
}

static bool is_plausible(const sbl_sum *sum)
{
    if (sum->rows > sum->layout.rows_cap || !counts_are_plausible(sum)) return false;
    for (size_t b = 0; b < sum->layout.block_count; b++)
        if (!block_is_plausible(sum, b)) return false;
    return true;
}

sbl_status sbl_sum_decode(sbl_sum **sum, const uint8_t *bytes, size_t size,
                          const sbl_layout *layout, const uint8_t key[SBL_SUM_KEY_SIZE],
                          const char *where, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_sum *made = NULL;
    *sum = NULL;
    SBL_TRY(refuse_parts(layout, where, err));
    SBL_TRY(sbl_sum_new(&made, layout, err));
    SBL_TRY(check_frame(bytes, size, made, key, where, err));
    made->rows = sbl_load_u64(bytes + ROWS_AT);
    for (size_t i = 0; i < made->value_count; i++)
        made->values[i] = (int64_t)sbl_load_u64(bytes + HEADER_SIZE + 8 * i);
    if (!is_plausible(made)) {
        status =
            sbl_fail(err, SBL_EINPUT, "%s: no records can have these sums; make it again", where);
        goto done;
    }
    *sum = made;
    made = NULL;
done:
    sbl_sum_free(made);
    return status;
}

sbl_status sbl_sum_load(sbl_sum **sum, const char *path, const sbl_layout *layout,
                        const uint8_t key[SBL_SUM_KEY_SIZE], sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *sum = NULL;
    sbl_status status = sbl_layout_validate(layout, err);
    if (status != SBL_OK) return status;
    status = sbl_file_read(&bytes, &size, path, file_size(layout), err);
    if (status == SBL_EINPUT)
        return sbl_fail(err, SBL_EINPUT,
                        "%s is no regular file that a partial sum of this plan would fit", path);
    if (status != SBL_OK) return status;
    status = sbl_sum_decode(sum, bytes, size, layout, key, path, err);
    sbl_free_wiped(bytes, size);
    return status;
}
