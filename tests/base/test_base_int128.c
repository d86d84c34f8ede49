/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cmocka_plain.h"
#include "base/int128.h"

static const char *text_of(sbl_u128 value)
{
    static char text[SBL_INT128_TEXT_SIZE];
    return sbl_u128_to_text(text, value);
}

static bool reads(sbl_u128 *value, const char *text) { return sbl_u128_from_text(value, text, strlen(text)); }

TEST(unsigned_text_covers_the_whole_range)
{
    assert_string_equal(text_of(0), "0");
    assert_string_equal(text_of(9), "9");
    assert_string_equal(text_of(10), "10");
    assert_string_equal(text_of((sbl_u128)1 << 64), "18446744073709551616");
    assert_string_equal(text_of(SBL_FIXED96_ONE), "79228162514264337593543950336");
    assert_string_equal(text_of(SBL_U128_MAX), "340282366920938463463374607431768211455");
}

TEST(text_round_trips)
{
    sbl_u128 value = 1;
    for (unsigned i = 0; i < 200; i++) {
        sbl_u128 back;
        assert_true(reads(&back, text_of(value)));
        assert_true(back == value);
        value = value * 5 + i;
    }
    assert_true(reads(&value, "340282366920938463463374607431768211455"));
    assert_true(value == SBL_U128_MAX);
}

TEST(text_that_is_not_canonical_is_refused)
{
    const char *const bad[] = {"",
                               "00",
                               "01",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1.0",
                               "0x1",
                               "1e3",
                               "a",
                               "1:2",
                               "340282366920938463463374607431768211456",
                               "999999999999999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_u128 value = 7;
        assert_false(reads(&value, bad[i]));
        assert_true(value == 7);
    }
    sbl_u128 value;
    assert_true(sbl_u128_from_text(&value, "123456", 3)); /* length counts, not the NUL */
    assert_true(value == 123);
}

TEST(checked_arithmetic_refuses_overflow_and_keeps_the_result)
{
    sbl_u128 result = 7;
    assert_false(sbl_u128_add(&result, SBL_U128_MAX, 1));
    assert_true(result == 7);
    assert_true(sbl_u128_add(&result, SBL_U128_MAX - 1, 1));
    assert_true(result == SBL_U128_MAX);
    result = 7;
    assert_false(sbl_u128_mul(&result, (sbl_u128)1 << 64, (sbl_u128)1 << 64));
    assert_false(sbl_u128_mul(&result, SBL_U128_MAX, 2));
    assert_true(result == 7);
    assert_true(sbl_u128_mul(&result, (sbl_u128)1 << 64, UINT64_MAX));
    assert_true(result == (sbl_u128)UINT64_MAX << 64);
    assert_true(sbl_u128_mul(&result, 0, SBL_U128_MAX));
    assert_true(result == 0);
}

static void check_root(sbl_u128 value)
{
    const sbl_u128 floor = sbl_u128_sqrt_floor(value);
    const sbl_u128 ceil = sbl_u128_sqrt_ceil(value);
    assert_true(floor * floor <= value);
    /* (floor + 1)^2 > value, written so that it cannot overflow */
    assert_true(value - floor * floor <= 2 * floor);
    assert_true(ceil == floor + (floor * floor != value));
}

TEST(square_roots_are_exact)
{
    for (unsigned value = 0; value < 5000; value++) check_root(value);
    for (unsigned bit = 0; bit < 128; bit++)
        for (unsigned offset = 0; offset <= 2; offset++) {
            check_root(((sbl_u128)1 << bit) + offset);
            check_root(((sbl_u128)1 << bit) - offset);
        }
    for (uint64_t root = UINT64_MAX; root > UINT64_MAX - 20; root--) {
        const sbl_u128 square = (sbl_u128)root * root;
        check_root(square);
        check_root(square - 1);
        check_root(square + 1);
    }
    check_root(SBL_U128_MAX);
    assert_true(sbl_u128_sqrt_ceil(SBL_U128_MAX) == (sbl_u128)1 << 64);
}

/* ceil(a b / c) = q: q c - c < a b <= q c, compared in two halves of 128 bits. */
static void multiply(sbl_u128 halves[2], sbl_u128 a, sbl_u128 b)
{
    const sbl_u128 low = (uint64_t)a * (sbl_u128)(uint64_t)b;
    const sbl_u128 cross = (a >> 64) * (uint64_t)b + (low >> 64);
    const sbl_u128 other = (uint64_t)a * (b >> 64) + (uint64_t)cross;
    halves[0] = (other << 64) | (uint64_t)low;
    halves[1] = (a >> 64) * (b >> 64) + (cross >> 64) + (other >> 64);
}

static void check_mul_div(sbl_u128 a, sbl_u128 b, sbl_u128 c)
{
    sbl_u128 product[2];
    sbl_u128 back[2];
    const sbl_u128 q = sbl_u128_mul_div_up(a, b, c);
    multiply(product, a, b);
    multiply(back, q, c);
    assert_true(back[1] > product[1] || (back[1] == product[1] && back[0] >= product[0]));
    if (q == 0) return;
    multiply(back, q - 1, c);
    assert_true(back[1] < product[1] || (back[1] == product[1] && back[0] < product[0]));
}

TEST(product_over_a_divisor_is_rounded_up_however_large)
{
    assert_true(sbl_u128_mul_div_up(7, 5, 7) == 5);
    assert_true(sbl_u128_mul_div_up(0, 5, 7) == 0);
    assert_true(sbl_u128_mul_div_up(5, 0, 7) == 0);
    assert_true(sbl_u128_mul_div_up(SBL_U128_MAX, SBL_U128_MAX, SBL_U128_MAX) == SBL_U128_MAX);
    for (unsigned a = 0; a < 20; a++)
        for (unsigned b = 0; b < 20; b++)
            for (unsigned c = a > 1 ? a : 1; c < 24; c++)
                assert_true(sbl_u128_mul_div_up(a, b, c) == (a * b + c - 1) / c);
    sbl_u128 x = 12345;
    for (unsigned i = 0; i < 20000; i++) {
        sbl_u128 n[3];
        for (unsigned k = 0; k < 3; k++) {
            x = x * (((sbl_u128)2549297995355413924u << 64) + 4865540595714422341u) + 1442695;
            n[k] = (x ^ (x >> 71)) >> (i * (k + 3) % 127);
        }
        const sbl_u128 c = n[2] == 0 ? 1 : n[2];
        check_mul_div(n[0] < c ? n[0] : n[0] % c, n[1], c);
    }
    check_mul_div(SBL_U128_MAX - 1, SBL_U128_MAX, SBL_U128_MAX);
}
