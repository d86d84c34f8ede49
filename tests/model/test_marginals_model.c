/* The model file of marginals: round trip, what it is recognised as, and every refusal. */
#include <jansson.h>
#include <math.h>

#include "model/marginals_model.h"
#include "model/model_file.h"
#include "tensors/safetensors.h"
#include "support/cmocka_all.h"
#include "support/marginals_table.h"

/* Uneven, so that no two tensors could be confused. */
static void make_model(sbl_marginals_model *model)
{
    marginals_table t;
    sbl_error err = {0};
    marginals_table_make(&t, true, 8);
    assert_int_equal(sbl_marginals_model_init(model, t.plan.json, "p", &err), SBL_OK);
    marginals_table_clear(&t);
    const sbl_cells *cells = &model->cells;
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++) {
            const sbl_cells_column *column = &cells->columns[k];
            double total = 0;
            for (size_t j = 0; j < column->count; j++) total += (double)(c + j + 1);
            for (size_t j = 0; j < column->count; j++)
                model->probabilities[c * cells->total + column->offset + j] =
                    (float)((double)(c + j + 1) / total);
        }
    model->class_shares[0] = 0.75F;
    model->class_shares[1] = 0.25F;
}

static void save_and_load_give_the_same_model(void **state)
{
    (void)state;
    sbl_marginals_model model, again;
    sbl_error err = {0};
    json_t *extra = json_pack("{s:s}", "schema", "text"), *read;
    make_model(&model);
    assert_int_equal(sbl_marginals_model_save(&model, model_path, extra, false, &err), SBL_OK);
    assert_int_equal(sbl_marginals_model_load(&again, &read, model_path, &err), SBL_OK);
    assert_string_equal(again.plan, model.plan);
    assert_int_equal(again.cells.total, model.cells.total);
    assert_memory_equal(again.probabilities, model.probabilities,
                        2 * model.cells.total * sizeof(float));
    assert_memory_equal(again.class_shares, model.class_shares, 2 * sizeof(float));
    assert_string_equal(json_string_value(json_object_get(read, "schema")), "text");
    sbl_marginals_model_clear(&again);
    json_decref(read);
    /* without extra, and not over an existing file unless told */
    assert_int_not_equal(sbl_marginals_model_save(&model, model_path, NULL, false, &err), SBL_OK);
    assert_int_equal(sbl_marginals_model_save(&model, model_path, NULL, true, &err), SBL_OK);
    assert_int_equal(sbl_marginals_model_load(&again, NULL, model_path, &err), SBL_OK);
    sbl_marginals_model_clear(&again);
    sbl_marginals_model_clear(&model);
    json_decref(extra);
}

static sbl_status load(const char *path)
{
    sbl_marginals_model again;
    sbl_error err = {0};
    const sbl_status status = sbl_marginals_model_load(&again, NULL, path, &err);
    if (status != SBL_OK) assert_null(again.plan);
    sbl_marginals_model_clear(&again);
    return status;
}

static void save_model(void)
{
    sbl_marginals_model model;
    sbl_error err = {0};
    make_model(&model);
    assert_int_equal(sbl_marginals_model_save(&model, model_path, NULL, true, &err), SBL_OK);
    sbl_marginals_model_clear(&model);
}

static void cut_or_edited_file_is_refused(void **state)
{
    (void)state;
    save_model();
    damaged_files_are_refused(load);
}

/* A file that is whole, with one thing in it changed before it was written. */
static sbl_status load_written(const sbl_marginals_model *model, const char *format,
                               const char *plan, size_t total)
{
    sbl_error err = {0};
    const sbl_tensor tensors[] = {
        {"probabilities", 2, {model->cells.classes, total}, model->probabilities},
        {"class_shares", 1, {model->cells.classes, 0}, model->class_shares},
    };
    json_t *metadata = json_object();
    if (format) json_object_set_new(metadata, "semblance.format", json_string(format));
    if (plan) json_object_set_new(metadata, "semblance.plan", json_string(plan));
    assert_int_equal(sbl_safetensors_save(model_path, tensors, 2, metadata, true, &err), SBL_OK);
    json_decref(metadata);
    return load(model_path);
}

static void whole_file_with_wrong_content_is_refused(void **state)
{
    (void)state;
    sbl_marginals_model model;
    make_model(&model);
    const char *plan = model.plan, *format = "marginals 2";
    size_t total = model.cells.total;
    assert_int_equal(load_written(&model, format, plan, total), SBL_OK);
    assert_int_equal(load_written(&model, "marginals 1", plan, total), SBL_EINPUT);
    assert_int_equal(load_written(&model, NULL, plan, total), SBL_EINPUT);
    assert_int_equal(load_written(&model, format, NULL, total), SBL_EINPUT);
    assert_int_equal(load_written(&model, format, "{}", total), SBL_EINPUT);
    assert_int_equal(load_written(&model, format, "no plan", total), SBL_EINPUT);
    assert_int_equal(load_written(&model, format, plan, total - 1), SBL_EINPUT);
    static const float bad[] = {-0.1F, 0.9F, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        float before = model.probabilities[total];
        model.probabilities[total] = bad[i];
        assert_int_equal(load_written(&model, format, plan, total), SBL_EINPUT);
        model.probabilities[total] = before;
        before = model.class_shares[1];
        model.class_shares[1] = bad[i];
        assert_int_equal(load_written(&model, format, plan, total), SBL_EINPUT);
        model.class_shares[1] = before;
    }
    sbl_marginals_model_clear(&model);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    save_model();
    assert_true(lack_of_memory_is_an_error(load) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(save_and_load_give_the_same_model),
        cmocka_unit_test(cut_or_edited_file_is_refused),
        cmocka_unit_test(whole_file_with_wrong_content_is_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, model_file_setup, model_file_teardown);
}
