#include "pipeline/gather.h"

#include "base/memory.h"
#include "compute/threads.h"
#include "features/onehot.h"
#include "table/reader.h"

#define BATCH_ROWS 8192
#define SLICE_ROWS 128       /* one thread's share at a time: its features stay in cache */
#define TILE_FREQUENCIES 512 /* Fourier features of a slice at a time, whole panels */

/* One thread's room and its own sum. */
typedef struct worker {
    sbl_sum *sum;
    float *numbers;  /* (SLICE_ROWS, numeric) */
    float *features; /* (SLICE_ROWS, widest tile or block) */
    uint32_t *labels;
    uint32_t *entries; /* (SLICE_ROWS, categorical columns but the label): one-hot places */
    size_t feature_columns;
    sbl_status status;
    sbl_error err;
} worker;

/* A batch of encoded records. */
typedef struct encoded {
    double *numeric;
    uint32_t *codes;
    size_t rows;
} encoded;

static size_t widest_tile(const sbl_recipe *recipe)
{
    size_t widest = 2 * TILE_FREQUENCIES;
    for (size_t b = 0; b < recipe->layout.block_count; b++) {
        const sbl_block *block = &recipe->layout.blocks[b];
        if (block->group == 0 && block->width > widest) widest = block->width;
    }
    return widest;
}

static sbl_status worker_init(worker *w, const sbl_recipe *recipe, sbl_error *err)
{
    const size_t numeric = recipe->codec.heads.numeric_count;
    w->feature_columns = widest_tile(recipe);
    w->numbers = sbl_alloc_array(numeric, SLICE_ROWS * sizeof *w->numbers);
    w->features = sbl_alloc_array(w->feature_columns, SLICE_ROWS * sizeof *w->features);
    w->labels = sbl_alloc_array(SLICE_ROWS, sizeof *w->labels);
    w->entries =
        sbl_alloc_array(recipe->codec.heads.categorical_count, SLICE_ROWS * sizeof *w->entries);
    if (w->numbers == NULL || w->features == NULL || w->labels == NULL || w->entries == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for the features of a few rows");
    return sbl_sum_new(&w->sum, &recipe->layout, err);
}

static void worker_clear(worker *w, const sbl_recipe *recipe)
{
    const size_t numeric = recipe->codec.heads.numeric_count;
    sbl_free_wiped(w->numbers, numeric * SLICE_ROWS * sizeof *w->numbers);
    sbl_free_wiped(w->features, w->feature_columns * SLICE_ROWS * sizeof *w->features);
    sbl_free_wiped(w->labels, SLICE_ROWS * sizeof *w->labels);
    sbl_free_wiped(w->entries,
                   recipe->codec.heads.categorical_count * SLICE_ROWS * sizeof *w->entries);
    sbl_sum_free(w->sum);
}

static sbl_status add_fourier(worker *w, size_t block, const sbl_recipe *recipe,
                              const uint32_t *codes, size_t rows)
{
    const sbl_rff *rff = &recipe->rff;
    const sbl_fourier_rows records = {w->numbers, rff->columns, w->entries, rff->codes, rows};
    sbl_onehot_entries(w->entries, &recipe->merf.shape, codes,
                       recipe->codec.heads.categorical_count, recipe->code_columns, rows);
    for (size_t first = 0; first < rff->frequencies; first += TILE_FREQUENCIES) {
        const size_t left = rff->frequencies - first;
        const size_t count = left < TILE_FREQUENCIES ? left : TILE_FREQUENCIES;
        sbl_rff_tile(rff, w->features, w->feature_columns, &records, first, count);
        const sbl_status status = sbl_sum_add_f32(w->sum, block, 2 * first, 2 * count, w->features,
                                                  w->feature_columns, &w->err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status add_block(worker *w, size_t block, const sbl_recipe *recipe, const encoded *batch,
                            size_t first, size_t rows)
{
    const sbl_heads *heads = &recipe->codec.heads;
    const uint32_t *codes = batch->codes + first * heads->categorical_count;
    const size_t width = recipe->layout.blocks[block].width;
    if (recipe->method == SBL_METHOD_MARGINALS)
        sbl_marginals_rows(w->features, &recipe->marginals,
                           batch->numeric + first * heads->numeric_count, codes, rows);
    else if (recipe->merf.blocks[block].kind == SBL_FEATURE_RFF)
        return add_fourier(w, block, recipe, codes, rows);
    else
        sbl_onehot_rows(w->features, &recipe->merf.shape, codes, heads->categorical_count,
                        recipe->code_columns, rows);
    return sbl_sum_add_f32(w->sum, block, 0, width, w->features, width, &w->err);
}

/* Rows first .. first + rows - 1 of a batch into the worker's sum. */
static sbl_status add_slice(worker *w, const sbl_recipe *recipe, const encoded *batch, size_t first,
                            size_t rows)
{
    const sbl_heads *heads = &recipe->codec.heads;
    const bool labelled = recipe->classes > 1;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < rows * heads->numeric_count; i++)
        w->numbers[i] = (float)batch->numeric[first * heads->numeric_count + i];
    for (size_t r = 0; labelled && r < rows; r++)
        w->labels[r] = batch->codes[(first + r) * heads->categorical_count + recipe->label_column];
    SBL_TRY(sbl_sum_begin_rows(w->sum, labelled ? w->labels : NULL, rows, &w->err));
    for (size_t b = 0; b < recipe->layout.block_count; b++)
        SBL_TRY(add_block(w, b, recipe, batch, first, rows));
    SBL_TRY(sbl_sum_end_rows(w->sum, &w->err));
done:
    return status;
}

/* Which thread takes which slice does not matter: sums of integers are the same in any order. */
static sbl_status add_batch(worker *workers, const sbl_recipe *recipe, const encoded *batch,
                            int threads, sbl_error *err)
{
    const long slices = (long)((batch->rows + SLICE_ROWS - 1) / SLICE_ROWS);
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
    for (long s = 0; s < slices; s++) {
        worker *w = &workers[sbl_thread_index()];
        const size_t first = (size_t)s * SLICE_ROWS;
        const size_t left = batch->rows - first;
        if (w->status == SBL_OK)
            w->status = add_slice(w, recipe, batch, first, left < SLICE_ROWS ? left : SLICE_ROWS);
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
            status =
                sbl_fail(err, SBL_ESTOPPED, "stopped while reading %s; nothing was charged", input);
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
