/* SPDX-License-Identifier: Apache-2.0 */
/* What every feature of the list must keep, on tables and images of every kind: blocks that can be
 * summed, bounds that hold for any record, integers that depend on their record alone, parameters
 * of which nothing is ignored, and clean failures. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/int128.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"

FREES(sbl_free);
FREES(sbl_sum_free);

#define ROWS 40

/* A plan of one feature, made. */
typedef struct one_feature {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
} one_feature;

static sbl_status make(sbl_features *features, sbl_plan *plan, const sbl_facts *facts, const char *name,
                       json_t *parameters, sbl_error *err)
{
    assert_ok(sbl_plan_init(plan, "test", NULL));
    assert_ok(sbl_plan_add(plan, name, parameters, 1.0, NULL));
    plan->counts = true;
    assert_ok(sbl_plan_finish(plan, facts, NULL));
    return sbl_features_make(features, plan, facts, NULL, err);
}

static void one_clear(one_feature *one)
{
    sbl_features_clear(&one->features);
    sbl_plan_clear(&one->plan);
    sbl_facts_clear(&one->facts);
}

/* Calls check for every feature, in every variant, on all data that it takes. */
static void for_all(void (*check)(const one_feature *one))
{
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        for (data_case c = 0; c < DATA_CASES; c++)
            for (size_t v = 0; v < data_variants((*f)->name); v++) {
                CLEARED(one_clear) one_feature one = {0};
                sbl_error err = {0};
                data_facts(&one.facts, c);
                if (data_fits((*f)->name, &one.facts)) {
                    json_t *parameters = data_parameters((*f)->name, v, &one.facts);
                    if (make(&one.features, &one.plan, &one.facts, (*f)->name, parameters, &err) != SBL_OK)
                        fail_msg("%s on data %d: %s", (*f)->name, (int)c, err.message);
                    check(&one);
                }
            }
}

/* ---- public ---- */

TEST(data_that_a_feature_cannot_take_is_refused)
{
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        for (data_case c = 0; c < DATA_CASES; c++) {
            CLEARED(one_clear) one_feature one = {0};
            sbl_error err = {0};
            data_facts(&one.facts, c);
            json_t *parameters = data_parameters((*f)->name, 0, &one.facts);
            const sbl_status status =
                make(&one.features, &one.plan, &one.facts, (*f)->name, parameters, &err);
            const bool fits = data_fits((*f)->name, &one.facts);
            if (status != (fits ? SBL_OK : SBL_EINPUT))
                fail_msg("%s on data %d: status %d", (*f)->name, (int)c, (int)status);
            if (!fits) assert_null(one.features.items);
            if (!fits) assert_true(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
        }
}

static void check_blocks(const one_feature *one)
{
    const sbl_features *features = &one->features;
    const sbl_layout *layout = &features->layout;
    const sbl_feature_instance *item = &features->items[0];
    assert_int_equal(features->count, 1);
    assert_int_equal(item->block, 0);
    assert_int_equal(item->block_count, layout->block_count);
    assert_int_equal(layout->classes, one->facts.classes);
    assert_true(layout->counts);
    assert_memory_equal(layout->plan_hash, one->plan.hash, sizeof one->plan.hash);
    assert_ok(sbl_layout_validate(layout, NULL));
    assert_ptr_equal(sbl_features_find(features, item->kind->name), item);
    assert_null(sbl_features_find(features, "none"));
    for (size_t i = 0; i < sbl_layout_noisy_blocks(layout); i++)
        assert_true(features->weights[i] > 0 && isfinite(features->weights[i]));
    /* A feature says what it needs to get noise: a withheld block gets none. */
    assert_true(sbl_layout_noisy_blocks(layout) >= 2);
    /* It says so every time: describe fills the blocks, it does not add to them. */
    FREED(sbl_free) sbl_block *again = sbl_alloc_array(item->block_count, sizeof *again);
    FREED(sbl_free) double *weights = sbl_alloc_array(item->block_count + 1, sizeof *weights);
    item->kind->describe(item->made, again, weights);
    assert_memory_equal(again, layout->blocks, item->block_count * sizeof *again);
}

TEST(every_feature_describes_blocks_that_can_be_summed) { for_all(check_blocks); }

/* Refused, and with a message of one line that names no member's value. */
static void assert_refused(const one_feature *one, json_t *parameters, const char *what)
{
    const char *name = one->features.items[0].kind->name;
    CLEARED(sbl_plan_clear) sbl_plan plan;
    sbl_features features;
    sbl_error err = {0};
    const sbl_status status = make(&features, &plan, &one->facts, name, parameters, &err);
    if (status != SBL_EINPUT && status != SBL_EARG)
        fail_msg("%s: %s was taken (%d): %s", name, what, (int)status, plan.text);
    assert_null(features.items);
    assert_true(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
}

static json_t *other_value(size_t i)
{
    switch (i) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_string("x");
    case 3:
        return json_integer(-1);
    case 4:
        return json_object();
    default:
        return json_array();
    }
}

static bool same_type(const json_t *a, const json_t *b)
{
    return json_typeof(a) == json_typeof(b) || (json_is_number(a) && json_is_number(b)) ||
           (json_is_boolean(a) && json_is_boolean(b));
}

/* Members that are there where they say something, and else are not. */
static bool may_be_missing(const char *name)
{
    return strcmp(name, "fit") == 0 || strcmp(name, "layers_alike") == 0 || strcmp(name, "mirrored") == 0 ||
           strcmp(name, "lengths") == 0 || strcmp(name, "mahalanobis") == 0;
}

static void check_parameters(const one_feature *one)
{
    const json_t *good = one->plan.items[0].parameters;
    json_t *more = json_deep_copy(good);
    const char *name;
    json_t *value;
    assert_int_equal(json_object_set_new(more, "unknown", json_integer(1)), 0);
    assert_refused(one, more, "one parameter more");
    json_object_foreach((json_t *)(uintptr_t)good, name, value)
    {
        json_t *less = json_deep_copy(good);
        assert_int_equal(json_object_del(less, name), 0);
        if (!may_be_missing(name)) assert_refused(one, json_deep_copy(less), name);
        /* as many as before, under another name */
        assert_int_equal(json_object_set_new(less, "unknown", json_deep_copy(value)), 0);
        assert_refused(one, less, name);
        for (size_t i = 0; i < 6; i++) {
            json_t *other = other_value(i);
            if (same_type(other, value)) {
                json_decref(other);
                continue;
            }
            json_t *edited = json_deep_copy(good);
            assert_int_equal(json_object_set_new(edited, name, other), 0);
            assert_refused(one, edited, name);
        }
    }
}

TEST(unknown_missing_and_mistyped_parameters_are_refused) { for_all(check_parameters); }

/* Numbers that no rule allows, and lists that hold no numbers. */
TEST(parameters_out_of_range_are_refused)
{
    static const struct {
        data_case data;
        const char *feature, *name, *value;
    } cases[] = {
        {DATA_LABELLED, "rff", "features", "0"},
        {DATA_LABELLED, "rff", "features", "7"},
        {DATA_LABELLED, "rff", "features", "1000002"},
        {DATA_LABELLED, "rff", "features", "-2"},
        {DATA_LABELLED, "rff", "features", "40.0"},
        {DATA_LABELLED, "rff", "scales", "[]"},
        {DATA_LABELLED, "rff", "scales", "[0.0]"},
        {DATA_LABELLED, "rff", "scales", "[0.1, -0.1]"},
        {DATA_LABELLED, "rff", "scales", "[0.1, 1e4]"},
        {DATA_LABELLED, "rff", "scales", "[0.1, \"0.1\"]"},
        {DATA_LABELLED, "rff", "scales", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"},
        {DATA_LABELLED, "rff", "code_deviations", "[]"},
        {DATA_LABELLED, "rff", "code_deviations", "[0.0]"},
        {DATA_LABELLED, "rff", "code_deviations", "[null]"},
        {DATA_LABELLED, "rff", "lengths", "[]"},
        {DATA_LABELLED, "rff", "lengths", "[0.1]"},
        {DATA_LABELLED, "rff", "lengths", "[0.1, -1, 0.1]"},
        {DATA_LABELLED, "rff", "mahalanobis", "{}"},
        {DATA_LABELLED, "rff", "mahalanobis", "{\"columns\":[9], \"factor\":[[1]]}"},
        {DATA_LABELLED, "rff", "mahalanobis", "{\"columns\":[1, 0], \"factor\":[[1], [0, 1]]}"},
        {DATA_LABELLED, "rff", "mahalanobis", "{\"columns\":[0], \"factor\":[[0]]}"},
        {DATA_LABELLED, "rff", "joint_share", "-0.1"},
        {DATA_LABELLED, "rff", "joint_share", "1.5"},
        {DATA_LABELLED, "rff", "seed", "\"-1\""},
        {DATA_LABELLED, "rff", "seed", "\"18446744073709551616\""},
        {DATA_DIGITS, "orthogonal", "features", "0"},
        {DATA_DIGITS, "orthogonal", "features", "3"},
        {DATA_DIGITS, "orthogonal", "features", "1000002"},
        {DATA_DIGITS, "orthogonal", "scales", "[]"},
        {DATA_DIGITS, "orthogonal", "scales", "[0.0]"},
        {DATA_DIGITS, "orthogonal", "scales", "[true]"},
        {DATA_DIGITS, "orthogonal", "seed", "\"\""},
        {DATA_DIGITS, "perceptual-rff", "features", "3"},
        {DATA_DIGITS, "perceptual-rff", "scales", "[0.0]"},
        {DATA_DIGITS, "perceptual-rff", "layers", "[]"},
        {DATA_DIGITS, "perceptual-rff", "layers", "[2,2]"},
        {DATA_DIGITS, "perceptual-rff", "layers", "[0]"},
        {DATA_DIGITS, "perceptual-rff", "layers", "[3]"},
        {DATA_DIGITS, "perceptual-rff", "encoder", "\"00\""},
        {DATA_DIGITS, "perceptual-rff", "origin", "\"elsewhere\""},
        {DATA_DIGITS, "moments", "side", "32"}, /* not what an image of 5 x 4 gets */
        {DATA_DIGITS, "moments", "moments", "0"},
        {DATA_DIGITS, "moments", "moments", "3"},
        {DATA_LABELLED, "cells", "bins", "0"},
        {DATA_LABELLED, "cells", "bins", "17"}, /* more than singles */
        {DATA_LABELLED, "cells", "singles", "4097"},
        {DATA_LABELLED, "ball", "geometry", "\"crop\""},
        {DATA_LABELLED, "ball", "space", "\"orthonormal\""},
        {DATA_LABELLED, "ball", "dimensions", "0"},
        {DATA_LABELLED, "ball", "dimensions", "99"},
        {DATA_LABELLED, "ball", "grid_bits", "15"},
        {DATA_LABELLED, "ball", "first_share", "0.5"}, /* clip has one release */
        {DATA_LABELLED, "ball", "mean_weight", "0.0"},
        {DATA_LABELLED, "ball", "counts_weight", "1e7"},
        {DATA_LABELLED, "ball", "seed", "\"x\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEARED(one_clear) one_feature one = {0};
        data_facts(&one.facts, cases[i].data);
        json_t *edited = data_parameters(cases[i].feature, 0, &one.facts);
        assert_ok(make(&one.features, &one.plan, &one.facts, cases[i].feature, json_deep_copy(edited), NULL));
        assert_int_equal(
            json_object_set_new(edited, cases[i].name, json_loads(cases[i].value, JSON_DECODE_ANY, NULL)), 0);
        assert_refused(&one, edited, cases[i].value);
    }
}

/* A ball's record is that of its table: the sizes of another one would read past the row. */
TEST(ball_of_another_table_is_refused)
{
    for (data_case theirs = 0; theirs < DATA_DIGITS; theirs++)
        for (data_case own = 0; own < DATA_DIGITS; own++) {
            CLEARED(one_clear) one_feature one = {0};
            CLEARED(sbl_facts_clear) sbl_facts other;
            data_facts(&one.facts, own);
            data_facts(&other, theirs);
            json_t *parameters = data_parameters("ball", 0, &other);
            assert_int_equal(make(&one.features, &one.plan, &one.facts, "ball", parameters, NULL),
                             own == theirs ? SBL_OK : SBL_EINPUT);
        }
}

TEST(feature_that_is_not_there_is_refused_unless_the_method_brings_it)
{
    CLEARED(one_clear) one_feature one = {0};
    sbl_error err = {0};
    sbl_feature own = *sbl_feature_list[0];
    const sbl_feature *const more[] = {&own, NULL};
    own.name = "mine";
    data_facts(&one.facts, DATA_LABELLED);
    assert_int_equal(make(&one.features, &one.plan, &one.facts, "mine",
                          data_parameters(sbl_feature_list[0]->name, 0, &one.facts), &err),
                     SBL_EINPUT);
    assert_non_null(strstr(err.message, "'mine'"));
    assert_null(one.features.items);
    assert_ok(sbl_features_make(&one.features, &one.plan, &one.facts, more, &err));
    assert_ptr_equal(one.features.items[0].kind, &own);
}

TEST(a_feature_twice_in_a_plan_has_blocks_of_two_names)
{
    for (const sbl_feature *const *f = sbl_feature_list; *f != NULL; f++)
        for (data_case c = 0; c < DATA_CASES; c++) {
            one_feature one = {0};
            sbl_error err = {0};
            data_facts(&one.facts, c);
            if (!data_fits((*f)->name, &one.facts)) {
                sbl_facts_clear(&one.facts);
                continue;
            }
            assert_ok(sbl_plan_init(&one.plan, "test", NULL));
            for (int i = 0; i < 3; i++)
                assert_ok(sbl_plan_add(&one.plan, (*f)->name, data_parameters((*f)->name, 0, &one.facts),
                                       0.5 * i + 1, NULL));
            assert_ok(sbl_plan_finish(&one.plan, &one.facts, NULL));
            assert_ok_or_say(sbl_features_make(&one.features, &one.plan, &one.facts, NULL, &err));
            /* names are unique, as the layout demands; what is formed is formed from its own */
            const sbl_layout *layout = &one.features.layout;
            const size_t each = one.features.items[0].block_count;
            assert_int_equal(layout->block_count, 3 * each);
            for (size_t b = 0; b < layout->block_count; b++) {
                if (layout->blocks[b].kind == SBL_BLOCK_VECTOR) continue;
                assert_int_equal(sbl_layout_source(layout, b), b / each * each);
            }
            /* and each weighs as its item does */
            const double *w = one.features.weights;
            const size_t noisy = (sbl_layout_noisy_blocks(layout)) / 3;
            for (size_t i = 0; i < noisy; i++) {
                assert_true(fabs(w[noisy + i] / w[i] - 1.5) < 1e-12);
                assert_true(fabs(w[2 * noisy + i] / w[i] - 2) < 1e-12);
            }
            one_clear(&one);
        }
}

/* ---- records ---- */

static sbl_sum *new_sum(const sbl_features *features)
{
    sbl_sum *sum;
    assert_ok(sbl_sum_new(&sum, &features->layout, NULL));
    return sum;
}

static void add(sbl_sum *sum, sbl_feature_workspaces *workspaces, const one_feature *one,
                const sbl_records *all, size_t first, size_t rows)
{
    sbl_error err = {0};
    const sbl_records slice = data_slice(all, &one->facts, first, rows);
    assert_ok_or_say(sbl_features_add(sum, workspaces, &slice, &err));
    assert_true(sbl_sum_is_whole(sum));
}

/* The sums of one record are its integers. */
static void assert_bounds(const sbl_sum *sum, size_t b, size_t classes)
{
    const sbl_block *block = &sbl_sum_layout(sum)->blocks[b];
    if (block->withheld) return;
    const sbl_run_bounds bounds = sbl_block_run_bounds(block);
    const int64_t *q = sbl_sum_values(sum, b);
    const size_t values = block->width * (block->per_class ? classes : 1);
    sbl_u128 all2 = 0;
    for (size_t at = 0; at < values; at += bounds.run) {
        sbl_u128 sum2 = 0, sum1 = 0;
        for (size_t i = at; i < at + bounds.run; i++) {
            const uint64_t size = (uint64_t)(q[i] < 0 ? -q[i] : q[i]);
            assert_true(q[i] >= 0 || !block->nonnegative);
            sum2 += (sbl_u128)size * size;
            sum1 += size;
        }
        assert_true(sum2 <= bounds.bound2);
        assert_true(block->bound1 == 0 || sum1 <= bounds.bound1);
        all2 += sum2;
    }
    assert_true(all2 <= block->bound2);
}

static void check_bounds(const one_feature *one)
{
    for (int hostile = 0; hostile < 2; hostile++) {
        CLEARED(data_records_clear) data_records records;
        sbl_feature_workspaces *workspaces;
        data_records_make(&records, &one->facts, ROWS, 11, hostile != 0);
        assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
        for (size_t r = 0; r < ROWS; r++) {
            FREED(sbl_sum_free) sbl_sum *sum = new_sum(&one->features);
            add(sum, workspaces, one, &records.all, r, 1);
            for (size_t b = 0; b < one->features.layout.block_count; b++)
                assert_bounds(sum, b, one->facts.classes);
        }
        sbl_feature_workspaces_free(workspaces);
    }
}

TEST(any_record_keeps_the_bounds_of_every_block) { for_all(check_bounds); }

/* Norms that the proofs say are used up, not only kept: a map of zeros would keep any bound. */
static void check_size(const one_feature *one)
{
    const char *name = one->features.items[0].kind->name;
    const sbl_block *block = &one->features.layout.blocks[0];
    const bool fourier = block->group == 2, ones = block->scale == 1;
    data_records records;
    sbl_feature_workspaces *workspaces;
    if (!fourier && !ones) return; /* ball, means: test_blocks.c */
    data_records_make(&records, &one->facts, ROWS, 12, false);
    /* of health, the record that fits nowhere */
    if (records.misfits != NULL) memset(records.misfits, 1, ROWS * one->facts.columns);
    assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        FREED(sbl_sum_free) sbl_sum *sum = new_sum(&one->features);
        add(sum, workspaces, one, &records.all, r, 1);
        const int64_t *q = sbl_sum_values(sum, 0);
        double norm2 = 0;
        for (size_t i = 0; i < block->width * (block->per_class ? one->facts.classes : 1); i++)
            norm2 += (double)q[i] * (double)q[i];
        /* the public pre-shrink of the grid takes less than 1e-5 of it */
        if (fourier && !(norm2 > (1 - 1e-5) * (double)block->bound2))
            fail_msg("%s: a record uses %g of its bound", name, norm2 / (double)block->bound2);
        if (ones) assert_true(norm2 == (double)block->bound2);
    }
    sbl_feature_workspaces_free(workspaces);
    data_records_clear(&records);
}

TEST(fourier_pairs_and_ones_use_up_their_bounds) { for_all(check_size); }

static void assert_same_sums(const sbl_sum *a, const sbl_sum *b, const char *name)
{
    const sbl_layout *layout = sbl_sum_layout(a);
    assert_int_equal(sbl_sum_rows(a), sbl_sum_rows(b));
    for (size_t i = 0; i < layout->block_count; i++)
        if (sbl_block_values(layout, i) != 0 && memcmp(sbl_sum_values(a, i), sbl_sum_values(b, i),
                                                       sbl_block_values(layout, i) * sizeof(int64_t)) != 0)
            fail_msg("%s: the integers of a record depend on its company", name);
    assert_memory_equal(sbl_sum_counts(a), sbl_sum_counts(b), layout->classes * sizeof(int64_t));
}

/* In slices of any size, in any order, in a workspace that other records were in before. */
static void check_purity(const one_feature *one)
{
    const size_t most = sbl_slice_rows(&one->facts);
    const char *name = one->features.items[0].kind->name;
    for (int hostile = 0; hostile < 2; hostile++) {
        CLEARED(data_records_clear) data_records records;
        sbl_feature_workspaces *used, *fresh;
        FREED(sbl_sum_free) sbl_sum *one_by_one = new_sum(&one->features);
        const size_t rows = 2 * most + 3;
        data_records_make(&records, &one->facts, rows, 13, hostile != 0);
        assert_ok(sbl_feature_workspaces_new(&used, &one->features, NULL));
        for (size_t r = rows; r-- > 0;) {
            assert_ok(sbl_feature_workspaces_new(&fresh, &one->features, NULL));
            add(one_by_one, fresh, one, &records.all, r, 1);
            sbl_feature_workspaces_free(fresh);
        }
        const size_t sizes[] = {most, 1, 7, most - 1};
        for (size_t s = 0; s < 4; s++) {
            FREED(sbl_sum_free) sbl_sum *sum = new_sum(&one->features);
            for (size_t first = 0; first < rows; first += sizes[s])
                add(sum, used, one, &records.all, first, rows - first < sizes[s] ? rows - first : sizes[s]);
            assert_same_sums(one_by_one, sum, name);
        }
        sbl_feature_workspaces_free(used);
    }
}

TEST(a_record_s_integers_depend_on_that_record_alone) { for_all(check_purity); }

/* A label that does not exist is class 0, and records without labels are all of one class. */
static void check_labels(const one_feature *one)
{
    data_records records;
    sbl_feature_workspaces *workspaces;
    sbl_sum *sums[2] = {new_sum(&one->features), new_sum(&one->features)};
    if (one->facts.classes > 1) {
        data_records_make(&records, &one->facts, 10, 14, false);
        assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
        for (int i = 0; i < 2; i++) {
            for (size_t r = 0; r < 10; r++) records.labels[r] = i == 0 ? 0 : UINT32_MAX - (uint32_t)r;
            add(sums[i], workspaces, one, &records.all, 0, 10);
        }
        assert_same_sums(sums[0], sums[1], one->features.items[0].kind->name);
        assert_int_equal(sbl_sum_counts(sums[0])[0], 10);
        sbl_feature_workspaces_free(workspaces);
        data_records_clear(&records);
    }
    sbl_sum_free(sums[0]);
    sbl_sum_free(sums[1]);
}

TEST(a_label_that_does_not_exist_is_class_0) { for_all(check_labels); }

/* Workspaces are as long as a slice: more would be read and written past their end. */
static void check_slice(const one_feature *one)
{
    data_records records;
    sbl_feature_workspaces *workspaces;
    sbl_error err = {0};
    FREED(sbl_sum_free) sbl_sum *sum = new_sum(&one->features);
    data_records_make(&records, &one->facts, SBL_SLICE_ROWS + 1, 15, false);
    assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
    assert_int_equal(sbl_features_add(sum, workspaces, &records.all, &err), SBL_EINTERNAL);
    assert_int_equal(sbl_sum_rows(sum), 0);
    sbl_feature_workspaces_free(workspaces);
    data_records_clear(&records);
}

TEST(more_records_than_a_slice_are_refused) { for_all(check_slice); }

/* ---- memory ---- */

/* What is wiped when it is freed: a workspace that held records. */
static size_t wiped;
void __real_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size);
void __wrap_sbl_free_wiped(void *block, size_t size)
{
    if (block != NULL) wiped += size;
    __real_sbl_free_wiped(block, size);
}

static void check_wiped(const one_feature *one)
{
    sbl_feature_workspaces *workspaces;
    assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
    wiped = 0;
    sbl_feature_workspaces_free(workspaces);
    /* `total` sees no part of a record; all others hold a slice of some of it */
    if (one->features.items[0].kind->workspace_bytes == NULL &&
        one->features.items[0].kind->workspace_new == NULL)
        assert_int_equal(wiped, 0);
    else
        assert_true(wiped >= sbl_slice_rows(&one->facts) * sizeof(uint32_t));
}

TEST(rooms_are_wiped) { for_all(check_wiped); }

static void check_memory(const one_feature *one)
{
    sbl_error err = {0};
    long n = 0;
    while (sbl_test_fail_next(&n)) {
        sbl_features again;
        if (sbl_test_no_memory(sbl_features_make(&again, &one->plan, &one->facts, NULL, &err))) {
            assert_null(again.items);
        } else {
            sbl_features_clear(&again);
        }
    }
    assert_true(n > 3);
    for (n = 1;; n++) {
        sbl_feature_workspaces *workspaces;
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_feature_workspaces_new(&workspaces, &one->features, &err);
        const bool failed = sbl_test_alloc_failed();
        assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
        sbl_test_fail_alloc(0);
        sbl_feature_workspaces_free(workspaces);
        if (!failed) break;
    }
}

TEST(lack_of_memory_is_reported_and_leaves_nothing)
{
    for_all(check_memory);
    sbl_test_fail_alloc(0);
}

static void check_json_memory(const one_feature *one)
{
    for (long n = 1;; n++) {
        sbl_features again;
        sbl_error err = {0};
        sbl_test_fail_json(n);
        const sbl_status status = sbl_features_make(&again, &one->plan, &one->facts, NULL, &err);
        const bool failed = sbl_test_json_failed();
        sbl_test_fail_json(0);
        /* Where a file is read Jansson does not tell whether its text or memory was at fault. */
        const char *name = one->features.items[0].kind->name;
        const bool of_file = strcmp(name, "moments") == 0 || strcmp(name, "signed-moments") == 0 ||
                             strcmp(name, "pooled-moments") == 0 || strcmp(name, "perceptual-rff") == 0;
        if (failed ? status != SBL_OK && status != SBL_EMEM && !of_file : status != SBL_OK)
            fail_msg("%s without memory: status %d, %s", one->features.items[0].kind->name, (int)status,
                     err.message);
        if (status == SBL_OK) sbl_features_clear(&again);
        if (!failed) break;
    }
}

TEST(lack_of_memory_for_json_is_no_fault_of_the_plan) { for_all(check_json_memory); }

ALL_TESTS(sbl_test_watch_json, NULL)
