/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are levels: any two are at most sqrt(2 bound2) apart, whatever they are; tables that
 * would break that are refused; histograms give the bits that records give one by one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "records/accumulate/levels.h"
#include "records/accumulate/sum.h"
#include "records/accumulate/sum_state.h"
#include "records/features/hermite.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_sum_free);

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int hashes_until_failure = -1;
sbl_status __real_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err)
{
    if (hashes_until_failure >= 0 && hashes_until_failure-- == 0) return SBL_EINTERNAL;
    return __real_sbl_sha256(digest, first, first_size, second, second_size, err);
}

/* Two numbers of 7 levels, seen through two functions, a category of 3, and one that no part has. */
enum { LEVELS = 7, CODES = 3, COORDINATES = 4, CLASSES = 2 };

typedef struct kit {
    double rows[2][LEVELS * 9];
    sbl_level_table tables[3];
    sbl_level_factor factors[10];
    sbl_level_part parts[6];
    sbl_levels_rule rule;
    sbl_levels *levels;
    sbl_block block;
    sbl_layout layout;
} kit;

static void fill(double *rows, double rho, double reach, size_t order)
{
    for (size_t l = 0; l < LEVELS; l++)
        sbl_hermite_values(rows + l * (order + 1), reach * ((double)l / (LEVELS - 1) - 0.5), rho, order);
}

/* Singles, pairs and a triple; with the first factor a function or unit vectors. */
static void kit_rule(kit *k)
{
    static const sbl_level_factor factors[] = {{0, 0}, {1, 1}, {2, 2}, {0, 0}, {1, 0},
                                               {2, 2}, {1, 1}, {0, 1}, {1, 0}, {2, 2}};
    static const size_t counts[] = {1, 1, 1, 2, 2, 3};
    *k = (kit){0};
    fill(k->rows[0], 0.95, 8, 8);
    fill(k->rows[1], 0.3, 3, 2);
    memcpy(k->factors, factors, sizeof factors);
    k->tables[0] = (sbl_level_table){LEVELS, 9, k->rows[0]};
    k->tables[1] = (sbl_level_table){LEVELS, 3, k->rows[1]};
    k->tables[2] = (sbl_level_table){CODES, CODES, NULL};
    for (size_t p = 0, at = 0; p < COUNT(counts); at += counts[p++])
        k->parts[p] = (sbl_level_part){k->factors + at, counts[p]};
    k->rule = (sbl_levels_rule){COORDINATES,       .tables = k->tables,         .table_count = 3,
                                .parts = k->parts, .part_count = COUNT(counts), .bound2 = GRID_BOUND2};
}

static void kit_init(kit *k)
{
    kit_rule(k);
    assert_ok(sbl_levels_new(&k->levels, &k->rule, NULL));
    k->block = (sbl_block){"levels",
                           .width = sbl_levels_width(k->levels),
                           .per_class = true,
                           .pairwise = true,
                           .bound2 = GRID_BOUND2,
                           .scale = sbl_levels_scale(k->levels),
                           .levels = k->levels};
    k->layout = (sbl_layout){&k->block, .block_count = 1, .classes = CLASSES, .counts = true,
                             .rows_cap = UINT64_C(1) << 34};
}

static void kit_clear(kit *k) { sbl_levels_free(k->levels); }

static void add(sbl_sum *sum, const uint32_t *rows, const uint32_t *labels, size_t count)
{
    assert_ok(sbl_sum_begin_rows(sum, labels, count, NULL));
    assert_ok(sbl_sum_add_levels(sum, 0, rows, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
}

/* ---- bounds ---- */

/* Every record that there is, and what it adds. */
static int64_t *all_records(const kit *k, size_t *count)
{
    *count = LEVELS * LEVELS * CODES;
    int64_t *all = calloc(*count * k->block.width, sizeof *all);
    for (size_t i = 0; i < *count; i++) {
        const uint32_t row[COORDINATES] = {(uint32_t)(i % LEVELS), (uint32_t)(i / LEVELS % LEVELS),
                                           (uint32_t)(i / LEVELS / LEVELS), 99};
        const uint32_t label = 0;
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(&k->layout);
        add(sum, row, &label, 1);
        memcpy(all + i * k->block.width, sbl_sum_values(sum, 0), k->block.width * sizeof *all);
    }
    return all;
}

/* Of a person's rows the first k count, whatever class they are of; two persons are then at most k
 * times as far apart as two records. */
TEST(rows_of_a_person_beyond_the_first_k_add_nothing)
{
    enum { K = 2, ROWS = 6 };
    static const uint32_t unit_rows[ROWS] = {0, 0, 1, 2, 1, 2};
    static const uint32_t labels[ROWS] = {0, 1, 1, 0, 0, 1};
    kit k;
    uint32_t rows[ROWS * COORDINATES], kept[4 * COORDINATES], kept_labels[4];
    size_t count = 0;
    kit_init(&k);
    for (size_t i = 0; i < ROWS * COORDINATES; i++) rows[i] = (uint32_t)(5 * i % LEVELS);
    for (size_t r = 0; r < ROWS; r++) {
        if (unit_rows[r] >= K) continue;
        memcpy(kept + count * COORDINATES, rows + r * COORDINATES, COORDINATES * sizeof *rows);
        kept_labels[count++] = labels[r];
    }
    sbl_sum *expected = new_sum(&k.layout);
    add(expected, kept, kept_labels, count);
    k.layout.rows_per_unit = K;
    sbl_sum *found = new_sum(&k.layout);
    assert_ok(sbl_sum_begin_unit_rows(found, labels, unit_rows, ROWS, NULL));
    assert_ok(sbl_sum_add_levels(found, 0, rows, NULL));
    assert_ok(sbl_sum_end_rows(found, NULL));
    assert_int_equal(sbl_sum_rows(found), 4);
    assert_memory_equal(sbl_sum_values(found, 0), sbl_sum_values(expected, 0),
                        CLASSES * k.block.width * sizeof(int64_t));
    sbl_sum_free(found);
    sbl_sum_free(expected);
    kit_clear(&k);
}

TEST(no_two_records_are_further_apart_than_is_charged)
{
    CLEARED(kit_clear) kit k;
    size_t count;
    double nearest = 0;
    kit_init(&k);
    int64_t *all = all_records(&k, &count), *step = calloc(k.block.width, sizeof *step);
    for (size_t i = 0; i < count; i++) {
        assert_true(squares_of(all + i * k.block.width, k.block.width) <= GRID_BOUND2);
        for (size_t j = 0; j < i; j++) {
            for (size_t c = 0; c < k.block.width; c++)
                step[c] = all[i * k.block.width + c] - all[j * k.block.width + c];
            const sbl_u128 moved = squares_of(step, k.block.width);
            assert_true(moved <= 2 * (sbl_u128)GRID_BOUND2);
            nearest = fmax(nearest, (double)moved / (2.0 * (double)GRID_BOUND2));
        }
    }
    assert_true(nearest > 0.5); /* and the bound is not far from what there is */
    free(all);
    free(step);
}

TEST(integers_are_the_products_of_the_rows)
{
    CLEARED(kit_clear) kit k;
    size_t count;
    kit_init(&k);
    FREED(free) int64_t *all = all_records(&k, &count);
    for (size_t i = 0; i < count; i++) {
        const size_t a = i % LEVELS, b = i / LEVELS % LEVELS, c = i / LEVELS / LEVELS;
        const double scale = sbl_levels_scale(k.levels);
        const int64_t *q = all + i * k.block.width;
        const double *first = k.rows[0], *second = k.rows[1];
        for (size_t j = 0; j < 9; j++) /* part 0 */
            assert_true(fabs((double)q[j] - scale * first[a * 9 + j]) <= 0.5);
        for (size_t j = 0; j < CODES; j++) /* part 2 */
            assert_true(fabs((double)q[12 + j] - (j == c ? scale : 0)) <= 1);
        for (size_t x = 0; x < 9; x++) /* part 3: coordinates 0 and 1 */
            for (size_t y = 0; y < 9; y++)
                assert_true(fabs((double)q[15 + x * 9 + y] - scale * first[a * 9 + x] * first[b * 9 + y]) <
                            400);
        for (size_t x = 0; x < CODES; x++) /* part 4: unit vectors first */
            for (size_t y = 0; y < 3; y++)
                assert_true(fabs((double)q[96 + x * 3 + y] - (x == c ? scale * second[b * 3 + y] : 0)) < 400);
        for (size_t x = 0; x < 3; x++) /* part 5 */
            for (size_t y = 0; y < 9; y++)
                for (size_t z = 0; z < CODES; z++)
                    assert_true(fabs((double)q[105 + (x * 9 + y) * CODES + z] -
                                     (z == c ? scale * second[a * 3 + x] * first[b * 9 + y] : 0)) < 700);
    }
}

/* Random tables of norm 1 whose pairs are at most sqrt 2 apart: their outer products keep to the
 * bounds, also where products of rows are negative. */
TEST(outer_products_of_any_such_tables_keep_the_bounds)
{
    uint64_t seed = 7;
    size_t negative = 0, tried = 0;
    for (int turn = 0; turn < 400; turn++) {
        double rows[2][4 * 3];
        for (size_t t = 0; t < 2; t++)
            for (size_t l = 0; l < 4; l++) {
                double norm = 0;
                for (size_t j = 0; j < 3; j++) norm += pow(rows[t][l * 3 + j] = random_signed(&seed), 2);
                const double size = random_unit(&seed) < 0.5 ? 1 : random_unit(&seed);
                for (size_t j = 0; j < 3; j++) rows[t][l * 3 + j] *= size / sqrt(norm);
            }
        const sbl_level_table tables[] = {{4, 3, rows[0]}, {4, 3, rows[1]}};
        const sbl_level_factor factors[] = {{0, 0}, {1, 1}};
        const sbl_level_part part = {factors, 2};
        const sbl_levels_rule rule = {2, tables, 2, &part, 1, GRID_BOUND2};
        sbl_levels *levels;
        if (sbl_levels_new(&levels, &rule, NULL) != SBL_OK) continue;
        tried++;
        int32_t room[18];
        int64_t all[16][9] = {{0}};
        for (uint32_t i = 0; i < 16; i++)
            sbl_levels_add_row(levels, NULL, all[i], (const uint32_t[]){i % 4, i / 4}, room);
        for (size_t i = 0; i < 16; i++)
            for (size_t j = 0; j < i; j++) {
                int64_t step[9];
                double product = 0;
                for (size_t c = 0; c < 9; c++) {
                    step[c] = all[i][c] - all[j][c];
                    product += (double)all[i][c] * (double)all[j][c];
                }
                negative += product < 0;
                assert_true(squares_of(step, 9) <= 2 * (sbl_u128)GRID_BOUND2);
            }
        sbl_levels_free(levels);
    }
    assert_true(tried > 3 && negative > 0);
}

/* ---- refusals ---- */

TEST(tables_that_break_their_bounds_are_refused)
{
    static const double bad[][2] = {{1.01, 0}, {-1, 0}, {NAN, 0}, {INFINITY, 0}, {0, 1e300}};
    for (size_t i = 0; i < COUNT(bad); i++)
        for (size_t later = 0; later < 2; later++) {
            /* (1, 0) and another: too long, opposite, no number */
            const double rows[] = {1, 0, bad[i][0], bad[i][1]};
            const sbl_level_table tables[] = {{2, 2, rows}, {2, 2, NULL}};
            const sbl_level_factor factors[] = {{0, later}, {1, 1 - later}};
            const sbl_level_part part = {factors, 2};
            const sbl_levels_rule rule = {2, tables, 2, &part, 1, GRID_BOUND2};
            sbl_levels *levels;
            sbl_error err = {0};
            assert_int_equal(sbl_levels_new(&levels, &rule, &err), SBL_EARG);
            assert_null(levels);
            assert_non_null(strstr(err.message, "breaks its bounds"));
        }
}

TEST(rules_that_make_no_sense_are_refused)
{
    for (int fault = 0; fault < 16; fault++) {
        kit k;
        sbl_level_factor many[SBL_LEVELS_MOST_FACTORS + 1] = {{0, 0}};
        kit_rule(&k);
        if (fault == 0) k.rule.coordinates = 0;
        if (fault == 1) k.rule.part_count = 0;
        if (fault == 2) k.rule.table_count = 0;
        if (fault == 3) k.tables[0].levels = 0;
        if (fault == 4) k.tables[0].levels = SBL_LEVELS_MOST + 1;
        if (fault == 5) k.tables[0].width = 0;
        if (fault == 6) k.tables[0].width = SBL_LEVELS_MOST + 1;
        if (fault == 7) k.tables[2].width = CODES + 1;
        if (fault == 8) k.parts[0].count = 0;
        if (fault == 9) k.parts[0] = (sbl_level_part){many, COUNT(many)};
        if (fault == 10) k.factors[0].coordinate = COORDINATES;
        if (fault == 11) k.factors[0].table = 3;
        if (fault == 12) k.factors[4].coordinate = 0;                              /* twice */
        if (fault == 13) k.tables[1].levels = LEVELS - 1;                          /* of coordinate 1 */
        if (fault == 14) k.rule.bound2 = 1000;                                     /* too coarse */
        if (fault == 15) k.rule.bound2 = UINT64_C(1) << 60, k.rule.part_count = 1; /* too fine */
        sbl_error err = {0};
        if (sbl_levels_new(&k.levels, &k.rule, &err) != SBL_EARG) fail_msg("fault %d", fault);
        assert_null(k.levels);
        assert_true(err.message[0] != '\0');
    }
}

TEST(parts_that_are_too_wide_are_refused)
{
    const sbl_level_table table = {65536, 65536, NULL};
    const sbl_level_factor factors[] = {{0, 0}, {1, 0}, {2, 0}};
    sbl_levels *levels;
    for (size_t count = 2; count <= 3; count++) {
        const sbl_level_part parts[] = {{factors, count}, {factors, 2}};
        const sbl_levels_rule rule = {3, &table, 1, parts, 2, GRID_BOUND2};
        sbl_error err = {0};
        assert_int_equal(sbl_levels_new(&levels, &rule, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "2^32"));
    }
}

TEST(layouts_must_say_what_their_levels_say)
{
    CLEARED(kit_clear) kit k;
    kit_init(&k);
    const sbl_block good = k.block;
    uint8_t hash[2][SBL_SHA256_SIZE];
    assert_ok(sbl_layout_validate(&k.layout, NULL));
    for (size_t i = 0; i < COORDINATES; i++) /* the last has no part: all its codes are one level */
        assert_int_equal(sbl_levels_of(k.levels, i), i < 2 ? LEVELS : i == 2 ? CODES : 1);
    for (int fault = 0; fault < 9; fault++) {
        k.block = good;
        if (fault == 0) k.block.levels = NULL;
        if (fault == 1) k.block.pairwise = false;
        if (fault == 2) k.block.nonnegative = true;
        if (fault == 3) k.block.bound1 = 5;
        if (fault == 4) k.block.group = k.block.width;
        if (fault == 5) k.block.width--;
        if (fault == 6) k.block.bound2--;
        if (fault == 7) k.block.scale *= 2;
        if (fault == 8) k.block.withheld = true;
        if (sbl_layout_validate(&k.layout, NULL) != SBL_EARG) fail_msg("fault %d", fault);
    }
    /* nothing is formed from levels, and moments have none */
    sbl_block two[2] = {good, good};
    two[0].bound2 = 1 << 20;
    two[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &two[0], 2);
    two[0].bound2 = good.bound2;
    sbl_layout both = k.layout;
    both.blocks = two, both.block_count = 2;
    assert_int_equal(sbl_layout_validate(&both, NULL), SBL_EARG);
    two[0] = (sbl_block){.name = "plain", .width = 2, .bound2 = 4, .scale = 1};
    two[1] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &two[0], 2);
    assert_ok(sbl_layout_validate(&both, NULL));
    two[1].levels = k.levels, two[1].pairwise = true;
    sbl_error err = {0};
    assert_int_equal(sbl_layout_validate(&both, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "a block of levels is one of signed features"));
    /* the integers are part of the layout's hash */
    k.block = good;
    assert_ok(sbl_layout_hash(hash[0], &k.layout, NULL));
    k.rows[0][3] += 1e-6;
    sbl_levels_free(k.levels);
    assert_ok(sbl_levels_new(&k.levels, &k.rule, NULL));
    k.block.levels = k.levels;
    assert_ok(sbl_layout_hash(hash[1], &k.layout, NULL));
    assert_memory_not_equal(hash[0], hash[1], sizeof hash[0]);
}

/* ---- feeding ---- */

enum { ROWS = 200 };

static void make_rows(uint32_t *rows, uint32_t *labels, uint64_t seed)
{
    for (size_t i = 0; i < ROWS * COORDINATES; i++) {
        rows[i] = (uint32_t)(random_bits(&seed) % 9); /* some do not exist */
        if (rows[i] == 8) rows[i] = UINT32_MAX;
    }
    for (size_t r = 0; r < ROWS; r++) labels[r] = (uint32_t)(random_bits(&seed) % 3);
}

TEST(histograms_give_the_bits_of_single_records)
{
    static uint32_t rows[ROWS * COORDINATES], labels[ROWS];
    for (int per_class = 0; per_class < 2; per_class++) {
        CLEARED(kit_clear) kit k;
        kit_init(&k);
        k.block.per_class = per_class != 0;
        make_rows(rows, labels, 3);
        sbl_sum *whole = new_sum(&k.layout), *one_by_one = new_sum(&k.layout);
        sbl_sum *halves[2] = {new_sum(&k.layout), new_sum(&k.layout)};
        add(whole, rows, labels, ROWS);
        for (size_t r = 0; r < ROWS; r++) {
            add(one_by_one, rows + r * COORDINATES, labels + r, 1);
            add(halves[r % 2], rows + r * COORDINATES, labels + r, 1);
            if (r % 3 == 0) (void)sbl_sum_values(one_by_one, 0); /* folded now and then */
        }
        assert_true(same_sums(whole, one_by_one));
        assert_ok(sbl_sum_merge(halves[0], halves[1], NULL));
        assert_true(same_sums(whole, halves[0]));
        for (size_t i = 0; i < 2; i++) sbl_sum_free(halves[i]);
        sbl_sum_free(whole);
        sbl_sum_free(one_by_one);
    }
}

/* A record moves the sums of its own class and no other. */
TEST(classes_are_kept_apart)
{
    const uint32_t row[COORDINATES] = {3, 2, 1, 0}, labels[] = {0, 1};
    CLEARED(kit_clear) kit k;
    kit_init(&k);
    sbl_sum *sums[2];
    for (size_t c = 0; c < CLASSES; c++) {
        sums[c] = new_sum(&k.layout);
        add(sums[c], row, &labels[c], 1);
    }
    const int64_t *first = sbl_sum_values(sums[0], 0), *second = sbl_sum_values(sums[1], 0);
    assert_true(squares_of(first, k.block.width) > 0);
    assert_true(squares_of(first + k.block.width, k.block.width) == 0);
    assert_true(squares_of(second, k.block.width) == 0);
    assert_memory_equal(first, second + k.block.width, k.block.width * sizeof *first);
    for (size_t c = 0; c < CLASSES; c++) sbl_sum_free(sums[c]);
}

/* A cell holds 2^31 - 1 at most: then it is emptied first. */
TEST(full_histograms_are_emptied_in_time)
{
    static uint32_t rows[ROWS * COORDINATES], labels[ROWS];
    CLEARED(kit_clear) kit k;
    kit_init(&k);
    make_rows(rows, labels, 4);
    sbl_sum *sum = new_sum(&k.layout), *other = new_sum(&k.layout);
    add(sum, rows, labels, ROWS);
    sum->blocks[0].pending->rows = INT32_MAX;
    add(sum, rows, labels, ROWS);
    assert_int_equal(sum->blocks[0].pending->rows, ROWS);
    add(other, rows, labels, ROWS);
    add(other, rows, labels, ROWS);
    assert_true(same_sums(sum, other));
    sbl_sum_free(sum);
    sbl_sum_free(other);
}

TEST(a_block_of_levels_takes_nothing_else)
{
    CLEARED(kit_clear) kit k;
    kit_init(&k);
    const uint32_t row[COORDINATES] = {0}, label = 0;
    FREED(free) double *features = calloc(k.block.width, sizeof *features);
    sbl_block plain = {.name = "plain", .width = 2, .bound2 = 4, .scale = 1};
    sbl_layout other = k.layout;
    other.blocks = &plain;
    for (int fault = 0; fault < 6; fault++) {
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(fault == 2 ? &other : &k.layout);
        sbl_error err = {0};
        sbl_status status = SBL_OK;
        if (fault != 3) assert_ok(sbl_sum_begin_rows(sum, &label, 1, NULL));
        if (fault == 0) status = sbl_sum_add_f64(sum, 0, 0, k.block.width, features, k.block.width, &err);
        if (fault == 1) status = sbl_sum_add_ones(sum, 0, row, 1, &err);
        if (fault == 2 || fault == 3) status = sbl_sum_add_levels(sum, 0, row, &err);
        if (fault == 4) status = sbl_sum_add_levels(sum, 0, NULL, &err);
        if (fault == 5) {
            assert_ok(sbl_sum_add_levels(sum, 0, row, NULL));
            status = sbl_sum_add_levels(sum, 0, row, &err);
        }
        assert_int_equal(status, SBL_EARG);
        assert_true(err.message[0] != '\0');
        assert_false(sbl_sum_is_whole(sum));
    }
}

TEST(no_rows_need_no_levels)
{
    CLEARED(kit_clear) kit k;
    kit_init(&k);
    const uint32_t label = 0;
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&k.layout);
    assert_ok(sbl_sum_begin_rows(sum, &label, 0, NULL));
    assert_ok(sbl_sum_add_levels(sum, 0, NULL, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
    assert_true(squares_of(sbl_sum_values(sum, 0), k.block.width) == 0);
}

TEST(a_hash_that_fails_is_reported)
{
    kit k;
    kit_rule(&k);
    for (int n = 0;; n++) {
        hashes_until_failure = n;
        const sbl_status status = sbl_levels_new(&k.levels, &k.rule, NULL);
        const bool failed = hashes_until_failure < 0;
        hashes_until_failure = -1;
        assert_int_equal(status, failed ? SBL_EINTERNAL : SBL_OK);
        if (!failed) break;
        assert_null(k.levels);
    }
    kit_clear(&k);
}

TEST(lack_of_memory_is_reported)
{
    kit k;
    kit_rule(&k);
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_levels_new(&k.levels, &k.rule, NULL))) assert_null(k.levels);
    kit_clear(&k);
    kit_init(&k);
    const uint32_t row[COORDINATES] = {0}, label = 0;
    for (long n = 0; sbl_test_fail_next(&n);) {
        FREED(sbl_sum_free) sbl_sum *sum;
        sbl_status status = sbl_sum_new(&sum, &k.layout, NULL);
        if (status == SBL_OK) status = sbl_sum_begin_rows(sum, &label, 1, NULL);
        if (status == SBL_OK) status = sbl_sum_add_levels(sum, 0, row, NULL);
        sbl_test_no_memory(status);
    }
    kit_clear(&k);
}
