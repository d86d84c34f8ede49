/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the handle of fits in memory (include/semblance/synthesizer.h). */
#ifndef SBL_API_SYNTHESIZER_HANDLE_H
#define SBL_API_SYNTHESIZER_HANDLE_H

#include "base/handle_lock.h"
#include "base/store/store.h"
#include "public/plan/facts.h"
#include "run/pipeline/job.h"
#include "semblance/synthesizer.h"

/* All that the store holds is public or differentially private. */
struct sbl_synthesizer {
    sbl_mark mark;
    sbl_store *store;  /* in memory: what its runs keep, by the names of run/pipeline/job.h */
    bool writes;       /* fits go to these files */
    sbl_output output; /* borrowed texts */
    sbl_statement statement;
    /* The release_path beside which the ledger of its fits stands, where that is not in the store. */
    char *account;
    /* What the model says of itself, once it was asked. */
    bool described;
    sbl_facts facts;
    char *method;
    uint64_t rows;
};

/* An item of the handle's own store. */
static inline sbl_store_entry sbl_synthesizer_in(const sbl_synthesizer *synth, const char *name)
{
    return (sbl_store_entry){synth->store, name};
}
/* Its bytes as text, borrowed; NULL: there is none. */
const char *sbl_synthesizer_kept(const sbl_synthesizer *synth, const char *name);

/* Begin a call that reads or changes it; ended by sbl_use_end().   Returns: SBL_OK, SBL_EBUSY */
sbl_status sbl_synthesizer_use(sbl_mark **used, const sbl_synthesizer *synth, sbl_use use, sbl_error *err);
/* As it was made, but for what its fits cost. */
void sbl_synthesizer_clear(sbl_synthesizer *synth);
/* The model, and what it says of itself; the latter alone. */
void sbl_synthesizer_clear_model(sbl_synthesizer *synth);
void sbl_synthesizer_forget(sbl_synthesizer *synth);
sbl_status sbl_synthesizer_describe(sbl_synthesizer *synth, sbl_error *err);
/* sbl_synthesizer_sample() of options->rows images into pixels, inside a call that uses it already. */
sbl_status sbl_synthesizer_draw_images(const sbl_synthesizer *synth, const sbl_sample_options *options,
                                       sbl_error *err);
/* Where replicates come from: the release file of a run or, if path is NULL, the first release that the handle keeps.
 * Returns: SBL_OK; SBL_EARG: there is none */
sbl_status sbl_synthesizer_find_release(sbl_store_entry *release, const sbl_synthesizer *synth,
                                        const char *path, sbl_error *err);
/* SBL_EARG: there is no model. */
sbl_status sbl_synthesizer_need_model(const sbl_synthesizer *synth, sbl_error *err);

/* ---- what the fits of a handle cost (synthesizer_account.c) ----
 *
 * Unless the caller chooses a ledger, a fit is charged to the ledger of the fits before it, so that its
 * certificate states their total cost. If that ledger is elsewhere, the costs would never be added up, and the
 * fit is refused. */

typedef struct sbl_charged_place {
    bool chosen;              /* the caller names a ledger, and keeps the account */
    const char *release_path; /* beside which it is; NULL: it is the handle's own */
    int64_t before;           /* how long the one beside the release was */
} sbl_charged_place;

/* Before a fit.   Returns: SBL_OK; SBL_EARG: it would be charged to another ledger than those before */
sbl_status sbl_handle_ledger_begin(const sbl_synthesizer *synth, const sbl_charged_place *place,
                                   sbl_error *err);
/* After it, whatever its outcome: was the ledger beside the release charged?   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_account_end(sbl_synthesizer *synth, const sbl_charged_place *place, sbl_error *err);
/* Of the ledger beside the release: it grows when it is charged, and never shrinks. -1: there is none. */
int64_t sbl_account_length(const sbl_charged_place *place);

#define SBL_MODEL_LIMIT ((size_t)4 << 30)

#endif
