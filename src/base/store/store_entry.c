/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for items of any store. */
#include "base/alloc.h"
#include "base/sha256.h"
#include "base/store/store.h"
#include "base/text.h"

sbl_status sbl_store_entry_sha256(char hash[SBL_SHA256_TEXT_SIZE], sbl_store_entry item, sbl_error *err)
{
    uint8_t digest[SBL_SHA256_SIZE];
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_store_entry_read(&bytes, &size, item, SIZE_MAX, err));
    SBL_TRY(sbl_sha256(digest, bytes, size, NULL, 0, err));
    sbl_hex_encode(hash, digest, sizeof digest);
done:
    sbl_free(bytes);
    return status;
}
