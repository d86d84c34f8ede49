#include "pipeline/slices.h"

#include "base/memory.h"
#include "compute/threads.h"

/* One thread's room and its own sum. */
typedef struct worker {
    sbl_sum *sum;
    void *room;
    sbl_status status;
    sbl_error err;
} worker;

/* Which thread takes which slice does not matter: sums of integers are the same in any order. */
static sbl_status add_batch(worker *workers, int threads, const sbl_slices *slices, const void *job,
                            size_t count, sbl_error *err)
{
    const long parts = (long)((count + slices->most - 1) / slices->most);
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
    for (long s = 0; s < parts; s++) {
        worker *w = &workers[sbl_thread_index()];
        const size_t first = (size_t)s * slices->most;
        const size_t left = count - first;
        if (w->status == SBL_OK)
            w->status = slices->add(w->sum, w->room, job, first,
                                    left < slices->most ? left : slices->most, &w->err);
    }
    for (int t = 0; t < threads; t++)
        if (workers[t].status != SBL_OK)
            return sbl_fail(err, workers[t].status, "%s", workers[t].err.message);
    return SBL_OK;
}

/* How far it is tells how many records there are: public under replace-one only. */
static sbl_status report_progress(uint64_t seen, const char *input, const char *charged,
                                  const sbl_synth_options *options, sbl_error *err)
{
    const uint64_t step = options->neighbours == SBL_REPLACE_ONE ? seen : 0;
    if (options->progress == NULL ||
        options->progress(options->context, "reading", step, 0, 0.0) == 0)
        return SBL_OK;
    return sbl_fail(err, SBL_ESTOPPED, "stopped while reading %s; %s was charged", input, charged);
}

sbl_status sbl_slices_sum(sbl_sum **sum, const sbl_slices *slices, void *job,
                          const sbl_layout *layout, const char *input, const char *charged,
                          const sbl_synth_options *options, sbl_error *err)
{
    const int threads = options->threads != 0 ? (int)options->threads : sbl_thread_limit();
    worker *workers = sbl_alloc_array((size_t)threads, sizeof *workers);
    uint64_t seen = 0;
    sbl_status status = SBL_OK;
    *sum = NULL;
    if (workers == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (int t = 0; t < threads; t++) {
        SBL_TRY(slices->room_new(&workers[t].room, job, err));
        SBL_TRY(sbl_sum_new(&workers[t].sum, layout, err));
    }
    /* Once before the first batch: an empty set looks like any other. */
    SBL_TRY(report_progress(0, input, charged, options, err));
    for (size_t count;;) {
        SBL_TRY(slices->read(&count, job, err));
        if (count == 0) break;
        SBL_TRY(add_batch(workers, threads, slices, job, count, err));
        seen += count;
        SBL_TRY(report_progress(seen, input, charged, options, err));
    }
    for (int t = 1; t < threads; t++) SBL_TRY(sbl_sum_merge(workers[0].sum, workers[t].sum, err));
    *sum = workers[0].sum;
    workers[0].sum = NULL;
done:
    for (int t = 0; t < threads; t++) {
        slices->room_free(workers[t].room, job);
        sbl_sum_free(workers[t].sum);
    }
    sbl_free(workers);
    return status;
}
