#include "pipeline/gather.h"

#include "base/memory.h"
#include "compute/threads.h"
#include "pipeline/method.h"
#include "table/reader.h"

#define BATCH_ROWS 8192

/* One thread's room and its own sum. */
typedef struct worker {
    sbl_sum *sum;
    void *room; /* the method's */
    uint32_t *labels;
    sbl_status status;
    sbl_error err;
} worker;

/* A batch of encoded records. */
typedef struct encoded {
    double *numeric;
    uint32_t *codes;
    size_t rows;
} encoded;

static sbl_status worker_init(worker *w, const sbl_recipe *recipe, sbl_error *err)
{
    const sbl_status status = recipe->method->room_new(&w->room, recipe, err);
    if (status != SBL_OK) return status;
    w->labels = sbl_alloc_array(SBL_SLICE_ROWS, sizeof *w->labels);
    if (w->labels == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a few labels");
    return sbl_sum_new(&w->sum, &recipe->layout, err);
}

static void worker_clear(worker *w, const sbl_recipe *recipe)
{
    recipe->method->room_free(w->room, recipe);
    sbl_free_wiped(w->labels, SBL_SLICE_ROWS * sizeof *w->labels);
    sbl_sum_free(w->sum);
}

/* Rows first .. first + rows - 1 of a batch into the worker's sum. */
static sbl_status add_slice(worker *w, const sbl_recipe *recipe, const encoded *batch, size_t first,
                            size_t rows)
{
    const sbl_heads *heads = &recipe->codec.heads;
    const bool labelled = recipe->classes > 1;
    const sbl_records records = {batch->numeric + first * heads->numeric_count,
                                 batch->codes + first * heads->categorical_count, rows};
    sbl_status status = SBL_OK;
    for (size_t r = 0; labelled && r < rows; r++)
        w->labels[r] = records.codes[r * heads->categorical_count + recipe->label_column];
    SBL_TRY(sbl_sum_begin_rows(w->sum, labelled ? w->labels : NULL, rows, &w->err));
    SBL_TRY(recipe->method->add_rows(w->sum, w->room, recipe, &records, &w->err));
    SBL_TRY(sbl_sum_end_rows(w->sum, &w->err));
done:
    return status;
}

/* Which thread takes which slice does not matter: sums of integers are the same in any order. */
static sbl_status add_batch(worker *workers, const sbl_recipe *recipe, const encoded *batch,
                            int threads, sbl_error *err)
{
    const long slices = (long)((batch->rows + SBL_SLICE_ROWS - 1) / SBL_SLICE_ROWS);
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
    for (long s = 0; s < slices; s++) {
        worker *w = &workers[sbl_thread_index()];
        const size_t first = (size_t)s * SBL_SLICE_ROWS;
        const size_t left = batch->rows - first;
        if (w->status == SBL_OK)
            w->status =
                add_slice(w, recipe, batch, first, left < SBL_SLICE_ROWS ? left : SBL_SLICE_ROWS);
    }
    for (int t = 0; t < threads; t++)
        if (workers[t].status != SBL_OK)
            return sbl_fail(err, workers[t].status, "%s", workers[t].err.message);
    return SBL_OK;
}

static sbl_status read_all(worker *workers, int threads, const char *input,
                           const sbl_recipe *recipe, const sbl_synth_options *options,
                           sbl_error *err)
{
    const sbl_heads *heads = &recipe->codec.heads;
    const sbl_table_options table_options = {.extra_column = options->notice,
                                             .context = options->context};
    sbl_table_reader *reader = NULL;
    sbl_batch *batch = NULL;
    encoded rows = {0};
    uint64_t seen = 0;
    sbl_status status = SBL_OK;
    rows.numeric = sbl_alloc_array(heads->numeric_count, BATCH_ROWS * sizeof *rows.numeric);
    rows.codes = sbl_alloc_array(heads->categorical_count, BATCH_ROWS * sizeof *rows.codes);
    if (rows.numeric == NULL || rows.codes == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a batch of rows");
        goto done;
    }
    SBL_TRY(sbl_table_open(&reader, input, recipe->schema, &table_options, err));
    SBL_TRY(sbl_batch_new(&batch, recipe->schema, BATCH_ROWS, err));
    for (;;) {
        SBL_TRY(sbl_table_read(reader, batch, err));
        if (batch->rows == 0) break;
        sbl_codec_encode(&recipe->codec, rows.numeric, rows.codes, batch);
        rows.rows = batch->rows;
        SBL_TRY(add_batch(workers, recipe, &rows, threads, err));
        seen += batch->rows;
        /* How far it is tells how many rows there are: public under replace-one only. */
        if (options->progress != NULL &&
            options->progress(options->context, "reading",
                              options->neighbours == SBL_REPLACE_ONE ? seen : 0, 0, 0.0) != 0) {
            /* The second of two readings: method.h, between two releases. */
            status = sbl_fail(
                err, SBL_ESTOPPED, "stopped while reading %s; %s was charged", input,
                recipe->share < 1.0 && !recipe->more ? "only the first release" : "nothing");
            goto done;
        }
    }
done:
    sbl_table_close(reader);
    sbl_batch_free(batch);
    sbl_free_wiped(rows.numeric, heads->numeric_count * BATCH_ROWS * sizeof *rows.numeric);
    sbl_free_wiped(rows.codes, heads->categorical_count * BATCH_ROWS * sizeof *rows.codes);
    return status;
}

sbl_status sbl_gather(sbl_sum **sum, const char *input, const sbl_recipe *recipe,
                      const sbl_synth_options *options, sbl_error *err)
{
    const int threads = options->threads != 0 ? (int)options->threads : sbl_thread_limit();
    worker *workers = sbl_alloc_array((size_t)threads, sizeof *workers);
    sbl_status status = SBL_OK;
    *sum = NULL;
    if (workers == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (int t = 0; t < threads; t++) SBL_TRY(worker_init(&workers[t], recipe, err));
    SBL_TRY(read_all(workers, threads, input, recipe, options, err));
    for (int t = 1; t < threads; t++) SBL_TRY(sbl_sum_merge(workers[0].sum, workers[t].sum, err));
    *sum = workers[0].sum;
    workers[0].sum = NULL;
done:
    for (int t = 0; t < threads; t++) worker_clear(&workers[t], recipe);
    sbl_free(workers);
    return status;
}
