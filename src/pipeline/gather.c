#include "pipeline/gather.h"

#include "base/memory.h"
#include "pipeline/method.h"
#include "pipeline/slices.h"
#include "table/reader.h"

#define BATCH_ROWS 8192

/* A table and a batch of its rows, encoded. */
typedef struct table_job {
    const sbl_recipe *recipe;
    sbl_table_reader *reader;
    sbl_batch *batch;
    double *numeric;
    uint32_t *codes;
    uint32_t *labels; /* NULL: one class */
} table_job;

static sbl_status read_rows(size_t *count, void *of, sbl_error *err)
{
    const table_job *job = of;
    const sbl_recipe *recipe = job->recipe;
    const sbl_batch *batch = job->batch;
    const size_t columns = recipe->codec.heads.categorical_count;
    const sbl_status status = sbl_table_read(job->reader, job->batch, err);
    if (status != SBL_OK) return status;
    sbl_codec_encode(&recipe->codec, job->numeric, job->codes, batch);
    for (size_t r = 0; job->labels != NULL && r < batch->rows; r++)
        job->labels[r] = job->codes[r * columns + recipe->label_column];
    *count = batch->rows;
    return SBL_OK;
}

static sbl_status room_new(void **room, const void *of, sbl_error *err)
{
    const table_job *job = of;
    return job->recipe->method->room_new(room, job->recipe, err);
}

static void room_free(void *room, const void *of)
{
    const table_job *job = of;
    job->recipe->method->room_free(room, job->recipe);
}

static sbl_status add_rows(sbl_sum *sum, void *room, const void *of, size_t first, size_t rows,
                           sbl_error *err)
{
    const table_job *job = of;
    const sbl_heads *heads = &job->recipe->codec.heads;
    const sbl_records records = {job->numeric + first * heads->numeric_count,
                                 job->codes + first * heads->categorical_count, rows};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_sum_begin_rows(sum, job->labels != NULL ? job->labels + first : NULL, rows, err));
    SBL_TRY(job->recipe->method->add_rows(sum, room, job->recipe, &records, err));
    SBL_TRY(sbl_sum_end_rows(sum, err));
done:
    return status;
}

static sbl_status open_job(table_job *job, const char *input, const sbl_synth_options *options,
                           sbl_error *err)
{
    const sbl_recipe *recipe = job->recipe;
    const sbl_heads *heads = &recipe->codec.heads;
    const sbl_table_options table_options = {.extra_column = options->notice,
                                             .context = options->context};
    const bool labelled = recipe->classes > 1;
    sbl_status status = SBL_OK;
    job->numeric = sbl_alloc_array(heads->numeric_count, BATCH_ROWS * sizeof *job->numeric);
    job->codes = sbl_alloc_array(heads->categorical_count, BATCH_ROWS * sizeof *job->codes);
    if (labelled) job->labels = sbl_alloc_array(BATCH_ROWS, sizeof *job->labels);
    if (job->numeric == NULL || job->codes == NULL || (labelled && job->labels == NULL))
        return sbl_fail(err, SBL_EMEM, "out of memory for a batch of rows");
    SBL_TRY(sbl_table_open(&job->reader, input, recipe->schema, &table_options, err));
    SBL_TRY(sbl_batch_new(&job->batch, recipe->schema, BATCH_ROWS, err));
done:
    return status;
}

static void close_job(table_job *job)
{
    const sbl_heads *heads = &job->recipe->codec.heads;
    sbl_table_close(job->reader);
    sbl_batch_free(job->batch);
    sbl_free_wiped(job->numeric, heads->numeric_count * BATCH_ROWS * sizeof *job->numeric);
    sbl_free_wiped(job->codes, heads->categorical_count * BATCH_ROWS * sizeof *job->codes);
    sbl_free_wiped(job->labels, BATCH_ROWS * sizeof *job->labels);
}

sbl_status sbl_gather(sbl_sum **sum, const char *input, const sbl_recipe *recipe,
                      const sbl_synth_options *options, sbl_error *err)
{
    static const sbl_slices slices = {SBL_SLICE_ROWS, read_rows, room_new, room_free, add_rows};
    /* The second of two readings: method.h, between two releases. */
    const bool second = recipe->share < 1.0 && !recipe->more;
    table_job job = {.recipe = recipe};
    *sum = NULL;
    sbl_status status = open_job(&job, input, options, err);
    if (status == SBL_OK)
        status = sbl_slices_sum(sum, &slices, &job, &recipe->layout, input,
                                second ? "only the first release" : "nothing", options, err);
    close_job(&job);
    return status;
}
