/* The main job: a private table in, a synthetic one out, under differential privacy.
 *
 *   fit     one pass over the table -> a release (noisy sums) and its certificate -> a model
 *   train   a model again from a release, at no cost
 *   sample  any number of rows from a model, at no cost
 *   synth   fit and sample in one go
 *   plan    what would be released, at what noise, before any data is opened */
#ifndef SEMBLANCE_SYNTH_H
#define SEMBLANCE_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/account.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SBL_MAX_HIDDEN 8

/* Called while records are read (steps = 0, step counts them; once before the first, with 0), while
 * a model is trained and while rows are drawn; a non-zero answer stops the work with SBL_ESTOPPED.
 * The number of records is public under replace-one. Under add-remove it is private: while they are
 * read the call says 0 of 0, any number of times, at least once. How often and when it comes
 * depends on the records then: nothing that counts or times the calls may be shown or kept. */
typedef int (*sbl_progress)(void *context, const char *what, uint64_t step, uint64_t steps,
                            double loss);
/* One line about the container, e.g. a column that the schema does not name. */
typedef void (*sbl_notice)(void *context, const char *line);

/* Set up by sbl_synth_options_init(). A number 0 or a NULL means the default. */
typedef struct sbl_synth_options {
    size_t struct_size;
    const char *method; /* "merf" (default), "marginals" or "ron-gauss" */

    /* The guarantee. */
    double epsilon;            /* > 0, finite; no default */
    double delta;              /* default 1e-5 */
    bool pure;                 /* Laplace noise and delta 0; not with merf */
    sbl_neighbours neighbours; /* default SBL_REPLACE_ONE */
    const char *ledger_path;   /* default: a ledger for this run only, RELEASE.ledger */

    /* Files. */
    const char *release_path;     /* default: OUTPUT.release */
    const char *certificate_path; /* default: OUTPUT.certificate.json */
    bool overwrite;

    uint64_t seed;    /* of public randomness only: features, weights, sampling; default 0 */
    unsigned threads; /* default: all */

    /* merf */
    uint64_t features; /* of the Fourier block */
    /* marginals */
    uint64_t bins; /* of a number; default 32, but one per value of an integer of up to 128 */
    /* ron-gauss */
    const char *geometry;   /* "clip" (default) or "normalise", which reads the table twice */
    const char *space;      /* of the drawn rows: "original" (default) or "projected" */
    const char *split;      /* of the budget, mean and moments: "optimal" (default) or "paper" */
    uint64_t dimensions;    /* of the projection; default: a rule from public sizes */
    uint64_t expected_rows; /* for that rule only: about how many rows there will be */
    /* training */
    uint64_t latent;
    uint64_t hidden[SBL_MAX_HIDDEN];
    size_t hidden_count;
    uint64_t steps;
    uint64_t batch;
    double learning_rate;

    sbl_progress progress;
    sbl_notice notice;
    void *context; /* of both */
} sbl_synth_options;

SBL_API void sbl_synth_options_init(sbl_synth_options *options);

/* Fit input (a CSV file, plain or gzip, or "-") and save the model.
 * Out:     statement  the guarantee in words (sbl_string_free); may be NULL
 * Privacy: reads records; the release, certificate and model are differentially private.
 * Returns: SBL_OK; SBL_ESTOPPED when progress asked for it during training: the release is on disk,
 *          `train` goes on from there; SBL_EBUDGET; SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synth_fit(char **statement, const char *input,
                                              const char *schema_path, const char *model_path,
                                              const sbl_synth_options *options, sbl_error *err);

/* A model from a release: post-processing. */
SBL_API SBL_MUST_USE sbl_status sbl_synth_train(const char *release_path, const char *model_path,
                                                const sbl_synth_options *options, sbl_error *err);

/* rows rows of a model as a table at output ("-": standard output). where: NULL, or "LABEL=VALUE"
 * to draw one class only. rows = 0: as many as the model was fitted to (or their noisy number). */
SBL_API SBL_MUST_USE sbl_status sbl_synth_sample(const char *model_path, const char *output,
                                                 uint64_t rows, const char *where,
                                                 const sbl_synth_options *options, sbl_error *err);

/* Fit and sample. model_path may be NULL: the model is not kept. */
SBL_API SBL_MUST_USE sbl_status sbl_synth_run(char **statement, const char *input,
                                              const char *schema_path, const char *output,
                                              uint64_t rows, const char *model_path,
                                              const sbl_synth_options *options, sbl_error *err);

/* What a fit of n rows would release: blocks, noise, memory. Opens no data.
 * Out: text for people, or one JSON object; sbl_string_free */
SBL_API SBL_MUST_USE sbl_status sbl_synth_plan(char **text, const char *schema_path, uint64_t n,
                                               bool json, const sbl_synth_options *options,
                                               sbl_error *err);

/* What each column of a schema becomes, and, with an input, what the table holds that the schema
 * does not foresee (NOT PRIVATE: counts from the records; for the owner's eyes only). */
SBL_API SBL_MUST_USE sbl_status sbl_schema_check(char **text, const char *schema_path,
                                                 const char *input, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
