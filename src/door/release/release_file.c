/* SPDX-License-Identifier: Apache-2.0 */
/* The release file: magic, version, length of the header, header, values, and the SHA-256 of all of it
 * (docs/FORMATS.md). All numbers are little-endian. */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/size.h"
#include "door/release/release.h"

static const char magic[8] = {'S', 'B', 'L', 'R', 'E', 'L', 'S', '\n'};

#define VERSION 2
#define PREFIX_SIZE (sizeof magic + 4 + 4)
#define VALUE_SIZE 16
#define HEADER_LIMIT ((size_t)64 << 20)
#define FILE_LIMIT ((size_t)16 << 30)

static void store_i128(uint8_t *bytes, sbl_i128 value)
{
    bytes = sbl_store_u64(bytes, (uint64_t)value);
    sbl_store_u64(bytes, (uint64_t)((sbl_u128)value >> 64));
}

static sbl_i128 load_i128(const uint8_t *bytes)
{
    return (sbl_i128)((sbl_u128)sbl_load_u64(bytes + 8) << 64 | sbl_load_u64(bytes));
}

/* ---- writing ---- */

/* The header must read back as it was meant: a release that could not be loaded is not written. */
static sbl_status check_header(const sbl_release *release, const char *header, const char *where,
                               sbl_error *err)
{
    sbl_release *again = sbl_alloc_array(1, sizeof *again);
    if (again == NULL) return sbl_no_memory(err, "a release");
    sbl_status status = sbl_release_header_read(again, header, strlen(header), where, err);
    if (status == SBL_OK && again->value_count != release->value_count)
        status = sbl_fail(err, SBL_EINTERNAL, "release %s: its blocks do not cover its values", where);
    sbl_release_free(again);
    return status;
}

static sbl_status encode(uint8_t **bytes, size_t *size, const sbl_release *release, const char *header,
                         const char *where, sbl_error *err)
{
    const size_t header_size = strlen(header);
    const size_t values_at = PREFIX_SIZE + header_size;
    size_t values_size;
    *bytes = NULL;
    if (!sbl_size_mul(&values_size, release->value_count, VALUE_SIZE) || values_size > FILE_LIMIT ||
        header_size > HEADER_LIMIT)
        return sbl_fail(err, SBL_EARG, "release %s would be too large: release fewer numbers", where);
    const size_t hash_at = values_at + values_size;
    *size = hash_at + SBL_SHA256_SIZE;
    *bytes = sbl_alloc_array(*size, 1);
    if (*bytes == NULL) return sbl_no_memory(err, "a release");
    memcpy(*bytes, magic, sizeof magic);
    sbl_store_u32(*bytes + sizeof magic, VERSION);
    sbl_store_u32(*bytes + sizeof magic + 4, (uint32_t)header_size);
    memcpy(*bytes + PREFIX_SIZE, header, header_size);
    for (size_t i = 0; i < release->value_count; i++)
        store_i128(*bytes + values_at + i * VALUE_SIZE, release->values[i]);
    return sbl_sha256(*bytes + hash_at, *bytes, hash_at, NULL, 0, err);
}

sbl_status sbl_release_save(const sbl_release *release, sbl_store_entry to, bool overwrite,
                            uint8_t hash[SBL_SHA256_SIZE], bool *appeared, sbl_error *err)
{
    const sbl_file_write_options options = {.mode = 0644, .overwrite = overwrite, .appeared = appeared};
    uint8_t digest[SBL_SHA256_SIZE];
    uint8_t *bytes = NULL;
    char *header = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    if (appeared != NULL) *appeared = false;
    SBL_TRY(sbl_release_header_write(&header, release, err));
    SBL_TRY(check_header(release, header, to.name, err));
    SBL_TRY(encode(&bytes, &size, release, header, to.name, err));
    SBL_TRY(sbl_sha256(digest, bytes, size, NULL, 0, err));
    if (hash != NULL) memcpy(hash, digest, sizeof digest);
    SBL_TRY(sbl_store_entry_write(to, bytes, size, options, err));
done:
    sbl_free(bytes);
    sbl_free(header);
    return status;
}

/* ---- reading ---- */

/* Magic, version and the closing hash; then *header_size is known to lie within the file. */
static sbl_status check_frame(size_t *header_size, const uint8_t *bytes, size_t size, const char *where,
                              sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    if (size < PREFIX_SIZE + SBL_SHA256_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not a release file", where);
    const uint32_t version = sbl_load_u32(bytes + sizeof magic);
    if (version != VERSION)
        return sbl_fail(err, SBL_EINPUT,
                        "release %s has version %u, this program knows version %d: use the "
                        "program that made it",
                        where, version, VERSION);
    const size_t hash_at = size - SBL_SHA256_SIZE;
    const sbl_status status = sbl_sha256(hash, bytes, hash_at, NULL, 0, err);
    if (status != SBL_OK) return status;
    if (memcmp(hash, bytes + hash_at, sizeof hash) != 0)
        return sbl_fail(err, SBL_EINPUT, "release %s is damaged or cut short: its hash does not match",
                        where);
    *header_size = sbl_load_u32(bytes + sizeof magic + 4);
    if (*header_size > HEADER_LIMIT || *header_size > hash_at - PREFIX_SIZE)
        return sbl_fail(err, SBL_EINPUT, "release %s: its header does not fit the file", where);
    return SBL_OK;
}

static sbl_status read_values(sbl_release *release, const uint8_t *bytes, size_t size, const char *where,
                              sbl_error *err)
{
    if (size % VALUE_SIZE != 0 || size / VALUE_SIZE != release->value_count)
        return sbl_fail(err, SBL_EINPUT,
                        "release %s is damaged: its number of values is not the one that its header states",
                        where);
    sbl_status status = SBL_OK;
    SBL_ALLOC(release->values, release->value_count, "a release");
    for (size_t i = 0; i < release->value_count; i++) release->values[i] = load_i128(bytes + i * VALUE_SIZE);
done:
    return status;
}

sbl_status sbl_release_decode(sbl_release **release, const uint8_t *bytes, size_t size, const char *where,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t header_size = 0;
    sbl_release *made = NULL;
    *release = NULL;
    SBL_TRY(check_frame(&header_size, bytes, size, where, err));
    SBL_ALLOC(made, 1, "a release");
    SBL_TRY(sbl_release_header_read(made, (const char *)bytes + PREFIX_SIZE, header_size, where, err));
    const size_t values_at = PREFIX_SIZE + header_size;
    SBL_TRY(read_values(made, bytes + values_at, size - SBL_SHA256_SIZE - values_at, where, err));
    *release = made;
    made = NULL;
done:
    sbl_release_free(made);
    return status;
}

sbl_status sbl_release_load_hashed(sbl_release **release, uint8_t hash[SBL_SHA256_SIZE], sbl_store_entry from,
                                   sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *release = NULL;
    sbl_status status = sbl_store_entry_read(&bytes, &size, from, FILE_LIMIT, err);
    if (status == SBL_OK) status = sbl_sha256(hash, bytes, size, NULL, 0, err);
    if (status == SBL_OK) status = sbl_release_decode(release, bytes, size, from.name, err);
    sbl_free(bytes);
    return status;
}

sbl_status sbl_release_load(sbl_release **release, sbl_store_entry from, sbl_error *err)
{
    uint8_t hash[SBL_SHA256_SIZE];
    return sbl_release_load_hashed(release, hash, from, err);
}
