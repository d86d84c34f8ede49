#include "pipeline/image_gather.h"

#include "base/memory.h"
#include "compute/threads.h"

#define BATCH_BYTES ((size_t)1 << 22) /* of pixels read at a time */
#define BATCH_IMAGES ((size_t)4096)   /* at most */
#define SLICE_IMAGES ((size_t)16)     /* one thread's share: its features stay in cache */

/* One thread's room and its own sum. */
typedef struct worker {
    sbl_sum *sum;
    float *pixels;   /* (SLICE_IMAGES, size) */
    float *features; /* (SLICE_IMAGES, 2 n) */
    float *scratch;  /* (n) */
    sbl_status status;
    sbl_error err;
} worker;

/* Images as they were read. */
typedef struct batch {
    uint8_t *pixels;
    uint32_t *labels;
    size_t images, capacity;
} batch;

static sbl_status worker_init(worker *w, const sbl_image_recipe *recipe, sbl_error *err)
{
    const size_t n = recipe->frequencies.size, size = recipe->frequencies.columns;
    w->pixels = sbl_alloc_array(size, SLICE_IMAGES * sizeof *w->pixels);
    w->features = sbl_alloc_array(2 * n, SLICE_IMAGES * sizeof *w->features);
    w->scratch = sbl_alloc_array(n, sizeof *w->scratch);
    if (w->pixels == NULL || w->features == NULL || w->scratch == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for the features of a few images");
    return sbl_sum_new(&w->sum, &recipe->layout, err);
}

static void worker_clear(worker *w, const sbl_image_recipe *recipe)
{
    const size_t n = recipe->frequencies.size, size = recipe->frequencies.columns;
    sbl_free_wiped(w->pixels, size * SLICE_IMAGES * sizeof *w->pixels);
    sbl_free_wiped(w->features, 2 * n * SLICE_IMAGES * sizeof *w->features);
    sbl_free_wiped(w->scratch, n * sizeof *w->scratch);
    sbl_sum_free(w->sum);
}

/* Images first .. first + count - 1 of a batch into the worker's sum. */
static sbl_status add_slice(worker *w, const sbl_image_recipe *recipe, const batch *images,
                            size_t first, size_t count)
{
    const sbl_orthogonal *frequencies = &recipe->frequencies;
    const size_t n = frequencies->size, size = frequencies->columns;
    const bool labelled = recipe->layout.classes > 1;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count * size; i++)
        w->pixels[i] = (float)images->pixels[first * size + i] / 255.0f;
    SBL_TRY(sbl_sum_begin_rows(w->sum, labelled ? images->labels + first : NULL, count, &w->err));
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, w->features, 2 * n, w->pixels, size, count, b, w->scratch);
        SBL_TRY(sbl_sum_add_f32(w->sum, 0, 2 * b * n, 2 * sbl_orthogonal_used(frequencies, b),
                                w->features, 2 * n, &w->err));
    }
    SBL_TRY(sbl_sum_end_rows(w->sum, &w->err));
done:
    return status;
}

/* Which thread takes which slice does not matter: sums of integers are the same in any order. */
static sbl_status add_batch(worker *workers, const sbl_image_recipe *recipe, const batch *images,
                            int threads, sbl_error *err)
{
    const long slices = (long)((images->images + SLICE_IMAGES - 1) / SLICE_IMAGES);
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
    for (long s = 0; s < slices; s++) {
        worker *w = &workers[sbl_thread_index()];
        const size_t first = (size_t)s * SLICE_IMAGES;
        const size_t left = images->images - first;
        if (w->status == SBL_OK)
            w->status =
                add_slice(w, recipe, images, first, left < SLICE_IMAGES ? left : SLICE_IMAGES);
    }
    for (int t = 0; t < threads; t++)
        if (workers[t].status != SBL_OK)
            return sbl_fail(err, workers[t].status, "%s", workers[t].err.message);
    return SBL_OK;
}

static sbl_status read_all(worker *workers, int threads, sbl_image_reader *reader, const char *name,
                           const sbl_image_recipe *recipe, const sbl_synth_options *options,
                           sbl_error *err)
{
    const size_t size = recipe->frequencies.columns;
    const size_t fit = BATCH_BYTES / size;
    batch images = {.capacity = fit < BATCH_IMAGES ? fit : BATCH_IMAGES};
    uint64_t seen = 0;
    sbl_status status = SBL_OK;
    images.pixels = sbl_alloc_array(images.capacity, size);
    images.labels = sbl_alloc_array(images.capacity, sizeof *images.labels);
    if (images.pixels == NULL || images.labels == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a batch of images");
        goto done;
    }
    for (;;) {
        SBL_TRY(sbl_image_read(reader, images.pixels, images.labels, &images.images,
                               images.capacity, err));
        if (images.images == 0) break;
        SBL_TRY(add_batch(workers, recipe, &images, threads, err));
        seen += images.images;
        /* How far it is tells how many there are: public under replace-one only. */
        if (options->progress != NULL &&
            options->progress(options->context, "reading",
                              options->neighbours == SBL_REPLACE_ONE ? seen : 0, 0, 0.0) != 0) {
            status =
                sbl_fail(err, SBL_ESTOPPED, "stopped while reading %s; nothing was charged", name);
            goto done;
        }
    }
done:
    sbl_free_wiped(images.pixels, images.capacity * size);
    sbl_free_wiped(images.labels, images.capacity * sizeof *images.labels);
    return status;
}

sbl_status sbl_gather_images(sbl_sum **sum, sbl_image_reader *reader, const char *name,
                             const sbl_image_recipe *recipe, const sbl_synth_options *options,
                             sbl_error *err)
{
    const int threads = options->threads != 0 ? (int)options->threads : sbl_thread_limit();
    worker *workers = sbl_alloc_array((size_t)threads, sizeof *workers);
    sbl_status status = SBL_OK;
    *sum = NULL;
    if (workers == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (int t = 0; t < threads; t++) SBL_TRY(worker_init(&workers[t], recipe, err));
    SBL_TRY(read_all(workers, threads, reader, name, recipe, options, err));
    for (int t = 1; t < threads; t++) SBL_TRY(sbl_sum_merge(workers[0].sum, workers[t].sum, err));
    *sum = workers[0].sum;
    workers[0].sum = NULL;
done:
    for (int t = 0; t < threads; t++) worker_clear(&workers[t], recipe);
    sbl_free(workers);
    return status;
}
