/* SPDX-License-Identifier: Apache-2.0 */
/* [1] to [4] Each thread adds slices to its own integer sum, and the sums are merged at the
 * end: the total does not depend on which thread took what. Which row of its unit each one
 * is, is settled by one thread in the order of reading, before a batch is cut. Progress shows a
 * count of rows only where their number is public. */
#include "run/pipeline/gather.h"

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "records/accumulate/person_rows_kept.h"

/* One thread's workspaces and its own sum. */
typedef struct worker {
    sbl_sum *sum;
    sbl_feature_workspaces *workspaces;
    sbl_status status;
    sbl_error err;
} worker;

static sbl_status first_failure(const worker *workers, int threads, sbl_error *err)
{
    for (int t = 0; t < threads; t++)
        if (workers[t].status != SBL_OK)
            return sbl_fail(err, workers[t].status, "%s", workers[t].err.message);
    return SBL_OK;
}

/* Each makes its own, inside of the team: the networks in its workspaces make room for one thread then, and
 * memory is near the core that works in it. */
static sbl_status make_workers(worker *workers, int threads, const sbl_features *features, sbl_error *err)
{
    SBL_OMP(omp parallel for num_threads(threads) schedule(static, 1))
    for (int t = 0; t < threads; t++) {
        worker *w = &workers[t];
        w->status = sbl_feature_workspaces_new(&w->workspaces, features, &w->err);
        if (w->status == SBL_OK) w->status = sbl_sum_new(&w->sum, &features->layout, &w->err);
    }
    return first_failure(workers, threads, err);
}

/* What they hold of records is wiped, which each can do beside the others. */
static void free_workers(worker *workers, int threads)
{
    if (workers == NULL) return;
    SBL_OMP(omp parallel for num_threads(threads) schedule(static))
    for (int t = 0; t < threads; t++) {
        sbl_feature_workspaces_free(workers[t].workspaces);
        sbl_sum_free(workers[t].sum);
    }
    sbl_free(workers);
}

/* All sums into the first: neighbours, then neighbours of those, and so on. */
static sbl_status merge_workers(worker *workers, int threads, sbl_error *err)
{
    for (int apart = 1; apart < threads; apart *= 2) {
        SBL_OMP(omp parallel for num_threads(threads) schedule(static, 1))
        for (int t = 0; t < threads - apart; t += 2 * apart) {
            worker *w = &workers[t];
            w->status = sbl_sum_merge(w->sum, workers[t + apart].sum, &w->err);
        }
        const sbl_status status = first_failure(workers, threads, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

/* The slice of a batch that begins with row `first`, which may be behind its end. */
static void add_slice(worker *w, const sbl_records *batch, const sbl_facts *facts, size_t first, size_t most)
{
    if (first >= batch->rows || w->status != SBL_OK) return;
    const size_t left = batch->rows - first;
    const sbl_records slice = sbl_records_slice(batch, facts, first, left < most ? left : most);
    w->status = sbl_features_add(w->sum, w->workspaces, &slice, &w->err);
}

/* Which thread takes which slice does not matter: sums of integers are the same in any order. The slices of
 * all batches are divided as threads come. */
static sbl_status add_wave(worker *workers, int threads, const sbl_records *batches, size_t count,
                           const sbl_facts *facts, sbl_error *err)
{
    size_t rows = 0;
    for (size_t k = 0; k < count; k++) rows = batches[k].rows > rows ? batches[k].rows : rows;
    const size_t most = batches->events.starts != NULL ? SBL_PERSON_SLICE : sbl_slice_rows(facts);
    const size_t parts = (rows + most - 1) / most;
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
    for (size_t s = 0; s < count * parts; s++)
        add_slice(&workers[sbl_thread_index()], &batches[s / parts], facts, s % parts * most, most);
    return first_failure(workers, threads, err);
}

/* Which units were seen in this pass, where one may own several rows. Every pass begins anew and reads
 * in the same order, so that the same rows count in every round. */
typedef struct unit_index {
    sbl_units *units;    /* NULL: a row is a unit */
    uint32_t *unit_rows; /* (size): of the batch at hand */
    size_t size;
} unit_index;

static void clear_index(unit_index *index)
{
    sbl_units_free(index->units);
    sbl_free_wiped(index->unit_rows, index->size * sizeof *index->unit_rows);
}

/* Rows are numbered by one thread, in the order of reading, before the batch is cut into slices: how
 * many threads there are changes none. */
static sbl_status index_rows(unit_index *index, sbl_records *batch, const char *input, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (index->units == NULL || batch->rows == 0) return SBL_OK;
    if (batch->units == NULL)
        return sbl_fail(err, SBL_EINTERNAL, "%s does not say whose its rows are", input);
    if (batch->rows > index->size) {
        sbl_free_wiped(index->unit_rows, index->size * sizeof *index->unit_rows);
        index->size = 0;
        SBL_ALLOC(index->unit_rows, batch->rows, "a batch of rows");
        index->size = batch->rows;
    }
    batch->unit_rows = index->unit_rows;
    SBL_TRY(sbl_units_index_rows(index->units, index->unit_rows, batch->units, batch->rows, err));
done:
    return status;
}

/* Rows of persons are numbered batch by batch, in the order of reading.
 * Out:     more  false: there were none left */
static sbl_status add_next(worker *workers, int threads, sbl_source *source, unit_index *index,
                           uint64_t *seen, bool *more, sbl_error *err)
{
    const sbl_records *read;
    size_t count;
    if (index->units == NULL) {
        SBL_CHECK(sbl_source_read_wave(source, &read, &count, err));
        for (size_t k = 0; k < count; k++) *seen += read[k].rows;
        *more = count != 0 || source->working;
        return count != 0 ? add_wave(workers, threads, read, count, source->facts, err) : SBL_OK;
    }
    SBL_CHECK(sbl_source_read(source, &read, err));
    sbl_records batch = *read;
    *seen += batch.rows;
    *more = batch.rows != 0 || source->working;
    if (batch.rows == 0) return SBL_OK;
    SBL_CHECK(index_rows(index, &batch, source->name, err));
    return add_wave(workers, threads, &batch, 1, source->facts, err);
}

/* How far it is tells how many records there are: shown where that is public only. */
static sbl_status report_progress(uint64_t seen, const sbl_layout *layout, const char *input,
                                  const char *charged, const sbl_synth_options *options, sbl_error *err)
{
    const uint64_t step = sbl_rows_are_public(options->neighbours, layout->rows_per_unit) ? seen : 0;
    if (options->progress == NULL || options->progress(options->context, "reading", step, 0, 0.0) == 0)
        return SBL_OK;
    return sbl_fail(err, SBL_ESTOPPED, "stopped while reading %s; %s was charged", input, charged);
}

sbl_status sbl_gather(sbl_sum **sum, sbl_source *source, const sbl_features *features, const char *charged,
                      const sbl_synth_options *options, sbl_error *err)
{
    const int threads = options->threads != 0 ? (int)options->threads : sbl_thread_limit();
    const sbl_layout *layout = &features->layout;
    worker *workers = NULL;
    unit_index index = {0};
    uint64_t seen = 0;
    sbl_status status = SBL_OK;
    *sum = NULL;
    SBL_ALLOC(workers, (size_t)threads, "the threads that read");
    SBL_TRY(make_workers(workers, threads, features, err));
    if (layout->rows_per_unit != 0) SBL_TRY(sbl_units_new(&index.units, layout->rows_per_unit, err));
    /* Once before the first batch: an empty set looks like any other. */
    SBL_TRY(report_progress(0, layout, source->name, charged, options, err));
    for (bool more = true; more;) {
        SBL_TRY(add_next(workers, threads, source, &index, &seen, &more, err));
        if (more) SBL_TRY(report_progress(seen, layout, source->name, charged, options, err));
    }
    SBL_TRY(merge_workers(workers, threads, err));
    *sum = workers[0].sum;
    workers[0].sum = NULL;
done:
    free_workers(workers, threads);
    clear_index(&index);
    return status;
}

sbl_status sbl_gather_texts(sbl_key_tally **tally, sbl_source *source, const sbl_layout *layout,
                            const char *charged, const sbl_synth_options *options, sbl_error *err)
{
    sbl_key_tally *made = NULL;
    const sbl_records *read;
    sbl_status status = SBL_OK;
    *tally = NULL;
    SBL_TRY(sbl_key_tally_new(&made, layout, err));
    do {
        SBL_TRY(report_progress(sbl_key_tally_rows(made), layout, source->name, charged, options, err));
        SBL_TRY(sbl_source_read(source, &read, err));
        SBL_TRY(sbl_key_tally_add(made, read->texts, read->rows, err));
    } while (read->rows != 0);
    *tally = made;
    made = NULL;
done:
    sbl_key_tally_free(made);
    return status;
}
