/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn rows: their frequencies, where numbers lie in their cells, and that a row is a function of
 * the seed and its number. */
#include <math.h>
#include <string.h>

#include "after/sample/marginals_sampler.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/marginals_table.h"

FREES(sbl_marginals_sampler_free);

#define ROWS 40000
#define NUMERIC 4
#define CODES 3

typedef struct drawn {
    marginals_table table;
    sbl_marginals_model model;
    sbl_marginals_sampler *sampler;
    double *numeric;
    uint32_t *codes;
} drawn;

/* Probabilities fall with the cell in class 0 and rise in class 1; the second cell is empty. */
static void make(drawn *d, size_t bins)
{
    sbl_error err = {0};
    marginals_table_make(&d->table, true, bins);
    sbl_bins copy = {0};
    assert_ok(sbl_bins_copy(&copy, &d->table.cells, &err));
    assert_ok(sbl_marginals_model_init(&d->model, &copy, &err));
    assert_null(copy.columns); /* taken */
    const sbl_bins *cells = &d->model.cells;
    for (size_t c = 0; c < 2; c++)
        for (size_t k = 0; k < cells->count; k++) {
            float *p = d->model.probabilities + c * cells->total + cells->columns[k].offset;
            size_t count = cells->columns[k].count;
            double total = 0;
            for (size_t j = 0; j < count; j++) {
                p[j] = j == 1 ? 0 : (float)(c == 0 ? count - j : j + 1);
                total += (double)p[j];
            }
            for (size_t j = 0; j < count; j++) p[j] = (float)((double)p[j] / total);
        }
    d->model.class_shares[0] = 0.7F;
    d->model.class_shares[1] = 0.3F;
    assert_ok(sbl_marginals_sampler_new(&d->sampler, &d->model, 7, &err));
    assert_int_equal(cells->numeric_count, NUMERIC);
    assert_int_equal(cells->categorical_count, CODES);
    d->numeric = sbl_alloc_array(ROWS * NUMERIC, sizeof *d->numeric);
    d->codes = sbl_alloc_array(ROWS * CODES, sizeof *d->codes);
}

static void clear(drawn *d)
{
    sbl_marginals_sampler_free(d->sampler);
    sbl_marginals_model_clear(&d->model);
    marginals_table_clear(&d->table);
    sbl_free(d->numeric);
    sbl_free(d->codes);
}

static void draw(drawn *d, size_t wanted)
{
    sbl_error err = {0};
    memset(d->codes, 0xff, ROWS * CODES * sizeof *d->codes);
    for (size_t i = 0; i < ROWS * NUMERIC; i++) d->numeric[i] = NAN;
    assert_ok(sbl_marginals_sampler_draw(d->sampler, d->numeric, d->codes, 0, ROWS, wanted, &err));
}

static void assert_near(double count, double n, double p)
{
    assert_true(fabs(count - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1e-9);
}

/* Decode and encode every row, as a table would: its cells then have the model's frequencies. */
TEST(decoded_rows_have_the_models_frequencies)
{
    static const size_t bins[] = {1, 8, 32, 300};
    for (size_t b = 0; b < 4; b++) {
        drawn d;
        make(&d, bins[b]);
        draw(&d, SBL_ANY_CLASS);
        const sbl_bins *cells = &d.model.cells;
        double *counts = sbl_alloc_array(2 * cells->total, sizeof *counts), sizes[2] = {0};
        for (size_t r = 0; r < ROWS; r++) {
            double *numeric = d.numeric + r * NUMERIC;
            const uint32_t *codes = d.codes + r * CODES;
            uint32_t class = codes[cells->label];
            assert_true(class < 2);
            sizes[class]++;
            for (size_t h = 0; h < d.table.facts.heads.count; h++) {
                const sbl_head *head = &d.table.facts.heads.items[h];
                const sbl_column *column = &d.table.facts.schema->columns[head->column];
                if (head->kind == SBL_HEAD_CATEGORICAL) {
                    assert_true(codes[head->index] < head->cardinality);
                    continue;
                }
                double *unit = &numeric[head->index];
                assert_true(*unit >= 0 && *unit <= 1);
                *unit = sbl_column_to_unit(column, sbl_column_from_unit(column, *unit));
            }
            for (size_t k = 0; k < cells->count; k++)
                counts[class * cells->total + cells->columns[k].offset +
                       sbl_bins_find(&cells->columns[k], numeric, codes)]++;
        }
        assert_near(sizes[0], ROWS, 0.7);
        for (size_t c = 0; c < 2; c++)
            for (size_t t = 0; t < cells->total; t++)
                assert_near(counts[c * cells->total + t], sizes[c],
                            (double)d.model.probabilities[c * cells->total + t]);
        sbl_free(counts);
        clear(&d);
    }
}

/* Days of one bin, each as often as the others. */
TEST(values_of_a_cell_are_equally_likely)
{
    CLEARED(clear) drawn d;
    make(&d, 8);
    draw(&d, 0);
    const sbl_bins_column *visit = &d.model.cells.columns[VISIT];
    const sbl_column *column = &d.table.facts.schema->columns[5];
    double days[366] = {0}, cells[10] = {0};
    for (size_t r = 0; r < ROWS; r++) {
        double day = sbl_column_from_unit(column, d.numeric[r * NUMERIC + visit->index]);
        days[(size_t)(day - column->minimum)]++;
        cells[sbl_bins_find(visit, d.numeric + r * NUMERIC, d.codes + r * CODES)]++;
    }
    assert_int_equal(visit->count, 10);
    assert_near(days[0], ROWS, (double)d.model.probabilities[visit->offset]);
    for (size_t day = 46; day <= 91; day++) assert_near(days[day], cells[2], 1.0 / 46);
    assert_true(days[1] == 0 && days[45] == 0); /* the empty cell */
}

TEST(cell_of_one_value_gives_exactly_that_value)
{
    CLEARED(clear) drawn d;
    make(&d, 32);
    draw(&d, SBL_ANY_CLASS);
    const sbl_bins_column *age = &d.model.cells.columns[AGE];
    const sbl_bins_column *power = &d.model.cells.columns[POWER];
    size_t ends = 0;
    for (size_t r = 0; r < ROWS; r++) {
        const double *numeric = d.numeric + r * NUMERIC;
        size_t cell = sbl_bins_find(age, numeric, d.codes + r * CODES);
        assert_true(numeric[age->index] ==
                    sbl_column_to_unit(&d.table.facts.schema->columns[0], (double)cell));
        if (numeric[power->index] == 0 || numeric[power->index] == 1) ends++;
    }
    assert_true(ends > 0);
}

TEST(missing_number_is_marked_and_holds_the_constant)
{
    CLEARED(clear) drawn d;
    make(&d, 32);
    draw(&d, SBL_ANY_CLASS);
    const sbl_bins_column *income = &d.model.cells.columns[INCOME];
    const sbl_column *column = &d.table.facts.schema->columns[2];
    size_t missing = 0;
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t mark = d.codes[r * CODES + income->indicator];
        assert_true(mark <= 1);
        missing += mark;
        if (mark == 1)
            assert_true(d.numeric[r * NUMERIC + income->index] ==
                        sbl_column_to_unit(column, column->fallback));
    }
    assert_true(missing > 0 && missing < ROWS);
}

TEST(wanted_class_is_the_only_one)
{
    CLEARED(clear) drawn d;
    sbl_error err = {0};
    make(&d, 8);
    d.model.class_shares[0] = 1; /* share 0 does not matter when the class is asked for */
    d.model.class_shares[1] = 0;
    draw(&d, 1);
    for (size_t r = 0; r < ROWS; r++) assert_int_equal(d.codes[r * CODES + d.model.cells.label], 1);
    assert_int_equal(sbl_marginals_sampler_draw(d.sampler, d.numeric, d.codes, 0, 1, 2, &err), SBL_EARG);
    assert_int_equal(
        sbl_marginals_sampler_draw(d.sampler, d.numeric, d.codes, UINT64_C(1) << 56, 1, SBL_ANY_CLASS, &err),
        SBL_EARG);
}

TEST(rows_do_not_depend_on_chunks_or_threads)
{
    CLEARED(clear) drawn d;
    sbl_error err = {0};
    make(&d, 32);
    draw(&d, SBL_ANY_CLASS);
    double numeric[17 * NUMERIC];
    uint32_t codes[17 * CODES];
    int threads = sbl_thread_limit();
    sbl_thread_set(threads == 1 ? 3 : 1);
    for (size_t first = 0; first + 17 <= 1000; first += 17) {
        assert_ok(sbl_marginals_sampler_draw(d.sampler, numeric, codes, first, 17, SBL_ANY_CLASS, &err));
        assert_memory_equal(numeric, d.numeric + first * NUMERIC, sizeof numeric);
        assert_memory_equal(codes, d.codes + first * CODES, sizeof codes);
    }
    sbl_thread_set(threads);
    /* another seed gives other rows */
    FREED(sbl_marginals_sampler_free) sbl_marginals_sampler *other;
    assert_ok(sbl_marginals_sampler_new(&other, &d.model, 8, &err));
    assert_ok(sbl_marginals_sampler_draw(other, numeric, codes, 0, 17, SBL_ANY_CLASS, &err));
    assert_memory_not_equal(numeric, d.numeric, sizeof numeric);
}

TEST(table_of_numbers_alone_needs_no_codes)
{
    static const char text[] =
        "{\"fields\":[{\"name\":\"x\",\"type\":\"number\",\"constraints\":{\"minimum\":0,"
        "\"maximum\":1,\"required\":true}}]}";
    CLEARED(marginals_table_clear) marginals_table t;
    CLEARED(sbl_marginals_model_clear) sbl_marginals_model model;
    FREED(sbl_marginals_sampler_free) sbl_marginals_sampler *sampler;
    sbl_error err = {0};
    double value = 0.5;
    marginals_table_of(&t, text, 0);
    assert_int_equal(sbl_bins_find(&t.cells.columns[0], &value, NULL), 17);
    assert_ok(sbl_marginals_model_init(&model, &t.cells, &err));
    model.class_shares[0] = 1;
    model.probabilities[33] = 1;
    assert_ok(sbl_marginals_sampler_new(&sampler, &model, 1, &err));
    assert_ok(sbl_marginals_sampler_draw(sampler, &value, NULL, 0, 1, SBL_ANY_CLASS, &err));
    assert_true(value == 1);
}

TEST(lack_of_memory_is_reported)
{
    CLEARED(clear) drawn d;
    sbl_error err = {0};
    make(&d, 8);
    sbl_marginals_sampler *sampler;
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_marginals_sampler_new(&sampler, &d.model, 1, &err))) assert_null(sampler);
    sbl_marginals_sampler_free(sampler);
    sbl_marginals_sampler_free(NULL);
}
