/* The main job: a private table in, a synthetic one out, under differential privacy.
 *
 *   fit     rounds over the table -> releases (noisy sums) and their certificate -> a model
 *   resume  a run that was stopped between two releases, from those that are there
 *   train   a model again from the releases of a run, at no cost
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
#include "semblance/options.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fit input (a CSV file, plain or gzip, or "-") and save the model. schema_path NULL, here and below:
 * a part of the budget (discover_share) discovers the schema first, which is written beside the output or
 * model, as NAME.schema.json; input is a file then.
 * Out:     statement  the guarantee in words (sbl_string_free); may be NULL
 * Privacy: reads records; the release, certificate and model are differentially private.
 * Returns: SBL_OK; SBL_ESTOPPED when progress asked for it during training: the release is on disk
 *          and training's place beside it, `resume` and `train` go on from there; SBL_EBUDGET; SBL_EARG, SBL_EINPUT, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synth_fit(char **statement, const char *input,
                                              const char *schema_path, const char *model_path,
                                              const sbl_synth_options *options, sbl_error *err);

/* A model from the releases of a run (release_path is the first; .2, .3, ... stand beside it):
 * post-processing. */
SBL_API SBL_MUST_USE sbl_status sbl_synth_train(const char *release_path, const char *model_path,
                                                const sbl_synth_options *options, sbl_error *err);

/* rows rows of a model as a table at output ("-": standard output). where: NULL, or one
 * condition a line, all of which every row holds: "COLUMN=VALUE", of each column once, or a condition
 * in the language of constraints (docs/CONSTRAINTS.md), such as "age > 80" or "town in (Ayr, Cork)", in
 * which a missing value holds nothing; any columns but ids and fakes. Where the kind of model cannot
 * draw by them, rows are drawn until enough hold, 1000 for each at most (SBL_EARG past that). rows = 0:
 * as many as the model was fitted to (or their noisy number). */
SBL_API SBL_MUST_USE sbl_status sbl_synth_sample(const char *model_path, const char *output,
                                                 uint64_t rows, const char *where,
                                                 const sbl_synth_options *options, sbl_error *err);

/* Fit and sample. model_path may be NULL: the model is not kept. */
SBL_API SBL_MUST_USE sbl_status sbl_synth_run(char **statement, const char *input,
                                              const char *schema_path, const char *output,
                                              uint64_t rows, const char *model_path,
                                              const sbl_synth_options *options, sbl_error *err);

/* Go on with a run that was stopped between its releases or while it trained: what is on disk is not
 * paid for again. Arguments as they were for sbl_synth_run (output NULL: as for sbl_synth_fit). */
SBL_API SBL_MUST_USE sbl_status sbl_synth_resume(char **statement, const char *input,
                                                 const char *schema_path, const char *output,
                                                 uint64_t rows, const char *model_path,
                                                 const sbl_synth_options *options, sbl_error *err);

/* What a fit of n rows would release first: blocks, noise, memory. Opens no data.
 * Out: text for people, or one JSON object; sbl_string_free */
SBL_API SBL_MUST_USE sbl_status sbl_synth_plan(char **text, const char *schema_path, uint64_t n,
                                               bool json, const sbl_synth_options *options,
                                               sbl_error *err);

/* Discover the schema of a table that nobody has described: names from the header, types, bounds and
 * categories from up to four releases (docs/mechanisms/discover.md), written to output as a Table
 * Schema that says so. Of the options those of the guarantee and the files count.
 * Out:     statement  the guarantee in words, after a line for each column of which nothing could be
 *                     discovered (sbl_string_free); may be NULL
 * In:      resume     go on with a run that was stopped: what is on disk is not paid for again
 * Privacy: reads records; releases, certificate and schema are differentially private.
 * Returns: SBL_OK; SBL_EBUDGET, also where the noise would hide everything; SBL_EARG for a stream or
 *          a pure guarantee; SBL_EINPUT, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_suggest(char **statement, const char *input,
                                                   const char *output, bool resume,
                                                   const sbl_synth_options *options,
                                                   sbl_error *err);

/* The owner's word on a schema that was guessed: what it says is public. Proposals that it holds
 * (docs/FORMATS.md) are taken or dropped.
 * In:  take    "all", "none", or numbers from 1 and kinds, separated by commas; NULL: it holds none
 *      output  where the accepted schema goes, which may be schema_path itself; NULL: nowhere.
 *              overwrite: as of the options
 * Out: schema  Table Schema JSON; words  what was done, one line; both sbl_string_free()
 * Returns: SBL_OK; SBL_EARG for proposals that nothing was said of, or that are none; SBL_EINPUT, also
 *          where what was taken makes no schema; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_accept(char **schema, char **words,
                                                  const char *schema_path, const char *take,
                                                  const char *output, bool overwrite,
                                                  sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
