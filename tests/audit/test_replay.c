/* SPDX-License-Identifier: Apache-2.0 */
/* Differential replay: the same key, two neighbouring data sets, the whole way through the door.
 *
 * (a) every byte of every output but the noisy integers is the same;
 * (b) the noisy integers differ by m (S - S') exactly, and that difference costs no more than what
 *     was charged, in integers; the worst pairs come within 1 % of the charge, so that a charge
 *     that is too small cannot pass;
 * (c) Y - m S is the noise stream of that key, entry by entry: none is skipped, none used twice.
 * Deterministic: it cannot flake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "audit/moment_worlds.h"
#include "audit/ones_worlds.h"
#include "audit/worlds.h"
#include "door/ledger/ledger_book.h"
#include "door/noise/noise.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"
#include "support/one_folder.h"

#define KEY_NUMBER 20260101u

/* What one walk leaves behind. */
typedef struct outcome {
    sbl_release *release;
    sbl_status status;
    sbl_error err;
    char *ledger_text;
    char *file;
    size_t file_size;
    sbl_ledger_entry entry; /* as charged */
} outcome;

/* Replace what is random or a clock's by x: ids, hashes, times. Everything else must agree. */
static void mask_fields(char *text, const char *key)
{
    for (char *at = strstr(text, key); at != NULL; at = strstr(at, key)) {
        at += strlen(key);
        while (*at != ' ' && *at != '\n' && *at != '"' && *at != '\0') *at++ = 'x';
    }
}

static void walk(outcome *result, const world *w, const records *data, double amount)
{
    uint64_t multipliers[WORLD_NOISY_MAX];
    const char *ledger = in_folder(folder, "replay.ledger");
    const char *path = in_folder(folder, "replay.release");
    sbl_ledger_view view;
    memset(result, 0, sizeof *result);
    world_multipliers(multipliers, w, amount);
    make_roomy_ledger(ledger, w->neighbours);
    sbl_test_key_set(KEY_NUMBER);
    result->status = walk_through(&result->release, w, data, multipliers, ledger, path, &result->err);
    result->ledger_text = slurp(ledger, NULL);
    result->file = slurp(path, &result->file_size);
    assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger), NULL));
    assert_true(view.line_count >= 1);
    result->entry = view.lines[0].entry;
    sbl_ledger_view_clear(&view);
    (void)remove(ledger);
    (void)remove(path);
}

static void forget(outcome *result)
{
    sbl_release_free(result->release);
    free(result->ledger_text);
    free(result->file);
}

/* (a) */
static void assert_public_bytes_agree(const outcome *a, const outcome *b)
{
    static const char *const random_fields[] = {" id=", " rid=", " t=", " h=", " out="};
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->file_size, b->file_size);
    for (size_t i = 0; i < sizeof random_fields / sizeof random_fields[0]; i++) {
        mask_fields(a->ledger_text, random_fields[i]);
        mask_fields(b->ledger_text, random_fields[i]);
    }
    assert_string_equal(a->ledger_text, b->ledger_text);
    /* The header: everything before the payload of 16 bytes a value and the final SHA-256. */
    const size_t payload = 16 * a->release->value_count + SBL_SHA256_SIZE;
    assert_true(a->file_size > payload);
    const size_t header = a->file_size - payload;
    FREED(free) char *first = malloc(header + 1);
    FREED(free) char *second = malloc(header + 1);
    memcpy(first, a->file, header);
    memcpy(second, b->file, header);
    for (size_t i = 0; i < header; i++) { /* the length fields hold NUL bytes */
        if (first[i] == '\0') first[i] = '0';
        if (second[i] == '\0') second[i] = '0';
    }
    first[header] = second[header] = '\0';
    mask_fields(first, a->release->rid);
    static const char *const ids[] = {"\"rid\":\"", "\"ledger\":\""};
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(strstr(first, ids[i]));
        mask_fields(first, ids[i]);
        mask_fields(second, ids[i]);
    }
    assert_string_equal(first, second);
}

static sbl_u128 magnitude(sbl_i128 value) { return (sbl_u128)(value < 0 ? -value : value); }

/* The exact sums behind block i of a release. */
static const int64_t *exact_values(const sbl_sum *sum, size_t i)
{
    const sbl_layout *layout = sbl_sum_layout(sum);
    const size_t block = sbl_layout_noisy_block(layout, i);
    return block == layout->block_count ? sbl_sum_counts(sum) : sbl_sum_values(sum, block);
}

/* (b): sum over values of (m dS)^2 or |m dS|, checked against what was charged; returns its share
 * of that. */
static double assert_difference_is_paid_for(const outcome *a, const outcome *b, const world *w,
                                            const neighbour_pair *pair)
{
    sbl_sum *exact_a = world_sum(w, &pair->first, 3);
    sbl_sum *exact_b = world_sum(w, &pair->second, 4);
    sbl_u128 moved = 0;
    for (size_t i = 0; i < a->release->block_count; i++) {
        const sbl_block *block = &a->release->blocks[i];
        const int64_t *sum_a = exact_values(exact_a, i);
        const int64_t *sum_b = exact_values(exact_b, i);
        for (size_t j = 0; j < block->width * sbl_release_columns(a->release, block); j++) {
            const sbl_i128 got =
                a->release->values[block->offset + j] - b->release->values[block->offset + j];
            const sbl_i128 want = (sbl_i128)block->multiplier * (sum_a[j] - sum_b[j]);
            assert_true(got == want);
            const sbl_u128 step = magnitude(want);
            moved += w->mechanism == SBL_DISCRETE_GAUSSIAN ? step * step : step;
        }
    }
    /* fixed96 charge of variance 2^112 or scale 2^56. */
    const sbl_u128 paid =
        w->mechanism == SBL_DISCRETE_GAUSSIAN ? a->entry.charge.mu2 << 16 : a->entry.charge.eps0 >> 40;
    if (moved > paid || (pair->tight && moved < paid - paid / 100))
        print_error("%s: %s\n", w->name, pair->name);
    assert_true(moved <= paid);
    if (pair->tight) assert_true(moved >= paid - paid / 100);
    sbl_sum_free(exact_a);
    sbl_sum_free(exact_b);
    return (double)moved / (double)paid;
}

/* (c): draw the same key's stream again and compare. */
static void assert_noise_is_the_stream(const outcome *a, const world *w, const records *data)
{
    const char *ledger = in_folder(folder, "stream.ledger");
    sbl_reserve_token *token = NULL;
    sbl_noise *noise = NULL;
    const size_t count = a->release->value_count;
    sbl_i128 *stream = calloc(count, sizeof *stream);
    int64_t *draws = calloc(count, sizeof *draws);
    sbl_sum *exact = world_sum(w, data, 5);
    make_roomy_ledger(ledger, w->neighbours);
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(ledger), &a->entry, NULL));
    sbl_test_key_set(KEY_NUMBER);
    assert_ok(sbl_noise_open(&noise, token, NULL));
    if (w->mechanism == SBL_DISCRETE_LAPLACE) {
        assert_ok(sbl_noise_laplace(noise, stream, count, NULL));
    } else {
        assert_ok(sbl_noise_gaussian(noise, draws, count, NULL));
        for (size_t i = 0; i < count; i++) stream[i] = draws[i];
    }
    for (size_t i = 0; i < a->release->block_count; i++) {
        const sbl_block *block = &a->release->blocks[i];
        const int64_t *sums = exact_values(exact, i);
        for (size_t j = 0; j < block->width * sbl_release_columns(a->release, block); j++) {
            const size_t at = block->offset + j;
            const sbl_i128 used = a->release->values[at] - (sbl_i128)block->multiplier * sums[j];
            assert_true(used == stream[at]);
            assert_true(used != 0); /* 1 in 2^57: a zero means that none was added */
            for (size_t k = 0; k < at; k++) assert_true(used != stream[k]);
        }
    }
    /* Entropy accounting: the constant-flow sampler takes 3 words for each of 11 table look-ups. */
    if (w->mechanism == SBL_DISCRETE_GAUSSIAN && count < SBL_NOISE_CONSTANT_FLOW_BELOW)
        assert_int_equal(sbl_noise_words(noise) % count, 0);
    assert_true(sbl_noise_words(noise) >= count);
    sbl_noise_close(noise);
    sbl_reserve_token_free(token);
    sbl_sum_free(exact);
    free(stream);
    free(draws);
    (void)remove(ledger);
}

/* Both walks of one pair; returns the share of the charge that its difference takes up. */
static double replay_pair(const world *w, const neighbour_pair *pair)
{
    outcome a, b;
    walk(&a, w, &pair->first, 1.0);
    walk(&b, w, &pair->second, 1.0);
    if (a.status != SBL_OK || b.status != SBL_OK)
        print_error("%s: %s: %s %s\n", w->name, pair->name, a.err.message, b.err.message);
    assert_ok(a.status);
    assert_ok(b.status);
    assert_public_bytes_agree(&a, &b);
    const double share = assert_difference_is_paid_for(&a, &b, w, pair);
    assert_noise_is_the_stream(&a, w, &pair->first);
    forget(&a);
    forget(&b);
    return share;
}

static void replay_world(const world *w)
{
    neighbour_pair pairs[PAIR_COUNT];
    make_pairs(pairs, w);
    for (size_t p = 0; p < PAIR_COUNT; p++) (void)replay_pair(w, &pairs[p]);
    free_pairs(pairs);
}

TEST(neighbours_differ_only_by_what_was_charged)
{
    for (size_t i = 0; i < audit_world_count; i++) replay_world(&audit_worlds[i]);
}

/* Vectors with their squares and products: some pair of each world comes near its charge. */
TEST(moments_of_neighbours_differ_only_by_what_was_charged)
{
    for (size_t i = 0; i < moment_world_count; i++) {
        const moment_world *m = &moment_worlds[i];
        double most = 0;
        for (size_t p = 0; p < moment_pair_count; p++) {
            CLEARED(free_pair) neighbour_pair pair;
            make_moment_pair(&pair, m, p);
            most = fmax(most, replay_pair(&m->w, &pair));
        }
        if (most < m->reach) print_error("%s: only %g of the charge\n", m->w.name, most);
        assert_true(most >= m->reach);
    }
}

/* Records of ones: out of order, out of range, repeated, too many. */
TEST(ones_of_neighbours_differ_only_by_what_was_charged)
{
    for (size_t i = 0; i < ones_world_count; i++) {
        const world *w = &ones_worlds[i];
        double most = 0;
        for (size_t p = 0; p < ones_pair_count; p++) {
            CLEARED(free_pair) neighbour_pair pair;
            make_ones_pair(&pair, w, p);
            most = fmax(most, replay_pair(w, &pair));
        }
        if (most < 0.99) print_error("%s: only %g of the charge\n", w->name, most);
        assert_true(most >= 0.99);
    }
}

TEST(charge_is_the_asked_one_and_never_above)
{
    static const double amounts[] = {0.01, 0.2680511232112942, 1.0, 4.0};
    for (size_t i = 0; i < audit_world_count; i++) {
        const world *w = &audit_worlds[i];
        neighbour_pair pairs[PAIR_COUNT];
        make_pairs(pairs, w);
        for (size_t k = 0; k < 4; k++) {
            outcome a;
            walk(&a, w, &pairs[0].first, amounts[k]);
            const double asked = w->mechanism == SBL_DISCRETE_GAUSSIAN ? amounts[k] * amounts[k] : amounts[k];
            const double paid = sbl_fixed96_to_double_up(
                w->mechanism == SBL_DISCRETE_GAUSSIAN ? a.entry.charge.mu2 : a.entry.charge.eps0);
            assert_true(paid <= asked);
            assert_true(paid >= asked * (1 - 1e-5));
            forget(&a);
        }
        free_pairs(pairs);
    }
}

TEST(releases_of_different_keys_share_no_noise)
{
    const world *w = &audit_worlds[0];
    neighbour_pair pairs[PAIR_COUNT];
    uint64_t multipliers[2];
    sbl_release *first = NULL;
    sbl_release *second = NULL;
    const char *ledger = in_folder(folder, "two.ledger");
    make_pairs(pairs, w);
    world_multipliers(multipliers, w, 1.0);
    make_roomy_ledger(ledger, w->neighbours);
    sbl_test_key_set(1);
    const char *path = in_folder(folder, "two.release");
    assert_ok(walk_through(&first, w, &pairs[0].first, multipliers, ledger, path, NULL));
    assert_ok(walk_through(&second, w, &pairs[0].first, multipliers, ledger, path, NULL));
    size_t equal = 0;
    for (size_t i = 0; i < first->value_count; i++) equal += first->values[i] == second->values[i];
    assert_int_equal(equal, 0);
    sbl_release_free(first);
    sbl_release_free(second);
    free_pairs(pairs);
}

/* The pair of unit vectors u, v whose outer products differ by sqrt(2) p in the L1 norm, where the
 * RON-Gauss paper's Lemma 4 claims 2 sqrt(p) at most: split the coordinates in halves,
 * u_i = sqrt(2/p) cos t_i, v_i = sqrt(2/p) sin t_i with t = pi/8 on one half and 5 pi/8 on the
 * other. */
TEST(covariance_pair_of_the_paper_is_paid_for)
{
    enum { P = 16 };
    const world w = {
        "pure covariance of p = 16",   .width = P * P, .classes = 1, .mechanism = SBL_DISCRETE_LAPLACE,
        .neighbours = SBL_REPLACE_ONE, .bound1 = P}; /* ||x x^T||_1 = ||x||_1^2 <= p */
    double u[P], v[P], first[P * P], second[P * P];
    double l1 = 0;
    double frobenius = 0;
    for (size_t i = 0; i < P; i++) {
        const double t = acos(-1) * (i < P / 2 ? 1 : 5) / 8;
        u[i] = sqrt(2.0 / P) * cos(t);
        v[i] = sqrt(2.0 / P) * sin(t);
    }
    for (size_t i = 0; i < P * P; i++) {
        first[i] = u[i / P] * u[i % P];
        second[i] = v[i / P] * v[i % P];
        l1 += fabs(first[i] - second[i]);
        frobenius += (first[i] - second[i]) * (first[i] - second[i]);
    }
    assert_true(fabs(l1 - sqrt(2) * P) < 1e-9);
    assert_true(fabs(sqrt(frobenius) - sqrt(2)) < 1e-9);
    const neighbour_pair pair = {"outer products", {NULL, first, 1}, {NULL, second, 1}, false};
    outcome a, b;
    walk(&a, &w, &pair.first, 1.0);
    walk(&b, &w, &pair.second, 1.0);
    assert_ok(a.status);
    assert_ok(b.status);
    assert_difference_is_paid_for(&a, &b, &w, &pair);
    assert_noise_is_the_stream(&a, &w, &pair.first);
    forget(&a);
    forget(&b);
}

ALL_TESTS(make_folder, remove_folder)
