/* SPDX-License-Identifier: Apache-2.0 */
/* A method is one of these tables: rounds of plans, and a model fitted to their releases. It composes
 * features (records/features/feature.h) and a kind of model (after/model/model.h); the flow around it is the same
 * for all (run/pipeline/job.h). A new method is one file with one table and its options, a line in
 * run/methods/list.c, its page in docs/mechanisms and its test.
 *
 *   facts, options -> plan of round 1 -> release 1 -> plan of round 2 -> ... -> fit -> model
 *
 * A method never sees a record. What it plans may depend on public facts, on options, and on the
 * releases of earlier rounds: those are public by then. */
#ifndef SBL_METHODS_METHOD_H
#define SBL_METHODS_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "after/model/model.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "door/release/release.h"
#include "public/plan/plan.h"
#include "public/schema/probe.h"
#include "records/features/features.h"
#include "semblance/options.h"

#define SBL_MOST_ROUNDS 64   /* of one method */
#define SBL_MOST_ASSUMED 200 /* bytes of a line that a certificate takes (certificate_fields.c) */

/* How the records of a round are read if the table has no schema: the questions about the cells
 * of each column (public/schema/probe.h), or the texts of some columns. */
typedef struct sbl_asked {
    sbl_facts facts;        /* the columns with their answers, as in the plan */
    sbl_probe *probes;      /* (columns) */
    size_t text_count;      /* columns whose texts are tallied; 0: answers are summed */
    unsigned survival_bits; /* of the tally (records/accumulate/key_tally.h) */
    double shares[SBL_MOST_ROUNDS];
    size_t rounds; /* that there can be from this one on, with these shares; 0: nothing is asked */
} sbl_asked;

/* What a method made of a release and needs again, in a later plan or in the fit. It follows from the releases, so it may
 * be missing, and is made anew. */
typedef struct sbl_round_kept {
    sbl_model *model;
} sbl_round_kept;

/* A round that is over, or about to be: its plan, made, and its release. */
typedef struct sbl_round {
    sbl_plan plan;
    sbl_features features;
    sbl_asked *asked;     /* NULL: records are read as the facts of the run say */
    sbl_release *release; /* NULL: not made yet */
    sbl_round_kept *kept; /* NULL: nothing can be kept */
} sbl_round;

/* What a fit takes, about; 0: nothing is known. */
typedef struct sbl_fit_cost {
    double seconds;   /* that pass, with the threads that the options allow */
    double processor; /* the same of the processor: all threads together */
    double bytes;
    bool rehearsed; /* a rehearsal took its memory already: bytes are what comes on top */
    /* The same three if a probe asks for forests; 0: nothing is probed. */
    double forest_seconds, forest_processor, forest_bytes;
    /* To draw one record of the model, beside what every record takes to be decoded and written: the same two,
     * on the CPU, which draws. */
    double draw_seconds, draw_processor;
    /* Which device trains, and was timed: SBL_DEVICE_CPU, or a name like "cuda:0 NVIDIA H200"; "": nothing is
     * trained. why: that it is the CPU, in a line, where another could have been meant; else "". */
    char device[SBL_MODEL_DEVICE_SIZE];
    char why[256];
} sbl_fit_cost;

typedef struct sbl_method sbl_method;
struct sbl_method {
    const char *name; /* as typed and as in plans */
    bool tables;      /* what it can be fitted to */
    bool images;
    bool wants_rows;  /* plans by the number of records, if it is public or declared: it is
                       * counted before the first round and passed in options->expected_rows */
    bool whole_units; /* its features' records are whole persons: a table's schema names a unit, and
                       * what it draws says whose each row is */
    bool pure;        /* its blocks have bounds in L1 too: Laplace noise and delta 0 are possible */
    /* Beside the options of every method (public/options/option_values.h): its own, and those of
     * sbl_common_options that it uses. Ends with NULL; may be NULL. */
    const sbl_option *const *options;
    const char *const *also_public;     /* what a certificate lists beside the facts; ends with
                                     * NULL; may be NULL */
    const sbl_feature *const *features; /* its own, beside sbl_feature_list; ends with NULL; may be
                                         * NULL */

    /* ---- public, before any record is read ---- */
    /* How many rounds there can be (1 .. SBL_MOST_ROUNDS), and what part of mu^2 (pure: of epsilon)
     * each may spend; the shares add up to at most 1. NULL: one round that may spend all. */
    sbl_status (*rounds)(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err);
    /* The plan after `count` rounds, begun by sbl_plan_init with its round and share set. Left without
     * a feature: there is nothing more to release. If count > 0 the options do not apply:
     * a later round takes what it needs from the first one's plan, so that a run can be resumed. */
    sbl_status (*plan)(sbl_plan *plan, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err);
    /* Does plan() after these rounds release something more? Where making a plan takes long: asked when it is not
     * wanted. NULL: plan() is asked. */
    bool (*follows)(const sbl_round *rounds, size_t count);
    /* Would fit() refuse these options, or not have the memory? Asked before anything is charged.
     * NULL: it never does. */
    sbl_status (*check)(const sbl_facts *facts, const sbl_round *first, const sbl_synth_options *options,
                        sbl_error *err);
    /* What a plan for n records says beyond its blocks: lines for people, or members of an object;
     * one of text and object is NULL. May be NULL. */
    void (*explain)(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options);

    /* What the output will lack at these sizes and this budget, and what would help: lines that begin
     * with "WARNING: ", for the plan and for every run. records: their number, in words. options: delta
     * is that of the run. May be NULL. */
    void (*warn)(sbl_text *text, const sbl_facts *facts, const sbl_round *first, const char *records,
                 const sbl_synth_options *options);

    /* About how long the fit to n records will take on this machine and what memory, from public facts
     * alone: by a rule, or by rehearsing some of it on made-up numbers. cost is zeros; options->threads
     * is not 0. NULL: too little to speak of.
     * Returns: SBL_OK; what check() and fit() would refuse, in the same words */
    sbl_status (*cost)(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                       const sbl_synth_options *options, sbl_error *err);

    /* Lines more of what a certificate lists as taken to be public, from the first plan, a line feed
     * between them and each at most SBL_MOST_ASSUMED bytes; nothing written: none. May be NULL. */
    void (*assume)(sbl_text *text, const sbl_facts *facts, const sbl_round *first);

    /* ---- [6] after the door ---- */
    /* model: one of sbl_model_new(..., the last round's plan). checkpoint: where a long training keeps its
     * place; may be none. NULL: no model is made, and the run ends with its releases. */
    sbl_status (*fit)(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err);

    /* Draws from the posterior of the model, given the releases (run/pipeline/posterior.h): a fit to releases
     * that were moved. replicates: the method has them, by its own way, or, where refit is NULL, by fit(). */
    bool replicates;
    /* Its own: the state of all draws, from the releases and the model that was fitted to them, which stay as they
     * are until it is freed. brief: with fewer sweeps where sweeps are slow. */
    sbl_status (*refit_new)(void **state, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                            const sbl_model *fitted, bool brief, const sbl_synth_options *options,
                            sbl_error *err);
    /* moved: the same rounds with moved releases; number: of the draw, from 0. */
    sbl_status (*refit)(sbl_model **model, void *state, const sbl_round *moved, size_t count, uint64_t number,
                        sbl_error *err);
    void (*refit_free)(void *state); /* NULL is fine */

    /* ---- instead of all of these, where a schema is discovered (run/methods/discover.h) ---- */
    /* The plan after `count` rounds, with its share, and what is asked of the cells; facts are those of
     * the header. The shares of the rounds that are left are planned anew by the releases so far. */
    sbl_status (*ask)(sbl_asked *asked, sbl_plan *plan, const sbl_facts *facts,
                      const sbl_synth_options *options, const sbl_round *rounds, size_t count,
                      sbl_error *err);
};

/* The methods and the kinds of models that there are; both end with NULL. */
extern const sbl_method *const sbl_method_list[];
extern const sbl_model_kind *const sbl_model_kinds[];

#define SBL_METHOD_AUTO "auto"

/* The option that names one. */
extern const sbl_option sbl_option_method;

/* The name that "auto" stands for, for a kind of data; pure: where delta is to be 0. */
const char *sbl_method_of_auto(sbl_data_kinds kind, bool pure);

static inline sbl_data_kinds sbl_kinds_of(const sbl_facts *facts)
{
    return facts->kind == SBL_DATA_IMAGES ? SBL_IMAGES : SBL_TABLES;
}

/* By name; NULL and "auto": what is usual for the data; run/methods/auto.h chooses. more (may be
 * NULL, ends with NULL): methods beside the list. SBL_EARG names those there are for such data. */
sbl_status sbl_method_find(const sbl_method **method, const char *name, sbl_data_kind data,
                           const sbl_method *const *more, sbl_error *err);

#endif
