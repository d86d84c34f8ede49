/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of one run: plans, made, and their releases. How many there can be and what each may
 * spend is fixed before the first record is read; each plan after the first is a function of the
 * releases before it. */
#ifndef SBL_PIPELINE_ROUNDS_H
#define SBL_PIPELINE_ROUNDS_H

#include "base/error.h"
#include "public/plan/facts.h"
#include "run/methods/auto.h"
#include "run/methods/method.h"
#include "run/pipeline/sample_size.h"
#include "semblance/options.h"

typedef struct sbl_rounds {
    const sbl_method *method;
    bool by_auto;           /* chosen by auto */
    char why[SBL_WHY_SIZE]; /* that auto took it; empty where it was named */
    const sbl_facts *facts; /* borrowed */
    size_t before;          /* releases of the run that come before the first of these */
    double scale;           /* the part of the run's budget that these may spend: shares are times this */
    double shares[SBL_MOST_ROUNDS];
    double first_share; /* the first without what the health block takes, where there is one */
    size_t most;        /* rounds that there can be */
    sbl_round *items;   /* (count); the last may be without its release */
    size_t count;
} sbl_rounds;

/* The method of the options and the plan of round 1. No data is opened.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_rounds_begin(sbl_rounds *rounds, const sbl_facts *facts, const sbl_synth_options *options,
                            sbl_error *err);
/* The same for a run whose first `before` releases discovered its facts, and left `scale` of the
 * budget. */
sbl_status sbl_rounds_begin_after(sbl_rounds *rounds, const sbl_facts *facts, size_t before, double scale,
                                  const sbl_synth_options *options, sbl_error *err);
/* The rounds that discover the schema of a table, of which the header is known
 * (run/methods/discover.h). */
sbl_status sbl_rounds_begin_discovery(sbl_rounds *rounds, const sbl_facts *header,
                                      const sbl_synth_options *options, sbl_error *err);
/* The plan after the last release. more: there is one. */
sbl_status sbl_rounds_next(bool *more, sbl_rounds *rounds, const sbl_synth_options *options, sbl_error *err);
void sbl_rounds_clear(sbl_rounds *rounds);

/* What the first release would hold for n records: text for people, or one JSON object;
 * sbl_free. And what a run takes, by a rehearsal, unless options->no_estimate. */
sbl_status sbl_rounds_show(char **text, const sbl_rounds *rounds, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err);

/* The warnings of that, one line each through options->advice. n: public or declared; 0: neither. */
sbl_status sbl_rounds_advise(const sbl_rounds *rounds, uint64_t n, const sbl_synth_options *options,
                             sbl_error *err);

/* About how long the run will take and what memory, one line through options->advice; nothing
 * of a run that is over in some seconds. n: public or declared; 0: nothing is said. drawn: of the model; NULL: the
 * model is all that is wanted. */
sbl_status sbl_rounds_report_cost(const sbl_rounds *rounds, uint64_t n, const sbl_amount *drawn,
                                  const sbl_synth_options *options, sbl_error *err);

/* Of the releases of a run, in order: how many discovered its schema (NULL: one that sbl_rounds_replay
 * took). where (a path) is for messages, here and below. */
sbl_status sbl_rounds_count_discovery(size_t *count, sbl_release *const *releases, size_t release_count,
                                      const char *where, sbl_error *err);
/* Rounds of a discovery that has begun, as far as its releases go: each must be of the plan that
 * would be made now, and is taken then. more: a round is left. */
sbl_status sbl_rounds_replay(bool *more, sbl_rounds *rounds, sbl_release **releases, size_t count,
                             const sbl_synth_options *options, const char *where, sbl_error *err);

/* Finished rounds, from their releases in order (taken, also on failure), and the facts in their plans. The
 * first ones may be those that discovered the facts: they are skipped,
 * and stay the caller's.
 * Returns: SBL_OK; SBL_EINPUT when they are not the releases 1, 2, ... of one run; SBL_EMEM */
sbl_status sbl_rounds_of_releases(sbl_rounds *rounds, sbl_facts *facts, sbl_release **releases, size_t count,
                                  const sbl_synth_options *options, const char *where, sbl_error *err);

/* The rounds of a run whose first plan was made elsewhere, and the facts in it: the first round,
 * without its release. why: why auto chose the method; empty if the user named it. */
sbl_status sbl_rounds_of_plan(sbl_rounds *rounds, sbl_facts *facts, const char *plan, const char *why,
                              const sbl_synth_options *options, const char *where, sbl_error *err);

/* Are these all the releases of the run? SBL_EINPUT says how to go on. */
sbl_status sbl_rounds_are_all(sbl_rounds *rounds, const char *where, sbl_error *err);
/* Do the data's own facts agree with those that the releases were planned for? */
sbl_status sbl_rounds_same_facts(const sbl_rounds *rounds, const sbl_facts *planned, const char *where,
                                 sbl_error *err);

/* [6] The model of all rounds. checkpoint: of its training; may be none. */
sbl_status sbl_rounds_fit(sbl_model **model, const sbl_rounds *rounds, const sbl_synth_options *options,
                          sbl_store_entry checkpoint, sbl_error *err);

/* The same of moved rounds (run/pipeline/posterior.h). state: the method's; number: of the draw. */
sbl_status sbl_rounds_refit(sbl_model **model, const sbl_rounds *moved, void *state, uint64_t number,
                            const sbl_synth_options *options, sbl_error *err);

#endif
