/* SPDX-License-Identifier: Apache-2.0 */
/* The model of marginals and its file: what is read is what was written, and every refusal that is
 * its own. What all models refuse: test_model.c. */
#include <math.h>

#include "after/sample/marginals_sampler.h"
#include "base/alloc.h"
#include "model/model_file.h"
#include "run/methods/method.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/marginals_table.h"
#include "support/model_kit.h"

FREES(sbl_model_free);

/* Uneven, so that no two tensors could be confused. Takes the table's cells. */
static void make_model(sbl_marginals_model *model, marginals_table *t)
{
    sbl_error err = {0};
    assert_ok(sbl_marginals_model_init(model, &t->cells, &err));
    assert_null(t->cells.columns);
    const sbl_bins *cells = &model->cells;
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++) {
            const sbl_bins_column *column = &cells->columns[k];
            double total = 0;
            for (size_t j = 0; j < column->count; j++) total += (double)(c + j + 1);
            for (size_t j = 0; j < column->count; j++)
                model->probabilities[c * cells->total + column->offset + j] =
                    (float)((double)(c + j + 1) / total);
        }
    model->class_shares[0] = 0.75F;
    model->class_shares[1] = 0.25F;
}

/* The tensors of a file back, for the cells of that table in so many bins. */
static sbl_status read_back(sbl_marginals_model *again, size_t bins)
{
    marginals_table t;
    sbl_safetensors file;
    sbl_error err = {0};
    marginals_table_make(&t, true, bins);
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(model_path), &err));
    const sbl_status status = sbl_marginals_model_read(again, &t.cells, &file, model_path, &err);
    if (status != SBL_OK) assert_null(again->probabilities);
    assert_null(t.cells.columns); /* taken, whatever comes */
    sbl_safetensors_clear(&file);
    marginals_table_clear(&t);
    return status;
}

TEST(saved_tensors_are_read_back)
{
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model, again;
    sbl_error err = {0};
    json_auto_t *metadata = json_pack("{s:s}", "note", "mine");
    marginals_table_make(&t, true, 8);
    make_model(&model, &t);
    assert_ok(sbl_marginals_model_save(&model, sbl_file_item(model_path), metadata, true, &err));
    assert_ok(read_back(&again, 8));
    assert_int_equal(again.cells.total, model.cells.total);
    assert_memory_equal(again.probabilities, model.probabilities, 2 * model.cells.total * sizeof(float));
    assert_memory_equal(again.class_shares, model.class_shares, 2 * sizeof(float));
    sbl_marginals_model_clear(&again);
    assert_int_equal(read_back(&again, 9), SBL_EINPUT); /* other cells */
    sbl_marginals_model_clear(&model);
}

TEST(numbers_that_are_no_probabilities_are_refused)
{
    static const float bad[] = {-0.1F, 0.9F, NAN, INFINITY};
    CLEARED(marginals_table_clear) marginals_table t;
    sbl_marginals_model model, again;
    sbl_error err = {0};
    json_auto_t *metadata = json_object();
    marginals_table_make(&t, true, 8);
    make_model(&model, &t);
    const size_t total = model.cells.total;
    for (size_t i = 0; i < 8; i++) {
        float *value = i < 4 ? &model.probabilities[total] : &model.class_shares[1];
        const float before = *value;
        *value = bad[i % 4];
        assert_ok(sbl_marginals_model_save(&model, sbl_file_item(model_path), metadata, true, &err));
        assert_int_equal(read_back(&again, 8), SBL_EINPUT);
        *value = before;
    }
    sbl_marginals_model_clear(&model);
}

/* The two numbers that the cells follow from, in the file of a whole model. */
TEST(cells_that_cannot_be_are_refused)
{
    static const char *const texts[] = {
        "{\"bins\":8,\"singles\":16}",
        "{\"bins\":9,\"singles\":16}", /* other cells than the tensors' */
        "{\"bins\":0,\"singles\":16}",
        "{\"bins\":17,\"singles\":16}",
        "{\"bins\":8,\"singles\":5000}",
        "{\"bins\":8,\"singles\":-1}",
        "{\"bins\":8}",
        "{\"bins\":8,\"singles\":16,\"more\":1}",
        "{\"bins\":\"8\",\"singles\":16}",
        "[]",
        "no cells",
        NULL,
    };
    FREED(sbl_model_free) sbl_model *model = model_make("marginals", DATA_LABELLED);
    assert_ok(sbl_model_save(model, sbl_file_item(model_path), true, NULL));
    CLEARED(sbl_safetensors_clear) sbl_safetensors file;
    assert_ok(sbl_safetensors_load(&file, sbl_file_item(model_path), NULL));
    json_auto_t *metadata = sbl_json_copy(file.metadata);
    assert_int_equal(json_object_del(metadata, SBL_SAFETENSORS_DIGEST), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FREED(sbl_model_free) sbl_model *again;
        sbl_error err = {0};
        if (texts[i] == NULL)
            assert_int_equal(json_object_del(metadata, "semblance.cells"), 0);
        else
            assert_int_equal(json_object_set_new(metadata, "semblance.cells", json_string(texts[i])), 0);
        assert_ok(
            sbl_safetensors_save(sbl_file_item(model_path), file.tensors, file.count, metadata, true, NULL));
        if (sbl_model_load(&again, sbl_file_item(model_path), sbl_model_kinds, &err) !=
            (i == 0 ? SBL_OK : SBL_EINPUT))
            fail_msg("cells %s: %s", texts[i], err.message);
    }
}

TEST(lack_of_memory_is_reported)
{
    marginals_table t;
    sbl_error err = {0};
    for (long n = 1;; n++) {
        sbl_marginals_model model;
        marginals_table_make(&t, true, 8);
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_marginals_model_init(&model, &t.cells, &err);
        const bool failed = sbl_test_fail_end();
        assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
        if (failed) assert_null(model.cells.columns);
        sbl_marginals_model_clear(&model);
        marginals_table_clear(&t);
        if (!failed) break;
    }
}

ALL_TESTS(model_file_setup, remove_folder)
