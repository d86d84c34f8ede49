/* SPDX-License-Identifier: Apache-2.0 */
/* The door: what it refuses, and that every failure is charged, voided and wiped as it should be.
 */
#include <stdlib.h>
#include <string.h>

#include "door/ledger/ledger_book.h"
#include "door/noise/noise.h"
#include "door/privatise/privatise.h"
#include "support/cmocka_all.h"
#include "support/door_kit.h"
#include "support/one_folder.h"

FREES(sbl_release_free);

/* The library's calls of these come here; fail the nth call of one of them. */
enum call { ALLOC, SHA256, NOISE_OPEN, NOISE_GAUSSIAN, RELEASE_SAVE, LEDGER_COMMIT, CALLS };
static int countdown[CALLS];

static bool now_failing(enum call kind) { return countdown[kind] > 0 && --countdown[kind] == 0; }

void *__real_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size)
{
    return now_failing(ALLOC) ? NULL : __real_sbl_alloc_array(count, size);
}

#define WRAP_STATUS(kind, name, parameters, arguments)                                \
    sbl_status __real_##name parameters;                                              \
    sbl_status __wrap_##name parameters;                                              \
    sbl_status __wrap_##name parameters                                               \
    {                                                                                 \
        if (now_failing(kind)) return sbl_fail(err, SBL_EIO, "made to fail: " #name); \
        return __real_##name arguments;                                               \
    }
WRAP_STATUS(SHA256, sbl_sha256,
            (uint8_t digest[SBL_SHA256_SIZE], const void *first, size_t first_size, const void *second,
             size_t second_size, sbl_error *err),
            (digest, first, first_size, second, second_size, err))
WRAP_STATUS(NOISE_OPEN, sbl_noise_open, (sbl_noise * *noise, sbl_reserve_token *token, sbl_error *err),
            (noise, token, err))
WRAP_STATUS(NOISE_GAUSSIAN, sbl_noise_gaussian,
            (sbl_noise * noise, int64_t *out, size_t count, sbl_error *err), (noise, out, count, err))
WRAP_STATUS(RELEASE_SAVE, sbl_release_save,
            (const sbl_release *release, sbl_store_entry to, bool overwrite, uint8_t hash[SBL_SHA256_SIZE],
             bool *appeared, sbl_error *err),
            (release, to, overwrite, hash, appeared, err))
WRAP_STATUS(LEDGER_COMMIT, sbl_ledger_commit,
            (const sbl_reserve_token *token, const uint8_t hash[SBL_SHA256_SIZE], sbl_error *err),
            (token, hash, err))

static const world labelled = {"labelled",
                               .width = 4,
                               .classes = 2,
                               .per_class = true,
                               .counts = true,
                               .mechanism = SBL_DISCRETE_GAUSSIAN,
                               .neighbours = SBL_REPLACE_ONE};
static uint32_t labels[3] = {0, 1, 1};
static double features[12] = {.1, .2, .3, .4, -.5, .5, .5, -.5, 0, 0, 1, 0};
static const records three = {labels, features, 3};

static const char *ledger_path(void) { return in_folder(folder, "l"); }
static const char *release_path(void) { return in_folder(folder, "r"); }

AROUND(fresh)
{
    memset(countdown, 0, sizeof countdown);
    temp_folder_make(folder);
    make_roomy_ledger(ledger_path(), SBL_REPLACE_ONE);
}

static sbl_door_request usual_request(const uint64_t *multipliers)
{
    const sbl_door_request request = {"test.features",
                                      .mechanism = SBL_DISCRETE_GAUSSIAN,
                                      .neighbours = SBL_REPLACE_ONE,
                                      .multipliers = multipliers,
                                      .plan = DOOR_KIT_PLAN,
                                      .ledger = sbl_file_item(ledger_path()),
                                      .release = sbl_file_item(release_path())};
    return request;
}

/* Lines of each kind in the ledger, and whether there is a release. */
static void assert_ledger(size_t reserves, size_t commits, size_t voids)
{
    sbl_ledger_view view;
    size_t seen[4] = {0};
    assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger_path()), NULL));
    for (size_t i = 0; i < view.line_count; i++) seen[view.lines[i].op]++;
    sbl_ledger_view_clear(&view);
    assert_int_equal(seen[SBL_LEDGER_RESERVE], reserves);
    assert_int_equal(seen[SBL_LEDGER_COMMIT], commits);
    assert_int_equal(seen[SBL_LEDGER_VOID], voids);
}

/* Refused with this status and a message that holds `words`; nothing charged, nothing written. */
static void assert_refused(sbl_sum *sum, const sbl_door_request *request, sbl_status expected,
                           const char *words)
{
    sbl_error err = {0};
    sbl_release *release = (sbl_release *)&err;
    assert_int_equal(sbl_privatise(&release, &sum, request, &err), expected);
    assert_null(release);
    assert_null(sum);
    assert_non_null(strstr(err.message, words));
    assert_ledger(0, 0, 0);
    assert_null(slurp(release_path(), NULL));
}

TEST(release_holds_public_facts_and_a_committed_charge)
{
    uint64_t multipliers[2];
    FREED(sbl_release_free) sbl_release *release = NULL;
    sbl_error err = {0};
    world_multipliers(multipliers, &labelled, 1.0);
    assert_ok(walk_through(&release, &labelled, &three, multipliers, ledger_path(), release_path(), &err));
    assert_ledger(1, 1, 0);
    assert_int_equal(release->n, 3);
    assert_int_equal(release->classes, 2);
    assert_int_equal(release->block_count, 2);
    assert_int_equal(release->value_count, 4 * 2 + 2);
    assert_true(release->test_key);
    assert_string_equal(release->blocks[1].name, "counts");
    assert_int_equal(release->blocks[1].width, 2);
    assert_int_equal(sbl_release_columns(release, &release->blocks[1]), 1);
    assert_int_equal(sbl_release_columns(release, &release->blocks[0]), 2);
    assert_int_equal(release->blocks[1].multiplier, multipliers[1]);
    assert_string_equal(release->plan, DOOR_KIT_PLAN);
}

TEST(n_is_not_in_an_add_remove_release)
{
    uint64_t multipliers[2];
    world w = labelled;
    FREED(sbl_release_free) sbl_release *release = NULL;
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    w.neighbours = SBL_ADD_REMOVE;
    world_multipliers(multipliers, &w, 1.0);
    const char *other = in_folder(folder, "other.ledger");
    make_roomy_ledger(other, SBL_ADD_REMOVE);
    assert_ok(walk_through(&release, &w, &three, multipliers, other, release_path(), NULL));
    assert_int_equal(release->n, 0);
    assert_ok(sbl_ledger_read(&view, sbl_file_item(other), NULL));
    assert_false(view.lines[0].entry.n_public);
}

TEST(no_records_are_released_where_their_number_is_private)
{
    uint64_t multipliers[2];
    world w = labelled;
    FREED(sbl_release_free) sbl_release *release = NULL;
    const records none = {labels, features, 0};
    w.neighbours = SBL_ADD_REMOVE;
    world_multipliers(multipliers, &w, 1.0);
    const char *other = in_folder(folder, "other.ledger");
    make_roomy_ledger(other, SBL_ADD_REMOVE);
    assert_ok(walk_through(&release, &w, &none, multipliers, other, release_path(), NULL));
}

TEST(sums_over_all_records_have_one_column)
{
    uint64_t multipliers[2];
    const world w = {"all", .width = 4, .classes = 1, .mechanism = SBL_DISCRETE_LAPLACE,
                     .neighbours = SBL_REPLACE_ONE};
    FREED(sbl_release_free) sbl_release *release = NULL;
    world_multipliers(multipliers, &w, 1.0);
    assert_ok(walk_through(&release, &w, &three, multipliers, ledger_path(), release_path(), NULL));
    assert_int_equal(sbl_release_columns(release, &release->blocks[0]), 1);
    assert_int_equal(release->value_count, 4);
}

TEST(bad_requests_cost_nothing)
{
    uint64_t good[2], bad[2];
    sbl_sum *open_sum = NULL;
    sbl_layout layout;
    char long_name[SBL_LEDGER_NAME_SIZE + 1];
    const records none = {labels, features, 0};
    world_multipliers(good, &labelled, 1.0);
    sbl_door_request request = usual_request(good);

    world_layout(&layout, &labelled);
    assert_ok(sbl_sum_new(&open_sum, &layout, NULL));
    assert_ok(sbl_sum_begin_rows(open_sum, labels, 3, NULL));
    sbl_layout_clear(&layout);
    assert_refused(open_sum, &request, SBL_EINTERNAL, "unfinished batch");
    assert_refused(world_sum(&labelled, &none, 1), &request, SBL_EINPUT, "no records");

    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    request.name = long_name;
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EARG, "at most 63");
    request = usual_request(good);
    request.plan = "{}";
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EINTERNAL, "plan is not");

    request = usual_request(bad);
    bad[0] = good[0], bad[1] = 0;
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EARG, "multiplier 1");
    bad[0] = UINT64_C(1) << 62, bad[1] = 1;
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EARG, "multiplier 0");
    bad[0] = (UINT64_C(1) << 62) - 1;
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EARG, "");

    request = usual_request(good);
    request.release = sbl_file_item(in_folder(folder, "no-such-folder/r"));
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EIO, "no-such-folder");
    request = usual_request(good);
    request.mechanism = SBL_DISCRETE_LAPLACE;
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EARG, "L1 bound");
    request = usual_request(good);
    request.neighbours = SBL_ADD_REMOVE; /* the ledger is for replace-one */
    assert_refused(world_sum(&labelled, &three, 3), &request, SBL_EINPUT, "");
}

TEST(counts_of_one_class_are_public_under_replace_one)
{
    const uint64_t multipliers[2] = {1, 1};
    world w = {"one class", .width = 4, .classes = 1, .counts = true};
    sbl_door_request request = usual_request(multipliers);
    assert_refused(world_sum(&w, &three, 3), &request, SBL_EARG, "public number of rows");
}

TEST(pure_charge_that_does_not_fit_is_refused)
{
    const uint64_t multipliers[2] = {(UINT64_C(1) << 62) - 1, 1};
    world w = labelled;
    w.mechanism = SBL_DISCRETE_LAPLACE;
    sbl_door_request request = usual_request(multipliers);
    request.mechanism = SBL_DISCRETE_LAPLACE;
    assert_refused(world_sum(&w, &three, 3), &request, SBL_EARG, "");
}

/* Failures by construction: what each leaves in the ledger. */
TEST(each_step_that_fails_leaves_its_mark_and_no_release)
{
    static const struct {
        enum call call;
        size_t reserves, voids;
        bool released;
    } steps[] = {
        {SHA256, 0, 0, false},       {NOISE_OPEN, 1, 1, false},   {NOISE_GAUSSIAN, 1, 1, false},
        {RELEASE_SAVE, 1, 1, false}, {LEDGER_COMMIT, 1, 0, true},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint64_t multipliers[2];
        sbl_error err = {0};
        sbl_release *release = NULL;
        (void)remove_folder(NULL);
        (void)fresh(NULL);
        world_multipliers(multipliers, &labelled, 1.0);
        sbl_sum *sum = world_sum(&labelled, &three, 3);
        const sbl_door_request request = usual_request(multipliers);
        countdown[steps[i].call] = 1;
        assert_int_equal(sbl_privatise(&release, &sum, &request, &err), SBL_EIO);
        assert_int_equal(countdown[steps[i].call], 0);
        assert_null(release);
        assert_null(sum);
        assert_non_null(strstr(err.message, "made to fail"));
        assert_ledger(steps[i].reserves, 0, steps[i].voids);
        FREED(free) char *file = slurp(release_path(), NULL);
        assert_true((file != NULL) == steps[i].released);
    }
}

TEST(running_out_of_memory_anywhere_is_an_error_and_never_a_free_release)
{
    int failures = 0;
    for (int nth = 1; nth < 200; nth++) {
        uint64_t multipliers[2];
        sbl_error err = {0};
        sbl_release *release = NULL;
        (void)remove_folder(NULL);
        (void)fresh(NULL);
        world_multipliers(multipliers, &labelled, 1.0);
        sbl_sum *sum = world_sum(&labelled, &three, 3);
        const sbl_door_request request = usual_request(multipliers);
        countdown[ALLOC] = nth;
        const sbl_status status = sbl_privatise(&release, &sum, &request, &err);
        const bool reached = countdown[ALLOC] == 0;
        countdown[ALLOC] = 0;
        if (status == SBL_OK && !reached) {
            sbl_release_free(release);
            assert_true(failures >= 5);
            return;
        }
        failures += status != SBL_OK;
        if (status != SBL_OK) assert_null(release);
        sbl_release_free(release);
        FREED(free) char *file = slurp(release_path(), NULL);
        CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
        assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger_path()), NULL));
        if (file != NULL) assert_int_equal(view.totals.releases, 1);
    }
    fail();
}

TEST(sensitivities_follow_from_what_is_enforced)
{
    const uint64_t r2 = UINT64_C(1) << 56;
    const uint64_t r1 = UINT64_C(1) << 28;
    sbl_layout layout;
    sbl_sensitivity s[2];
    world w = labelled;
    world_layout(&layout, &w);
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, NULL));
    assert_true(s[0].same_label == 4 * r2 && s[0].label_change == 2 * r2 && s[0].one_record == r2);
    assert_true(s[1].same_label == 0 && s[1].label_change == 2 && s[1].one_record == 1);
    layout.blocks[0].nonnegative = true;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, NULL));
    assert_true(s[0].same_label == 2 * r2 && s[0].label_change == 2 * r2 && s[0].one_record == r2);
    layout.blocks[0].nonnegative = false;
    layout.blocks[0].per_class = false;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE, NULL));
    assert_true(s[0].same_label == 4 * r2 && s[0].label_change == 4 * r2);
    layout.blocks[0].bound1 = r1;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, NULL));
    assert_true(s[0].same_label == 2 * r1 && s[0].label_change == 2 * r1 && s[0].one_record == r1);
    layout.counts = false;
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_LAPLACE, SBL_REPLACE_ONE, NULL));
    sbl_layout_clear(&layout);
    /* A single class under add-remove: the noisy number of rows, one record moves it by one. */
    const world one = {"one", .width = 4, .classes = 1, .counts = true};
    world_layout(&layout, &one);
    assert_ok(sbl_layout_sensitivities(s, &layout, SBL_DISCRETE_GAUSSIAN, SBL_ADD_REMOVE, NULL));
    assert_int_equal(s[1].one_record, 1);
    sbl_layout_clear(&layout);
}

EACH_TEST(fresh, remove_folder)
