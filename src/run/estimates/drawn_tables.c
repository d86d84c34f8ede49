/* SPDX-License-Identifier: Apache-2.0 */
/* [6] to [9] in memory: the releases of a run, its fit, and for each draw a model and its rows. */
#include "run/estimates/drawn_tables.h"

#include "base/alloc.h"
#include "run/methods/method.h"
#include "run/pipeline/draw.h"
#include "run/pipeline/job.h"

/* Rows of linked tables; context NULL: of one that is not wanted. */
static sbl_status take(void *context, const struct sbl_batch *rows, uint64_t first, sbl_error *err)
{
    const sbl_table_taker *taker = context;
    return taker != NULL ? taker->rows(taker->context, rows, first, err) : SBL_OK;
}

static sbl_status open_sink(sbl_sink **sink, const sbl_facts *facts, sbl_table_taker *of, size_t table,
                            const sbl_table_taker *taker, sbl_error *err)
{
    void *contexts[SBL_MOST_TABLES] = {NULL};
    for (size_t t = 0; t < SBL_MOST_TABLES; t++) {
        of[t] = *taker;
        if (taker->rows_of != NULL) of[t].context = taker->rows_of[t];
        if (table == SBL_EVERY_TABLE || table == t) contexts[t] = &of[t];
    }
    return facts->table_facts != NULL ? sbl_sink_open_package_rows(sink, facts, take, contexts, err)
                                      : sbl_sink_open_rows(sink, facts, taker->rows, of[0].context, err);
}

static sbl_status draw_one(sbl_posterior *posterior, uint64_t i, size_t table, const sbl_table_taker *taker,
                           const sbl_synth_options *options, sbl_error *err)
{
    const sbl_synth_options quiet = {
        .struct_size = sizeof quiet, .threads = options->threads, .seed = options->seed + i + 1};
    const sbl_amount as_fitted = {0};
    sbl_table_taker of[SBL_MOST_TABLES];
    sbl_model *model = NULL;
    sbl_sink *sink = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_posterior_draw(posterior, &model, i, err));
    SBL_TRY(open_sink(&sink, sbl_model_output(model), of, table, taker, err));
    SBL_TRY(sbl_draw(sink, model, &as_fitted, NULL, &quiet, err));
    SBL_TRY(taker->end(taker->context, i, model->kind->whole_units, err));
done:
    sbl_sink_close(sink);
    sbl_model_free(model);
    return status;
}

static sbl_status draw_all(const sbl_rounds *rounds, sbl_model *fitted, bool brief, uint64_t draws,
                           size_t table, const sbl_table_taker *taker, const sbl_synth_options *options,
                           sbl_error *err)
{
    sbl_posterior *posterior = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_posterior_new(&posterior, rounds, fitted, brief, options, err));
    for (uint64_t i = 0; i < draws; i++) {
        SBL_TRY(draw_one(posterior, i, table, taker, options, err));
        if (options->progress != NULL &&
            options->progress(options->context, "drawing models", i + 1, draws, 0.0) != 0)
            SBL_FAIL(err, SBL_ESTOPPED, "stopped after %llu of %llu draws", (unsigned long long)i + 1,
                     (unsigned long long)draws);
    }
done:
    sbl_posterior_free(posterior);
    return status;
}

sbl_status sbl_drawn_tables(const sbl_drawn_from *from, uint64_t draws, const sbl_table_taker *taker,
                            const sbl_synth_options *options, sbl_error *err)
{
    sbl_release **releases = NULL;
    size_t count = 0, table = 0;
    sbl_rounds rounds = {0};
    sbl_facts facts = {0};
    sbl_model *fitted = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_releases_load(&releases, &count, from->release, err));
    SBL_TRY(sbl_rounds_of_releases(&rounds, &facts, releases, count, options, from->release.name, err));
    SBL_TRY(sbl_posterior_check(rounds.method, err));
    SBL_TRY(taker->begin(taker->context, &facts, &table, err));
    SBL_TRY(sbl_rounds_are_all(&rounds, from->release.name, err));
    SBL_TRY(from->model.store != NULL ? sbl_model_load(&fitted, from->model, sbl_model_kinds, err)
                                      : sbl_rounds_fit(&fitted, &rounds, options, (sbl_store_entry){0}, err));
    SBL_TRY(draw_all(&rounds, fitted, from->brief, draws, table, taker, options, err));
done:
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    sbl_model_free(fitted);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    return status;
}
