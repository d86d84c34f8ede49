/* SPDX-License-Identifier: Apache-2.0 */
/* mask_i = sum over j > i of PRG(s_ij) - sum over j < i of PRG(s_ij) mod 2^64: over all sites every stream
 * occurs once with each sign. The key of a stream is HKDF-SHA256 of the X25519 secret, salted with the
 * plan's hash, for both places in the list of sites and the attempt. The stream is ChaCha20. */
#include "records/shards/mask.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/sha256.h"

#define WORDS_AT_ONCE ((size_t)4096) /* 32 KiB: whole blocks of the keystream */

static const char purpose[] = "semblance mask 1";

/* purpose, both places in the list, the attempt: all of one length, so that no two pairs have one. */
#define INFO_SIZE (sizeof purpose + 3 * 8)

static sbl_status stream_key(uint8_t key[SBL_CHACHA20_KEY_SIZE], const sbl_key_agreement_key *own,
                             size_t first, size_t second, const uint8_t other[SBL_AGREE_SIZE],
                             const sbl_plan_file *plan, uint64_t attempt, sbl_error *err)
{
    uint8_t secret[SBL_AGREE_SIZE];
    uint8_t info[INFO_SIZE];
    memcpy(info, purpose, sizeof purpose);
    (void)sbl_store_u64(sbl_store_u64(sbl_store_u64(info + sizeof purpose, first), second), attempt);
    sbl_status status = sbl_key_agreement(secret, own, other, err);
    if (status == SBL_OK)
        status = sbl_derive_key(key, SBL_CHACHA20_KEY_SIZE, secret, sizeof secret, plan->hash,
                                sizeof plan->hash, info, sizeof info, err);
    sbl_wipe(secret, sizeof secret);
    return status;
}

/* words += or -= the stream of a key. */
static sbl_status add_stream(uint64_t *words, size_t count, bool add, const uint8_t *key, sbl_error *err)
{
    static const uint8_t nonce[SBL_CHACHA20_NONCE_SIZE] = {0}; /* a key has one stream */
    uint8_t bytes[8 * WORDS_AT_ONCE];
    sbl_status status = SBL_OK;
    for (size_t from = 0; from < count; from += WORDS_AT_ONCE) {
        const size_t left = count - from;
        const size_t part = left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE;
        const uint32_t block = (uint32_t)(8 * from / SBL_CHACHA20_BLOCK_SIZE);
        SBL_TRY(sbl_chacha20_keystream(bytes, 8 * part, key, nonce, block, err));
        for (size_t i = 0; i < part; i++) {
            const uint64_t word = sbl_load_u64(bytes + 8 * i);
            words[from + i] += add ? word : 0 - word;
        }
    }
done:
    sbl_wipe(bytes, sizeof bytes);
    return status;
}

static sbl_status find_site(size_t *site, const sbl_plan_file *plan, const uint8_t key[SBL_AGREE_SIZE],
                            const char *path, sbl_error *err)
{
    for (*site = 0; *site < plan->site_count; ++*site)
        if (memcmp(plan->sites[*site].key, key, SBL_AGREE_SIZE) == 0) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "%s is not the key of a site in the plan", path);
}

sbl_status sbl_mask(uint64_t *words, size_t count, size_t *site, const sbl_plan_file *plan,
                    const char *key_path, uint64_t attempt, sbl_error *err)
{
    uint8_t public_key[SBL_AGREE_SIZE];
    uint8_t key[SBL_CHACHA20_KEY_SIZE];
    sbl_key_agreement_key *own = NULL;
    sbl_status status = SBL_OK;
    if (count > ((size_t)UINT32_MAX / 8) * SBL_CHACHA20_BLOCK_SIZE)
        SBL_FAIL(err, SBL_EARG, "there are too many sums for one stream of masks");
    SBL_TRY(sbl_key_agreement_read_private(&own, public_key, key_path, err));
    SBL_TRY(find_site(site, plan, public_key, key_path, err));
    for (size_t other = 0; other < plan->site_count; other++) {
        const bool first = *site < other;
        if (other == *site) continue;
        SBL_TRY(stream_key(key, own, first ? *site : other, first ? other : *site, plan->sites[other].key,
                           plan, attempt, err));
        SBL_TRY(add_stream(words, count, first, key, err));
    }
done:
    sbl_wipe(key, sizeof key);
    sbl_key_agreement_key_free(own);
    return status;
}
