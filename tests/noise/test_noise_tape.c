/* SPDX-License-Identifier: Apache-2.0 */
/* The text of the exact samplers, run on every tape of 20 bits (scale 2, k = 1), and on tapes made
 * to reach what chance would not. Expected counts: tests/vectors/gen/noise_tape.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape_source.h"

/* the samplers come after their source */
#include "door/noise/exact_draw.h"
#include "support/cmocka_all.h"

#define TAPE_BITS 20
#define TAPES (1u << TAPE_BITS)
#define LARGEST 32

typedef int draw(tape *source);

static int exp_0(tape *source) { return sbl_bernoulli_exp(source, 0, 3); }
static int exp_3_8(tape *source) { return sbl_bernoulli_exp(source, 3, 3); }
static int exp_1(tape *source) { return sbl_bernoulli_exp(source, 8, 3); }
static int exp_17_8(tape *source) { return sbl_bernoulli_exp(source, 17, 3); }
static int laplace(tape *source) { return (int)sbl_draw_laplace(source, 1); }
static int gaussian(tape *source) { return (int)sbl_draw_gaussian(source, 1); }

typedef struct counts {
    unsigned outcome[2 * LARGEST + 1];
    unsigned unfinished;
} counts;

static void run_all_tapes(counts *result, draw *sampler)
{
    memset(result, 0, sizeof *result);
    for (unsigned number = 0; number < TAPES; number++) {
        uint8_t bits[TAPE_BITS];
        for (unsigned i = 0; i < TAPE_BITS; i++) bits[i] = (uint8_t)(number >> (TAPE_BITS - 1 - i) & 1);
        tape source = {.bits = bits, .length = TAPE_BITS};
        const int outcome = sampler(&source);
        if (source.failed) {
            result->unfinished++;
            continue;
        }
        assert_in_range(outcome + LARGEST, 0, 2 * LARGEST);
        result->outcome[outcome + LARGEST]++;
    }
}

static void read_expected(counts *result, const char *sampler)
{
    FILE *file = fopen(SBL_TEST_SOURCE_DIR "/vectors/noise_tape.csv", "r");
    assert_non_null(file);
    memset(result, 0, sizeof *result);
    result->unfinished = TAPES;
    char line[128];
    char name[64];
    int outcome;
    unsigned tapes;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63[^,],%d,%u", name, &outcome, &tapes) == 3 && strcmp(name, sampler) == 0) {
            result->outcome[outcome + LARGEST] = tapes;
            result->unfinished -= tapes;
        }
    fclose(file);
}

static double true_probability(const char *sampler, int outcome)
{
    int numerator;
    int denominator = 1;
    if (sscanf(sampler, "bernoulli-exp-%d/%d", &numerator, &denominator) >= 1) {
        const double p = exp(-(double)numerator / denominator);
        return outcome == 1 ? p : outcome == 0 ? 1 - p : 0;
    }
    double total = 0;
    for (int y = -400; y <= 400; y++) total += sampler[0] == 'l' ? exp(-abs(y) / 2.0) : exp(-y * y / 8.0);
    return (sampler[0] == 'l' ? exp(-abs(outcome) / 2.0) : exp(-outcome * outcome / 8.0)) / total;
}

static void check_sampler(const char *name, draw *sampler)
{
    counts expected;
    counts found;
    read_expected(&expected, name);
    run_all_tapes(&found, sampler);
    assert_memory_equal(&found, &expected, sizeof found);
    for (int y = -LARGEST; y <= LARGEST; y++) {
        const double p = true_probability(name, y) * TAPES;
        const double at_least = found.outcome[y + LARGEST];
        assert_true(at_least <= p * (1 + 1e-12));
        assert_true(p <= at_least + found.unfinished);
    }
}

TEST(every_tape_bernoulli_exp_gives_the_exact_counts)
{
    check_sampler("bernoulli-exp-0", exp_0);
    check_sampler("bernoulli-exp-3/8", exp_3_8);
    check_sampler("bernoulli-exp-1", exp_1);
    check_sampler("bernoulli-exp-17/8", exp_17_8);
}

TEST(every_tape_laplace_gives_the_exact_counts) { check_sampler("laplace", laplace); }

TEST(every_tape_gaussian_gives_the_exact_counts) { check_sampler("gaussian", gaussian); }

TEST(tape_empty_every_sampler_ends)
{
    draw *const samplers[] = {exp_3_8, exp_1, exp_17_8, laplace, gaussian};
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
        tape source = {.bits = NULL, .length = 0};
        samplers[i](&source);
        assert_true(source.failed);
    }
}

/* A Laplace candidate of remainder 0 and the given number of scales at k = 1. */
static size_t write_candidate(uint8_t *bits, unsigned scales)
{
    static const uint8_t one_more[] = {0, 0, 0, 1, 1, 1}; /* 1 in 2: yes; 1 in 3: no; 3 is odd */
    size_t length = 1;                                    /* remainder: accepted without a bit */
    bits[0] = 0;
    for (unsigned i = 0; i < scales; i++, length += sizeof one_more)
        memcpy(bits + length, one_more, sizeof one_more);
    memset(bits + length, 1, 3); /* 1 in 2: no; 2 is even */
    length += 3;
    bits[length++] = 0; /* not negative */
    return length;
}

TEST(laplace_of_1000_scales_is_returned_as_it_is)
{
    uint8_t bits[8000];
    tape source = {.bits = bits, .length = write_candidate(bits, 1000)};
    assert_int_equal(laplace(&source), 2000);
    assert_false(source.failed);
    assert_int_equal(source.used, source.length);
}

TEST(gaussian_candidate_at_the_limit_is_drawn_again)
{
    uint8_t bits[2000];
    size_t length = write_candidate(bits, SBL_GAUSSIAN_CANDIDATE_LIMIT);
    length += write_candidate(bits + length, 1); /* 2, at distance 0 from the scale: accepted */
    tape source = {.bits = bits, .length = length};
    assert_int_equal(gaussian(&source), 2);
    assert_false(source.failed);
    assert_int_equal(source.used, length);
}

TEST(gaussian_candidate_below_the_limit_is_put_to_the_test)
{
    uint8_t bits[2000];
    size_t length = write_candidate(bits, SBL_GAUSSIAN_CANDIDATE_LIMIT - 1);
    memset(bits + length, 1, 3); /* 250^2 / 8 is above 1: the first trial fails */
    length += 3;
    length += write_candidate(bits + length, 1);
    tape source = {.bits = bits, .length = length};
    assert_int_equal(gaussian(&source), 2);
    assert_false(source.failed);
    assert_int_equal(source.used, length);
}
