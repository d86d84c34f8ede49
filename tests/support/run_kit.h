/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs on files in a folder of their own, with a fixed key: paths, texts, runs, and two runs side
 * by side. */
#ifndef TESTS_SUPPORT_RUN_KIT_H
#define TESTS_SUPPORT_RUN_KIT_H

#include <stdbool.h>
#include <stdio.h>

#include "public/account/budget.h"
#include "support/by_path.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/replay_kit.h"

void must(sbl_status status, const sbl_error *err);

/* ---- files of the folder, by their names ---- */

/* The path of NAME, of NAME followed by END, and of a run's release; good until a few calls later. */
const char *at(const char *name);
const char *beside(const char *name, const char *end);
const char *release_of(const char *output, size_t round);

FILE *create(const char *name);
void write_file(const char *name, const char *text);
char *text_of(const char *name); /* free() */
size_t lines_of(const char *name);
bool exists(const char *name);
void expect_same_text(const char *a, const char *b);

/* ---- runs over INPUT with the schema "schema.json" ---- */

sbl_status try_run(const char *input, const char *output, const sbl_synth_options *options, sbl_error *err);
/* Under this key; fails the test where it fails. */
void run_with(uint64_t key, const char *input, const char *output, const sbl_synth_options *options);

/* A release of a run with what was charged for it. */
void load_run(replayed *run, const char *input, const char *output, size_t round);
/* Release `round` of two runs: replayed_compare, and of their ledgers all that is public. */
double compare_runs(const char *inputs[2], const char *outputs[2], size_t round, const char *what);
sbl_totals totals_of(const char *input);
/* Verifies the certificate with the data's ledger; the statement holds these words. */
void expect_certified(const char *input, const char *output, const char *words);

/* A fit of data.csv into the model "first", and a model of its release, "second", which draws the same
 * table; the certificate's path stays in the options. */
void expect_model_of_release(sbl_synth_options *options);

#endif
