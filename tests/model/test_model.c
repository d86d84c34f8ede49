/* SPDX-License-Identifier: Apache-2.0 */
/* Models of every kind: a file that gives back the model with its plan and certificate or is
 * refused, and draws that are a function of model, seed, number and class. */
#include <stdio.h>
#include <string.h>

#include "after/model/model.h"
#include "base/alloc.h"
#include "base/file.h"
#include "model/model_file.h"
#include "run/methods/method.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/model_kit.h"

FREES(sbl_model_free);

#define ROWS 150

static const char certificate[] = "{\"made\":\"by hand\"}";

/* Calls check with a model of every kind on all data that has one. */
static void for_all(void (*check)(sbl_model *model))
{
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++)
        for (data_case c = 0; c < DATA_CASES; c++) {
            FREED(sbl_model_free) sbl_model *model = model_make((*k)->name, c);
            if (model != NULL) check(model);
        }
}

static void save(const sbl_model *model)
{
    sbl_error err = {0};
    assert_ok_or_say(sbl_model_save(model, sbl_file_item(model_path), true, &err));
}

static sbl_model *load(void)
{
    sbl_model *model;
    sbl_error err = {0};
    assert_ok_or_say(sbl_model_load(&model, sbl_file_item(model_path), sbl_model_kinds, &err));
    return model;
}

static void draw(drawn_room *room, sbl_model *model, uint64_t seed, uint64_t first, size_t rows,
                 size_t wanted)
{
    sbl_error err = {0};
    drawn_make(room, sbl_model_output(model), rows);
    if (sbl_model_seed(model, seed, &err) != SBL_OK ||
        sbl_model_draw(model, &room->out, first, rows, wanted, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

/* ---- the file ---- */

static void check_round_trip(sbl_model *model)
{
    drawn_room own, theirs;
    assert_ok(sbl_model_set_certificate(model, certificate, NULL));
    save(model);
    FREED(sbl_model_free) sbl_model *again = load();
    assert_ptr_equal(again->kind, model->kind);
    assert_string_equal(again->plan.text, model->plan.text);
    assert_memory_equal(again->plan.hash, model->plan.hash, sizeof model->plan.hash);
    assert_int_equal(again->facts.kind, model->facts.kind);
    assert_true(again->rows == 1234);
    assert_string_equal(again->certificate, certificate);
    assert_false(again->replicate);
    draw(&own, model, 5, 7, ROWS, SBL_ANY_CLASS);
    draw(&theirs, again, 5, 7, ROWS, SBL_ANY_CLASS);
    assert_true(drawn_same(&own, &theirs));
    drawn_clear(&own);
    drawn_clear(&theirs);
    /* and the same bytes when it is saved again */
    uint8_t *before, *after;
    size_t size, size_after;
    assert_ok(sbl_file_read(&before, &size, model_path, 1 << 20, NULL));
    save(again);
    assert_ok(sbl_file_read(&after, &size_after, model_path, 1 << 20, NULL));
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    sbl_free(before);
    sbl_free(after);
}

TEST(file_gives_back_the_model) { for_all(check_round_trip); }

static void check_replicate(sbl_model *model)
{
    model->replicate = true;
    save(model);
    FREED(sbl_model_free) sbl_model *again = load();
    assert_true(again->replicate);
}

TEST(file_says_that_the_model_is_a_replicate_s) { for_all(check_replicate); }

static void check_certificate(sbl_model *model)
{
    save(model);
    sbl_model *again = load();
    assert_null(again->certificate);
    sbl_model_free(again);
    assert_ok(sbl_model_set_certificate(model, "one", NULL));
    assert_ok(sbl_model_set_certificate(model, certificate, NULL));
    assert_string_equal(model->certificate, certificate);
    assert_ok(sbl_model_set_certificate(model, NULL, NULL));
    assert_null(model->certificate);
}

TEST(certificate_is_that_of_the_model_or_none) { for_all(check_certificate); }

TEST(existing_file_is_kept_unless_told_otherwise)
{
    FREED(sbl_model_free) sbl_model *model = model_make("marginals", DATA_LABELLED);
    save(model);
    assert_int_not_equal(sbl_model_save(model, sbl_file_item(model_path), false, NULL), SBL_OK);
    assert_ok(sbl_model_save(model, sbl_file_item(model_path), true, NULL));
}

static sbl_status load_and_free(const char *path)
{
    sbl_model *model = (sbl_model *)1;
    sbl_error err = {0};
    const sbl_status status = sbl_model_load(&model, sbl_file_item(path), sbl_model_kinds, &err);
    assert_true((status == SBL_OK) == (model != NULL));
    if (status != SBL_OK) assert_true(err.message[0] != '\0' && strchr(err.message, '\n') == NULL);
    sbl_model_free(model);
    return status;
}

static void check_damage(sbl_model *model)
{
    save(model);
    damaged_files_are_refused(load_and_free);
}

TEST(cut_or_edited_file_is_refused)
{
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++) {
        FREED(sbl_model_free) sbl_model *model = model_make((*k)->name, DATA_LABELLED);
        if (model != NULL) check_damage(model);
    }
}

/* The file once more, with one entry of its metadata changed (NULL: taken away), and whole. */
static sbl_status load_with(const char *name, const char *value)
{
    sbl_safetensors file;
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(model_path), NULL));
    json_t *metadata = json_deep_copy(file.metadata);
    assert_int_equal(json_object_del(metadata, SBL_SAFETENSORS_DIGEST), 0);
    if (value != NULL)
        assert_int_equal(json_object_set_new(metadata, name, json_string(value)), 0);
    else
        (void)json_object_del(metadata, name);
    char changed[320];
    (void)snprintf(changed, sizeof changed, "%s.changed", model_path);
    assert_ok(sbl_safetensors_save(sbl_file_item(changed), file.tensors, file.count, metadata, true, NULL));
    json_decref(metadata);
    sbl_safetensors_clear(&file);
    const sbl_status status = load_and_free(changed);
    (void)remove(changed);
    return status;
}

static void check_metadata(sbl_model *model)
{
    save(model);
    assert_ok(load_with("note", "of someone else"));
    static const char *const changes[][2] = {
        {"semblance.model", NULL},
        {"semblance.model", "2"},
        {"semblance.model", "4"},
        {"semblance.model", "x"},
        {"kind", NULL},
        {"kind", "other"},
        {"plan", NULL},
        {"plan", "{}"},
        {"plan", "no plan"},
        {"rows", NULL},
        {"rows", "many"},
        {"rows", "-1"},
        {"rows", "0"},
        {"rows", "1.5"},
        {"data", "sounds"},
        {"data", NULL},
        {"replicate", "0"},
        {"replicate", "yes"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (load_with(changes[i][0], changes[i][1]) != SBL_EINPUT)
            fail_msg("%s: '%s' of '%s' was taken", model->kind->name,
                     changes[i][1] != NULL ? changes[i][1] : "none", changes[i][0]);
}

TEST(whole_file_with_wrong_metadata_is_refused) { for_all(check_metadata); }

/* Drawing trusts the sizes of the schema: tensors of one table beside the plan of another are no
 * model, whichever two they are. */
TEST(model_of_other_data_than_its_plan_s_is_refused)
{
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++)
        for (data_case own = 0; own < DATA_CASES; own++)
            for (data_case theirs = 0; theirs < DATA_CASES; theirs++) {
                sbl_model *model = model_make((*k)->name, own);
                sbl_facts facts;
                sbl_plan plan;
                if (model == NULL) continue;
                save(model);
                data_facts(&facts, theirs);
                assert_ok(sbl_plan_init(&plan, "test", NULL));
                /* The cells of pairs follow from their feature's parameters. */
                const char *feature = strcmp((*k)->name, "pairs") == 0 ? "tables" : "total";
                assert_ok(sbl_plan_add(&plan, feature, data_parameters(feature, 0, &facts), 1.0, NULL));
                assert_ok(sbl_plan_finish(&plan, &facts, NULL));
                const sbl_status status = load_with("plan", plan.text);
                if (status != (own == theirs ? SBL_OK : SBL_EINPUT))
                    fail_msg("%s: data %d with the plan of %d: status %d", (*k)->name, (int)own, (int)theirs,
                             (int)status);
                sbl_plan_clear(&plan);
                sbl_facts_clear(&facts);
                sbl_model_free(model);
            }
}

/* Images of another shape with as many values. */
TEST(generator_of_images_that_lie_is_refused)
{
    FREED(sbl_model_free) sbl_model *model = model_make("generator", DATA_COLOURS);
    static const size_t shapes[][3] = {{3, 3, 3}, {9, 1, 3}, {1, 27, 1}};
    save(model);
    for (size_t i = 0; i < 3; i++) {
        CLEARED(sbl_image_facts_clear) sbl_image_facts images;
        CLEARED(sbl_facts_clear) sbl_facts facts;
        CLEARED(sbl_plan_clear) sbl_plan plan;
        assert_ok(sbl_image_facts_init(&images, shapes[i][0], shapes[i][1], shapes[i][2], 0, NULL, NULL));
        assert_ok(sbl_facts_of_images(&facts, &images, false, NULL));
        assert_ok(sbl_plan_init(&plan, "test", NULL));
        assert_ok(sbl_plan_add(&plan, "total", json_object(), 1.0, NULL));
        assert_ok(sbl_plan_finish(&plan, &facts, NULL));
        assert_int_equal(load_with("plan", plan.text), i == 0 ? SBL_OK : SBL_EINPUT);
    }
}

TEST(kind_that_is_not_in_the_list_is_refused)
{
    for (const sbl_model_kind *const *k = sbl_model_kinds; *k != NULL; k++) {
        const sbl_model_kind *const none[] = {NULL};
        const sbl_model_kind *const one[] = {*k, NULL};
        sbl_model *model = model_make((*k)->name, DATA_LABELLED), *again;
        sbl_error err = {0};
        if (model == NULL) continue;
        save(model);
        assert_int_equal(sbl_model_load(&again, sbl_file_item(model_path), none, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "this version"));
        assert_null(again);
        assert_ok(sbl_model_load(&again, sbl_file_item(model_path), one, &err));
        sbl_model_free(again);
        sbl_model_free(model);
    }
}

/* ---- drawing ---- */

static void check_draws(sbl_model *model)
{
    const sbl_facts *facts = sbl_model_output(model);
    drawn_room whole, again, other, pieces;
    sbl_error err = {0};
    draw(&whole, model, 9, 0, ROWS, SBL_ANY_CLASS);
    draw(&other, model, 10, 0, ROWS, SBL_ANY_CLASS);
    draw(&again, model, 9, 0, ROWS, SBL_ANY_CLASS);
    assert_true(drawn_same(&whole, &again));
    assert_false(drawn_same(&whole, &other));
    static const size_t sizes[] = {1, 64, 70, 149};
    for (size_t s = 0; s < 4; s++) {
        drawn_make(&pieces, facts, ROWS);
        for (size_t first = 0; first < ROWS; first += sizes[s]) {
            const sbl_drawn at = drawn_at(&pieces, facts, first);
            const size_t rows = ROWS - first < sizes[s] ? ROWS - first : sizes[s];
            assert_ok(sbl_model_draw(model, &at, first, rows, SBL_ANY_CLASS, &err));
        }
        if (!drawn_same(&whole, &pieces))
            fail_msg("%s: rows depend on pieces of %zu", model->kind->name, sizes[s]);
        drawn_clear(&pieces);
    }
    for (size_t i = 0; i < whole.numeric; i++)
        assert_true(whole.out.numeric[i] >= 0 && whole.out.numeric[i] <= 1);
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        for (size_t r = 0; head->kind == SBL_HEAD_CATEGORICAL && r < ROWS; r++)
            assert_true(whole.out.codes[r * facts->heads.categorical_count + head->index] <
                        head->cardinality);
    }
    for (size_t r = 0; r < whole.labels; r++) assert_true(whole.out.labels[r] < facts->classes);
    drawn_clear(&whole);
    drawn_clear(&again);
    drawn_clear(&other);
}

TEST(records_are_a_function_of_seed_and_number) { for_all(check_draws); }

static uint32_t class_of(const drawn_room *room, const sbl_facts *facts, size_t r)
{
    return facts->kind == SBL_DATA_IMAGES
               ? room->out.labels[r]
               : room->out.codes[r * facts->heads.categorical_count + facts->label_column];
}

static void check_classes(sbl_model *model)
{
    const sbl_facts *facts = &model->facts;
    drawn_room room;
    sbl_error err = {0};
    for (size_t c = 0; facts->classes > 1 && c < facts->classes; c++) {
        draw(&room, model, 3, 0, ROWS, c);
        for (size_t r = 0; r < ROWS; r++) assert_int_equal(class_of(&room, facts, r), c);
        drawn_clear(&room);
    }
    drawn_make(&room, facts, 1);
    assert_ok(sbl_model_seed(model, 1, &err));
    assert_int_equal(sbl_model_draw(model, &room.out, 0, 1, facts->classes, &err), SBL_EARG);
    assert_int_equal(sbl_model_draw(model, &room.out, UINT64_MAX, 1, SBL_ANY_CLASS, &err), SBL_EARG);
    drawn_clear(&room);
}

TEST(wanted_class_is_the_only_one_and_must_be_there) { for_all(check_classes); }

static void check_unseeded(sbl_model *model)
{
    CLEARED(drawn_clear) drawn_room room;
    sbl_error err = {0};
    drawn_make(&room, sbl_model_output(model), 1);
    assert_int_equal(sbl_model_draw(model, &room.out, 0, 1, SBL_ANY_CLASS, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "seed"));
}

TEST(model_without_a_seed_draws_nothing) { for_all(check_unseeded); }

/* ---- memory ---- */

static void check_memory(sbl_model *model)
{
    drawn_room room;
    save(model);
    assert_true(lack_of_memory_is_an_error(load_and_free) > 3);
    for (long n = 0; sbl_test_fail_next(&n);)
        sbl_test_no_memory(sbl_model_save(model, sbl_file_item(model_path), true, NULL));
    drawn_make(&room, sbl_model_output(model), ROWS);
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_model_seed(model, 1, NULL);
        if (status == SBL_OK)
            status = sbl_model_draw(model, &room.out, 0, ROWS, SBL_ANY_CLASS, NULL);
        else /* and there is no seed left to draw with */
            assert_int_equal(sbl_model_draw(model, &room.out, 0, ROWS, SBL_ANY_CLASS, NULL), SBL_EARG);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_model_set_certificate(model, certificate, NULL), SBL_EMEM);
    assert_null(model->certificate);
    sbl_test_fail_alloc(0);
    drawn_clear(&room);
}

TEST(lack_of_memory_is_reported_and_leaves_nothing) { for_all(check_memory); }

static void check_json_memory(sbl_model *model)
{
    assert_ok(sbl_model_set_certificate(model, certificate, NULL));
    save(model);
    uint8_t *whole, *bytes;
    size_t size, length;
    assert_ok(sbl_file_read(&whole, &size, model_path, 1 << 20, NULL));
    bool failed = true;
    for (long n = 1; failed; n++) {
        sbl_test_fail_json(n);
        const sbl_status status = sbl_model_save(model, sbl_file_item(model_path), true, NULL);
        failed = sbl_test_json_failed();
        sbl_test_fail_json(0);
        assert_true(status == SBL_OK || status == SBL_EMEM);
        if (status != SBL_OK) continue;
        assert_ok(sbl_file_read(&bytes, &length, model_path, 1 << 20, NULL));
        if (length != size || memcmp(bytes, whole, size) != 0)
            fail_msg("%s: without allocation %ld a file was written that lacks a fact", model->kind->name, n);
        sbl_free(bytes);
    }
    sbl_free(whole);
}

TEST(file_under_lack_of_memory_is_whole_or_not_written) { for_all(check_json_memory); }

static int set_up(void **state) { return sbl_test_watch_json(state) + model_file_setup(state); }

ALL_TESTS(set_up, remove_folder)
