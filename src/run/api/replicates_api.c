/* SPDX-License-Identifier: Apache-2.0 */
/* Replicates as handles: one model at a time, each a draw from the posterior (include/semblance/synthesizer.h). */
#include "semblance/synthesizer.h"

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/file.h"
#include "base/handle_lock.h"
#include "run/api/api_call.h"
#include "run/api/synthesizer_handle.h"
#include "run/pipeline/job.h"
#include "run/pipeline/replicates.h"

struct sbl_replicates {
    sbl_mark mark;
    sbl_refit refit;
    char *certificate; /* of the releases; NULL: the handle has none */
    unsigned threads;
    uint64_t next; /* the draw to come, from 0 */
};

static void drop_replicates(void *handle)
{
    sbl_replicates *replicates = handle;
    sbl_refit_clear(&replicates->refit);
    sbl_free(replicates->certificate);
    sbl_free(replicates);
}

void sbl_replicates_free(sbl_replicates *replicates)
{
    if (replicates != NULL) sbl_mark_drop(&replicates->mark);
}

/* release: of the run. The certificate of the handle goes into the models if it is that of these releases. */
static sbl_status begin(sbl_replicates *made, const sbl_synthesizer *synth, sbl_store_entry release,
                        const sbl_sample_options *options, sbl_error *err)
{
    const sbl_store_entry kept = sbl_synthesizer_in(synth, SBL_KEPT_CERTIFICATE);
    sbl_synth_options job;
    sbl_synth_options_init(&job);
    job.seed = options->seed;
    job.threads = options->threads;
    job.progress = options->progress;
    job.context = options->context;
    SBL_CHECK(sbl_refit_load(&made->refit, release, &job, err));
    if (sbl_store_entry_exists(kept))
        SBL_CHECK(sbl_releases_certificate(&made->certificate, kept, release, made->refit.count, err));
    return sbl_refit_fit(&made->refit, &job, err);
}

sbl_status sbl_replicates_new(sbl_replicates **replicates, sbl_synthesizer *synth,
                              const sbl_sample_options *options, sbl_error *err)
{
    sbl_sample_options ours = {.struct_size = sizeof ours};
    sbl_replicates *made = NULL;
    sbl_store_entry release;
    sbl_mark *used = NULL;
    int threads = 0;
    sbl_status status = SBL_OK;
    if (replicates != NULL) *replicates = NULL;
    SBL_NEED(replicates);
    SBL_NEED(synth);
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, options, "options", err));
    if (ours.threads > 1024) SBL_FAIL(err, SBL_EARG, "threads must be at most 1024");
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    SBL_TRY(sbl_synthesizer_find_release(&release, synth, ours.release, err));
    SBL_ALLOC(made, 1, "replicates");
    sbl_mark_init(&made->mark, drop_replicates, made);
    made->threads = ours.threads;
    threads = sbl_threads_borrow(ours.threads);
    SBL_TRY(begin(made, synth, release, &ours, err));
    *replicates = made;
    made = NULL;
done:
    sbl_threads_restore(threads);
    sbl_replicates_free(made);
    sbl_use_end(used);
    return status;
}

/* The next draw, as the bytes of a model file in a store. */
static sbl_status draw_next(sbl_replicates *replicates, const sbl_store *store, sbl_error *err)
{
    sbl_model *model = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_posterior_draw(replicates->refit.posterior, &model, replicates->next, err));
    SBL_TRY(sbl_model_set_certificate(model, replicates->certificate, err));
    SBL_TRY(sbl_model_save(model, (sbl_store_entry){store, SBL_KEPT_MODEL}, true, err));
done:
    sbl_model_free(model);
    return status;
}

sbl_status sbl_replicates_next(sbl_replicates *replicates, sbl_synthesizer *into, sbl_error *err)
{
    sbl_store *store = NULL;
    sbl_mark *used = NULL;
    size_t size;
    int threads = 0;
    sbl_status status = SBL_OK;
    SBL_NEED(replicates);
    SBL_NEED(into);
    SBL_TRY(sbl_use_begin(&used, &replicates->mark, SBL_USE_CHANGES, "the replicates", err));
    if (replicates->next >= SBL_REPLICATES_MOST)
        SBL_FAIL(err, SBL_EARG, "there are at most %d replicates", SBL_REPLICATES_MOST);
    threads = sbl_threads_borrow(replicates->threads);
    SBL_TRY(sbl_store_memory_new(&store, err));
    SBL_TRY(draw_next(replicates, store, err));
    const uint8_t *model = sbl_store_memory_look(store, SBL_KEPT_MODEL, &size);
    SBL_TRY(sbl_synthesizer_load(into, model, size, NULL, err));
    replicates->next++;
done:
    sbl_store_memory_free(store);
    sbl_threads_restore(threads);
    sbl_use_end(used);
    return status;
}
