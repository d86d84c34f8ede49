/* SPDX-License-Identifier: Apache-2.0 */
/* Fills one model of each kind with numbers that follow a pattern, so that a tensor that was
 * swapped or cut shows. */
#include "support/model_kit.h"

#include <string.h>

#include "after/sample/gauss_sampler.h"
#include "after/sample/marginals_sampler.h"
#include "after/sample/pairs_kind.h"
#include "after/sample/sampler.h"
#include "after/train/train_defaults.h"
#include "base/alloc.h"
#include "public/rows/projection.h"
#include "support/cmocka_all.h"

static void check(sbl_status status, const sbl_error *err)
{
    if (status != SBL_OK) fail_msg("%s", err->message);
}

static void set_shares(float *shares, size_t classes)
{
    for (size_t c = 0; c < classes; c++) shares[c] = 2 * (float)(c + 1) / (float)(classes * (classes + 1));
}

static void fill_marginals(sbl_model *model)
{
    sbl_bins cells;
    sbl_marginals_model marginals;
    sbl_error err = {0};
    check(sbl_bins_init(&cells, model->facts.schema, &model->facts.heads, 8, 16, &err), &err);
    check(sbl_marginals_model_init(&marginals, &cells, &err), &err);
    const sbl_bins *own = &marginals.cells;
    for (size_t c = 0; c < own->classes; c++)
        for (size_t k = 0; k < own->count; k++) {
            const sbl_bins_column *column = &own->columns[k];
            double total = 0;
            for (size_t j = 0; j < column->count; j++) total += (double)(c + j + 1);
            for (size_t j = 0; j < column->count; j++)
                marginals.probabilities[c * own->total + column->offset + j] =
                    (float)((double)(c + j + 1) / total);
        }
    set_shares(marginals.class_shares, own->classes);
    check(sbl_model_of_marginals(model, &marginals, &err), &err);
}

static void fill_gauss(sbl_model *model)
{
    sbl_unit_record record;
    sbl_gauss_model gauss;
    sbl_error err = {0};
    check(sbl_ron_record(&record, &model->facts, 0.5, true, &err), &err);
    const size_t width = record.dimensions + (record.target != SBL_NO_TARGET ? 1 : 0);
    const size_t classes = record.shape.classes;
    check(sbl_gauss_model_init(&gauss, &record, false, width, 2, &err), &err);
    for (size_t i = 0; i < classes * width; i++) gauss.means[i] = 0.01F * (float)i;
    for (size_t i = 0; i < classes * 2 * width; i++) gauss.factors[i] = 0.02F * (float)(i % 7);
    for (size_t i = 0; i < classes * record.shape.onehot; i++) gauss.offsets[i] = 0.1F * (float)(i % 3);
    set_shares(gauss.shares, classes);
    sbl_unit_record_clear(&record);
    check(sbl_model_of_gauss(model, &gauss, &err), &err);
}

/* One tree that asks the first column of the second, of three leaves; and one of a leaf. */
static void add_trees(sbl_potts *potts)
{
    sbl_trees trees;
    uint32_t codes[16];
    uint16_t of[4096];
    const uint64_t set[64] = {1};
    for (size_t k = 0; k < potts->count; k++) codes[k] = potts->columns[k].codes;
    for (uint32_t v = 0; v < codes[1]; v++) of[v] = (uint16_t)(v % 2);
    assert_ok(sbl_trees_init(&trees, codes, potts->count, NULL));
    assert_ok(sbl_trees_add_target(&trees, 1, codes[1] > 1 ? 2 : 1, of, NULL));
    for (int t = 0; t < 2; t++) {
        assert_ok(sbl_trees_begin(&trees, 0, NULL));
        for (int split = 0; split < 2 && t == 0; split++) {
            assert_ok(sbl_trees_split(&trees, 0, set, NULL));
            assert_ok(sbl_trees_leaf(&trees, NULL));
        }
        assert_ok(sbl_trees_leaf(&trees, NULL));
    }
    assert_ok(sbl_potts_add_trees(potts, &trees, 0, trees.tree_count, NULL));
    for (size_t i = 0; i < potts->trees.entry_count; i++) potts->phi[i] = 0.2F * (float)(i % 3);
    sbl_trees_clear(&trees);
}

/* Cells in twos to a code, a block of the first two columns, a state of rows. */
static void fill_pairs(sbl_model *model)
{
    enum { MOST = 16, STATE = 41 };
    uint32_t sizes[3][MOST]; /* cells, codes, groups */
    sbl_bins cells;
    sbl_pairs_model pairs;
    sbl_error err = {0};
    check(sbl_bins_init_joint(&cells, model->facts.schema, &model->facts.heads, 24, 32, 8, &err), &err);
    assert_true(cells.count >= 2 && cells.count <= MOST);
    for (size_t k = 0; k < cells.count; k++) {
        sizes[0][k] = (uint32_t)cells.columns[k].count;
        sizes[1][k] = (sizes[0][k] + 1) / 2 < 2 ? sizes[0][k] : (sizes[0][k] + 1) / 2;
        sizes[2][k] = 1 + (uint32_t)(k % 2);
    }
    check(sbl_pairs_model_init(&pairs, sizes[0], sizes[1], sizes[2], cells.count, STATE, &err), &err);
    check(sbl_potts_add(&pairs.potts, 0, 1, false, &err), &err);
    for (size_t i = 0; i < pairs.potts.theta_count; i++) pairs.potts.theta[i] = 0.01F * (float)(i % 5);
    for (size_t i = 0; i < pairs.potts.bias_count; i++) pairs.potts.bias[i] = -0.1F * (float)(i % 3);
    if (cells.count % 2 == 1) add_trees(&pairs.potts); /* some of the cases */
    for (size_t k = 0; k < cells.count; k++) {
        const bool merged = sizes[1][k] < sizes[0][k];
        for (size_t c = 0; c < sizes[0][k]; c++) {
            const bool alone = !merged || (c + 1 == sizes[0][k] && c % 2 == 0);
            pairs.code_of[pairs.cells_at[k] + c] = (uint32_t)(merged ? c / 2 : c);
            pairs.share[pairs.cells_at[k] + c] = alone ? 1 : c % 2 == 0 ? 0.25F : 0.75F;
        }
        for (size_t c = 0; c < sizes[1][k]; c++)
            pairs.potts.columns[k].group_of[c] = (uint16_t)(c % sizes[2][k]);
        for (size_t r = 0; r < STATE; r++)
            pairs.rows[r * sbl_potts_row(&pairs.potts) + k] = (uint16_t)(r * (k + 3) % sizes[1][k]);
    }
    sbl_potts_set_groups(&pairs.potts, pairs.rows, STATE);
    pairs.table_rows = 1234;
    pairs.seed = 77;
    sbl_bins_clear(&cells);
    check(sbl_model_of_pairs(model, &pairs, &err), &err);
}

static void fill_generator(sbl_model *model)
{
    static const size_t hidden[] = {6, 4, 3};
    const bool images = model->facts.kind == SBL_DATA_IMAGES;
    sbl_network network;
    sbl_generator generator;
    sbl_error err = {0};
    check(sbl_network_choose(&network, model->facts.kind, hidden, images ? 3 : 2, &err), &err);
    network.latent = 3;
    check(sbl_generator_init(&generator, &model->facts, &network, &err), &err);
    sbl_generator_randomise(&generator, 1);
    set_shares(generator.class_shares, model->facts.classes);
    check(sbl_model_of_generator(model, &generator, &err), &err);
}

static sbl_model *begin(const sbl_model_kind *kind, const char *feature, data_case which)
{
    sbl_facts facts;
    sbl_plan plan;
    sbl_model *model;
    sbl_error err = {0};
    data_facts(&facts, which);
    check(sbl_plan_init(&plan, "test", &err), &err);
    check(sbl_plan_add(&plan, feature, data_parameters(feature, 0, &facts), 1.0, &err), &err);
    check(sbl_plan_finish(&plan, &facts, &err), &err);
    check(sbl_model_new(&model, kind, &plan, &err), &err);
    model->rows = 1234;
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    return model;
}

sbl_model *model_make(const char *kind, data_case which)
{
    static const struct {
        const sbl_model_kind *kind;
        const char *feature;
        void (*fill)(sbl_model *model);
        bool images;
    } known[] = {{&sbl_model_kind_generator, "total", fill_generator, true},
                 {&sbl_model_kind_pairs, "tables", fill_pairs, false},
                 {&sbl_model_kind_marginals, "cells", fill_marginals, false},
                 {&sbl_model_kind_gauss, "ball", fill_gauss, false}};
    if (strcmp(kind, "histories") == 0)
        return NULL; /* of persons, who none of the cases has: tests/histories */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].kind->name, kind) != 0) continue;
        if (which >= DATA_DIGITS && !known[i].images) return NULL;
        sbl_model *model = begin(known[i].kind, known[i].feature, which);
        known[i].fill(model);
        return model;
    }
    fail_msg("tests/support/model_kit.c makes no model of kind '%s'", kind);
    return NULL;
}

/* ---- room ---- */

void drawn_make(drawn_room *room, const sbl_facts *facts, size_t rows)
{
    const bool images = facts->kind == SBL_DATA_IMAGES;
    *room = (drawn_room){.numeric = images ? 0 : rows * facts->heads.numeric_count,
                         .codes = images ? 0 : rows * facts->heads.categorical_count,
                         .pixels = images ? rows * facts->shape.numeric : 0,
                         .labels = images ? rows : 0};
    room->out.numeric = sbl_alloc_array(room->numeric, sizeof *room->out.numeric);
    room->out.codes = sbl_alloc_array(room->codes, sizeof *room->out.codes);
    room->out.pixels = sbl_alloc_array(room->pixels, 1);
    room->out.labels = sbl_alloc_array(room->labels, sizeof *room->out.labels);
}

void drawn_clear(drawn_room *room)
{
    sbl_free(room->out.numeric);
    sbl_free(room->out.codes);
    sbl_free(room->out.pixels);
    sbl_free(room->out.labels);
}

sbl_drawn drawn_at(const drawn_room *room, const sbl_facts *facts, size_t first)
{
    return (sbl_drawn){room->out.numeric + first * facts->heads.numeric_count,
                       .codes = room->out.codes + first * facts->heads.categorical_count,
                       .pixels = room->out.pixels + first * facts->shape.numeric,
                       .labels = room->out.labels + first};
}

bool drawn_same(const drawn_room *a, const drawn_room *b)
{
    return a->numeric == b->numeric && a->codes == b->codes && a->pixels == b->pixels &&
           memcmp(a->out.numeric, b->out.numeric, a->numeric * sizeof(double)) == 0 &&
           memcmp(a->out.codes, b->out.codes, a->codes * sizeof(uint32_t)) == 0 &&
           memcmp(a->out.pixels, b->out.pixels, a->pixels) == 0 &&
           memcmp(a->out.labels, b->out.labels, a->labels * sizeof(uint32_t)) == 0;
}
