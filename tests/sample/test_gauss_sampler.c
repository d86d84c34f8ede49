/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a model of Gaussians, and its file: the same rows in any order, the moments of the model,
 * and a file that gives back the model or is refused. */
#include <math.h>
#include <stdlib.h>

#include "after/model/gauss_model.h"
#include "after/sample/gauss_sampler.h"
#include "public/rows/projection.h"
#include "support/cmocka_all.h"
#include "support/model_kit.h"
#include "support/near.h"
#include "support/ron_release.h"
#include "support/temp_folder.h"

#define NUMERIC 2
#define WIDTH 5 /* two numbers, categories of 3 and 2 codes */

static void make_model(sbl_gauss_model *model, bool targeted, bool projected)
{
    sbl_unit_record record;
    sbl_error err = {0};
    ron_record(&record, NUMERIC, true, 2, targeted, true);
    const size_t width = projected ? 3 : WIDTH;
    assert_ok(sbl_gauss_model_init(model, &record, projected, width, width, &err));
    model->shares[0] = 0.25F;
    model->shares[1] = 0.75F;
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < width; i++) {
            model->means[c * width + i] = (c == 0 ? 0.05F : -0.05F);
            model->factors[(c * width + i) * width + i] = 0.04F;
            if (i > 0) model->factors[(c * width + i) * width] = 0.02F;
        }
    sbl_unit_record_clear(&record);
}

TEST(rows_do_not_depend_on_chunks)
{
    enum { ROWS = 300 };
    sbl_gauss_model model;
    sbl_error err = {0};
    static double all[ROWS * NUMERIC], part[ROWS * NUMERIC];
    static uint32_t codes[ROWS * 2], codes_part[ROWS * 2], labels[ROWS], labels_part[ROWS];
    make_model(&model, true, false);
    assert_ok(sbl_gauss_draw(&model, all, codes, labels, 5, 1000, ROWS, SBL_ANY_CLASS, &err));
    for (size_t first = 0; first < ROWS; first += 70) {
        const size_t rows = ROWS - first < 70 ? ROWS - first : 70;
        assert_ok(sbl_gauss_draw(&model, part + first * NUMERIC, codes_part + first * 2, labels_part + first,
                                 5, 1000 + first, rows, SBL_ANY_CLASS, &err));
    }
    assert_memory_equal(all, part, sizeof all);
    assert_memory_equal(codes, codes_part, sizeof codes);
    assert_memory_equal(labels, labels_part, sizeof labels);
    assert_ok(sbl_gauss_draw(&model, part, codes_part, labels_part, 6, 1000, ROWS, SBL_ANY_CLASS, &err));
    assert_memory_not_equal(all, part, sizeof all);
    sbl_gauss_model_clear(&model);
}

TEST(drawn_rows_have_the_moments_of_the_model)
{
    enum { ROWS = 40000 };
    for (int projected = 0; projected < 2; projected++) {
        sbl_gauss_model model;
        sbl_error err = {0};
        make_model(&model, false, projected);
        const size_t numbers = projected ? 3 : NUMERIC;
        double *x = malloc(ROWS * numbers * sizeof *x), sum[2] = {0}, square = 0, cross = 0;
        uint32_t *codes = malloc(ROWS * 2 * sizeof *codes), *labels = malloc(ROWS * sizeof *labels);
        assert_ok(sbl_gauss_draw(&model, x, codes, labels, 1, 0, ROWS, 1, &err));
        /* back to coordinates: (2u - 1) / sqrt(M), or 2u - 1 in the projection */
        const double unit = projected ? 1 : sqrt(4);
        for (size_t r = 0; r < ROWS; r++) {
            const double a = (2 * x[r * numbers] - 1) / unit;
            const double b = (2 * x[r * numbers + 1] - 1) / unit;
            assert_int_equal(labels[r], 1);
            sum[0] += a / ROWS;
            sum[1] += b / ROWS;
            square += a * a / ROWS;
            cross += a * b / ROWS;
        }
        /* x_0 = -.05 + .04 z_0 + .02 (z_1 + z_2 + ...), x_1 = -.05 + .04 z_1 */
        const double others = (double)model.width - 1;
        assert_near(sum[0], -0.05, 0.002);
        assert_near(sum[1], -0.05, 0.002);
        assert_near(square - sum[0] * sum[0], 0.0016 + 0.0004 * others, 0.0001);
        assert_near(cross - sum[0] * sum[1], 0.0008, 0.0001);
        free(x), free(codes), free(labels);
        sbl_gauss_model_clear(&model);
    }
}

TEST(classes_come_by_their_shares_or_as_wanted)
{
    enum { ROWS = 4000 };
    sbl_gauss_model model;
    sbl_error err = {0};
    static double x[ROWS * NUMERIC];
    static uint32_t codes[ROWS * 2], labels[ROWS];
    size_t ones = 0;
    make_model(&model, false, false);
    assert_int_equal(sbl_gauss_draw(&model, x, codes, labels, 1, 0, ROWS, SBL_ANY_CLASS, &err), 0);
    for (size_t r = 0; r < ROWS; r++) ones += labels[r];
    assert_near((double)ones / ROWS, 0.75, 0.03);
    assert_int_equal(sbl_gauss_draw(&model, x, codes, labels, 1, 0, ROWS, 2, &err), SBL_EARG);
    assert_int_equal(sbl_gauss_draw(&model, x, codes, labels, 1, UINT64_MAX, 1, SBL_ANY_CLASS, &err),
                     SBL_EARG);
    sbl_gauss_model_clear(&model);
}

TEST(file_gives_back_the_model)
{
    for (int kind = 0; kind < 4; kind++) {
        char folder[256];
        sbl_gauss_model model, again;
        sbl_error err = {0};
        json_t *metadata = json_pack("{s:s}", "note", "mine");
        sbl_safetensors file;
        temp_folder_make(folder);
        const char *path = in_folder(folder, "m.safetensors");
        make_model(&model, kind & 1, kind & 2);
        model.stretch = 0.75;
        assert_ok(sbl_gauss_model_save(&model, sbl_file_item(path), metadata, false, &err));
        assert_ok(sbl_safetensors_load(&file, sbl_file_item(path), &err));
        assert_ok(sbl_gauss_model_read(&again, &file, path, &err));
        assert_string_equal(json_string_value(json_object_get(file.metadata, "note")), "mine");
        assert_true(again.stretch == 0.75 && again.projected == model.projected);
        assert_int_equal(again.width, model.width);
        assert_memory_equal(again.means, model.means, 2 * model.width * sizeof(float));
        assert_memory_equal(again.factors, model.factors, 2 * model.latents * model.width * sizeof(float));
        json_decref(metadata);
        sbl_safetensors_clear(&file);
        sbl_gauss_model_clear(&again);
        sbl_gauss_model_clear(&model);
        temp_folder_remove(folder);
    }
}

/* Written by us, with a right digest, and still no model. */
TEST(file_that_is_no_model_is_refused)
{
    for (int bad = 0; bad < 6; bad++) {
        char folder[256];
        sbl_gauss_model model, again;
        sbl_error err = {0};
        temp_folder_make(folder);
        const char *path = in_folder(folder, "m.safetensors");
        make_model(&model, false, false);
        const size_t width = model.width, latents = model.latents;
        if (bad == 0) model.shares[0] = 0.5F;
        if (bad == 1) model.factors[3] = NAN;
        if (bad == 2) model.means[1] = INFINITY;
        if (bad == 3) model.width = width - 1; /* does not fit its record */
        if (bad == 4) model.stretch = 0;
        if (bad == 5) model.shares[0] = -0.25F, model.shares[1] = 1.25F;
        json_t *metadata = json_object();
        sbl_safetensors file;
        assert_ok(sbl_gauss_model_save(&model, sbl_file_item(path), metadata, false, &err));
        assert_ok(sbl_safetensors_load(&file, sbl_file_item(path), &err));
        assert_int_equal(sbl_gauss_model_read(&again, &file, path, &err), SBL_EINPUT);
        json_decref(metadata);
        sbl_safetensors_clear(&file);
        assert_null(again.means);
        model.width = width;
        model.latents = latents;
        sbl_gauss_model_clear(&model);
        temp_folder_remove(folder);
    }
}

/* A projected model draws a table of its own: coordinates p1, p2, ... and the label. */
TEST(projected_model_has_a_table_of_coordinates)
{
    for (data_case c = 0; c < DATA_DIGITS; c++) {
        sbl_model *model = model_make("gauss", c), *projected;
        sbl_unit_record record;
        sbl_gauss_model gauss;
        sbl_error err = {0};
        assert_ptr_equal(sbl_model_output(model), &model->facts);
        assert_ok(sbl_model_new(&projected, &sbl_model_kind_gauss, &model->plan, &err));
        assert_ok(sbl_ron_record(&record, &model->facts, 0.5, true, &err));
        const size_t targets = record.target != SBL_NO_TARGET ? 1 : 0;
        assert_ok(sbl_gauss_model_init(&gauss, &record, true, 2 + targets, 1, &err));
        for (size_t i = 0; i < record.shape.classes * (2 + targets); i++)
            gauss.means[i] = 0.1F * (float)(i + 1);
        gauss.shares[record.shape.classes - 1] = 1;
        assert_ok(sbl_model_of_gauss(projected, &gauss, &err));
        const sbl_facts *output = sbl_model_output(projected);
        const size_t label = model->facts.schema->label;
        const bool labelled = label != SBL_NO_COLUMN;
        assert_int_equal(output->schema->column_count, 2 + (labelled ? 1 : 0));
        assert_string_equal(output->schema->columns[0].name, "p1");
        assert_string_equal(output->schema->columns[1].name, "p2");
        if (labelled)
            assert_string_equal(output->schema->columns[2].name, model->facts.schema->columns[label].name);
        assert_int_equal(output->classes, model->facts.classes);
        /* no factors: every row is the mean of the last class, x to (1 + x) / 2 */
        double numeric[3];
        uint32_t codes[1] = {9};
        assert_ok(sbl_model_seed(projected, 1, &err));
        assert_ok(
            sbl_model_draw(projected, &(sbl_drawn){numeric, .codes = codes}, 0, 1, SBL_ANY_CLASS, &err));
        const double *x = numeric; /* the target is the last column, and the model's first */
        const double first = 0.1 * (double)((record.shape.classes - 1) * (2 + targets) + 1);
        assert_near(x[0], (1 + (first + (double)targets * 0.1)) / 2, 1e-6);
        assert_near(x[1], (1 + (first + (double)(targets + 1) * 0.1)) / 2, 1e-6);
        if (targets) assert_near(x[2], (1 + first / record.target_radius) / 2, 1e-6);
        if (model->facts.classes > 1) assert_int_equal(codes[0], model->facts.classes - 1);
        sbl_unit_record_clear(&record);
        sbl_model_free(projected);
        sbl_model_free(model);
    }
}
