/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash against libcrypto's, which others wrote; locked pages. */
#include <stddef.h>
#include <stdint.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "support/cmocka_all.h"

static sbl_unit_tag by_libcrypto(const uint8_t key[16], const uint8_t *text, size_t length)
{
    uint8_t out[16];
    size_t size = sizeof out;
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                     OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    assert_int_equal(EVP_MAC_init(context, key, 16, parameters), 1);
    assert_int_equal(EVP_MAC_update(context, text, length), 1);
    assert_int_equal(EVP_MAC_final(context, out, &size, sizeof out), 1);
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    return (sbl_unit_tag){sbl_load_u64(out), sbl_load_u64(out + 8)};
}

TEST(siphash_is_that_of_libcrypto)
{
    uint8_t key[16], text[300];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * 167 + 3);
    for (size_t length = 0; length < sizeof text; length++) {
        for (size_t i = 0; i < 16; i++) key[i] = (uint8_t)(i + length);
        const sbl_unit_tag expected = by_libcrypto(key, text, length);
        const sbl_unit_tag found = sbl_siphash128(key, text, length);
        assert_true(found.low == expected.low && found.high == expected.high);
        sbl_siphash_state one_by_one;
        sbl_siphash_begin(&one_by_one, key);
        for (size_t i = 0; i < length; i++) sbl_siphash_add(&one_by_one, text[i]);
        const sbl_unit_tag same = sbl_siphash_end(&one_by_one);
        assert_true(same.low == expected.low && same.high == expected.high);
    }
}

TEST(locked_pages_are_zeros_and_can_be_written)
{
    uint8_t *pages = sbl_locked_alloc(5000, 3);
    assert_non_null(pages);
    for (size_t i = 0; i < 15000; i++) assert_int_equal(pages[i], 0);
    memset(pages, 1, 15000);
    sbl_locked_free(pages, 5000, 3);
    sbl_locked_free(NULL, 1, 1);
    assert_null(sbl_locked_alloc(0, 8));
    assert_null(sbl_locked_alloc(SIZE_MAX, 2));
    assert_null(sbl_locked_alloc(SIZE_MAX / 2, 1));
}
