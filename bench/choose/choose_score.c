/* SPDX-License-Identifier: Apache-2.0 */
/* The library's own learners and marginals, without what a choice of constants has no use for. */
#include "choose_score.h"

#include "base/alloc.h"
#include "owner/evaluate/utility.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/tally.h"

typedef struct score_tables {
    sbl_schema *schema;
    sbl_codec codec;
    sbl_view view;
    sbl_frame learned, heldout;
} score_tables;

static void tables_clear(score_tables *t)
{
    sbl_frame_clear(&t->learned);
    sbl_frame_clear(&t->heldout);
    sbl_view_clear(&t->view);
    sbl_codec_clear(&t->codec);
    sbl_schema_free(t->schema);
}

static sbl_status tables_read(score_tables *t, const score_request *request, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_read(&t->schema, request->schema_path, err));
    SBL_TRY(sbl_codec_init(&t->codec, t->schema, err));
    SBL_TRY(sbl_view_init(&t->view, &t->codec, err));
    SBL_TRY(sbl_frame_read(&t->learned, (sbl_table[1]){sbl_csv_table(request->table_path)}, &t->codec, NULL,
                           err));
    SBL_TRY(sbl_frame_read(&t->heldout, (sbl_table[1]){sbl_csv_table(request->heldout_path)}, &t->codec, NULL,
                           err));
    if (t->learned.rows == 0 || t->heldout.rows == 0)
        status = sbl_fail(err, SBL_EINPUT, "%s or %s: the table has no rows", request->table_path,
                          request->heldout_path);
done:
    return status;
}

/* Mean total variation distance over pairs of columns (owner/fidelity/marginal_measures.c, way 2). */
static sbl_status pair_distance(double *mean, const score_tables *t, const score_request *request,
                                sbl_error *err)
{
    const sbl_frame *const frames[2] = {&t->learned, &t->heldout};
    size_t count = 0;
    uint64_t total;
    sbl_tally tally = {0};
    uint32_t *cells[2] = {sbl_view_cells(&t->view, frames[0]), sbl_view_cells(&t->view, frames[1])};
    uint32_t *sets = sbl_column_sets(&count, &total, t->view.count, 2, request->sets, request->seed);
    sbl_status status = cells[0] != NULL && cells[1] != NULL && sets != NULL
                            ? SBL_OK
                            : sbl_fail(err, SBL_EMEM, "out of memory for marginals");
    double sum = 0;
    for (size_t i = 0; status == SBL_OK && i < count; i++) {
        sbl_tally_input input = {.way = 2, .tables = 2};
        for (size_t k = 0; k < 2; k++) {
            input.sizes[k] = t->view.columns[sets[2 * i + k]].cells;
            for (size_t side = 0; side < 2; side++)
                input.codes[side][k] = cells[side] + sets[2 * i + k] * frames[side]->rows;
        }
        for (size_t side = 0; side < 2; side++) input.rows[side] = frames[side]->rows;
        status = sbl_tally_count(&tally, &input, err);
        if (status == SBL_OK) sum += sbl_tally_distance(&tally, 0, frames[0]->rows, 1, frames[1]->rows);
    }
    *mean = count != 0 ? sum / (double)count : 0;
    sbl_tally_clear(&tally);
    sbl_free(sets);
    for (size_t side = 0; side < 2; side++)
        sbl_free_wiped(cells[side], t->view.count * frames[side]->rows * sizeof *cells[side]);
    return status;
}

/* {NAME: its scores} of the "utility" object of an evaluation. */
static json_t *by_name(const json_t *utility)
{
    json_t *result = json_object(), *model;
    size_t i;
    json_array_foreach(json_object_get(utility, "models"), i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));
        (void)json_object_set(result, name, json_object_get(model, "synthetic"));
    }
    return result;
}

sbl_status score_table(json_t **scores, const score_request *request, sbl_error *err)
{
    score_tables t = {0};
    json_t *utility = NULL;
    double distance = 0;
    const sbl_utility_options options = {
        .seed = request->seed, .models = request->models, .row_limit = request->row_limit, .threads = 1};
    sbl_status status = SBL_OK;
    *scores = NULL;
    SBL_TRY(tables_read(&t, request, err));
    SBL_TRY(sbl_evaluate_utility(&utility, &t.learned, NULL, &t.heldout, NULL, &options, err));
    SBL_TRY(pair_distance(&distance, &t, request, err));
    *scores = json_pack("{s:o, s:f, s:I, s:I, s:O}", "models", by_name(utility), "tvd2", distance, "rows",
                        (json_int_t)t.learned.rows, "heldout", (json_int_t)t.heldout.rows, "missing",
                        json_object_get(utility, "missing"));
    if (*scores == NULL) status = sbl_fail(err, SBL_EMEM, "out of memory for scores");
done:
    json_decref(utility);
    tables_clear(&t);
    return status;
}
