#include "pipeline/image_gather.h"

#include "base/memory.h"
#include "pipeline/slices.h"

#define BATCH_BYTES ((size_t)1 << 22) /* of pixels read at a time */
#define BATCH_IMAGES ((size_t)4096)   /* at most */
#define SLICE_IMAGES ((size_t)16)

/* An image set and a batch of its images, as they were read. */
typedef struct image_job {
    const sbl_image_recipe *recipe;
    sbl_image_reader *reader;
    uint8_t *pixels;
    uint32_t *labels;
    size_t capacity;
} image_job;

static sbl_status read_images(size_t *count, void *of, sbl_error *err)
{
    image_job *job = of;
    return sbl_image_read(job->reader, job->pixels, job->labels, count, job->capacity, err);
}

/* One thread's room: pixels (SLICE_IMAGES, size), features (SLICE_IMAGES, 2 n), scratch (n). */
static size_t room_bytes(const image_job *job)
{
    const sbl_orthogonal *frequencies = &job->recipe->frequencies;
    const size_t n = frequencies->size; /* at most 2^16, as the size */
    return (SLICE_IMAGES * (frequencies->columns + 2 * n) + n) * sizeof(float);
}

static sbl_status room_new(void **room, const void *job, sbl_error *err)
{
    *room = sbl_alloc_array(room_bytes(job), 1);
    return *room != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few images");
}

static void room_free(void *room, const void *job) { sbl_free_wiped(room, room_bytes(job)); }

static sbl_status add_images(sbl_sum *sum, void *room, const void *of, size_t first, size_t count,
                             sbl_error *err)
{
    const image_job *job = of;
    const sbl_orthogonal *frequencies = &job->recipe->frequencies;
    const size_t n = frequencies->size, size = frequencies->columns;
    const bool labelled = job->recipe->layout.classes > 1;
    float *pixels = room, *features = pixels + SLICE_IMAGES * size;
    float *scratch = features + SLICE_IMAGES * 2 * n;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count * size; i++)
        pixels[i] = (float)job->pixels[first * size + i] / 255.0f;
    SBL_TRY(sbl_sum_begin_rows(sum, labelled ? job->labels + first : NULL, count, err));
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, features, 2 * n, pixels, size, count, b, scratch);
        SBL_TRY(sbl_sum_add_f32(sum, 0, 2 * b * n, 2 * sbl_orthogonal_used(frequencies, b),
                                features, 2 * n, err));
    }
    if (job->recipe->total) {
        for (size_t i = 0; i < count; i++) features[i] = 1.0f;
        SBL_TRY(sbl_sum_add_f32(sum, 1, 0, 1, features, 1, err));
    }
    SBL_TRY(sbl_sum_end_rows(sum, err));
done:
    return status;
}

sbl_status sbl_gather_images(sbl_sum **sum, sbl_image_reader *reader, const char *name,
                             const sbl_image_recipe *recipe, const sbl_synth_options *options,
                             sbl_error *err)
{
    static const sbl_slices slices = {SLICE_IMAGES, read_images, room_new, room_free, add_images};
    const size_t size = recipe->frequencies.columns;
    const size_t fit = BATCH_BYTES / size;
    image_job job = {
        .recipe = recipe, .reader = reader, .capacity = fit < BATCH_IMAGES ? fit : BATCH_IMAGES};
    *sum = NULL;
    job.pixels = sbl_alloc_array(job.capacity, size);
    job.labels = sbl_alloc_array(job.capacity, sizeof *job.labels);
    const sbl_status status =
        job.pixels != NULL && job.labels != NULL
            ? sbl_slices_sum(sum, &slices, &job, &recipe->layout, name, "nothing", options, err)
            : sbl_fail(err, SBL_EMEM, "out of memory for a batch of images");
    sbl_free_wiped(job.pixels, job.capacity * size);
    sbl_free_wiped(job.labels, job.capacity * sizeof *job.labels);
    return status;
}
