/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in parts step by step, by names of a folder: a table with its schema, plans, sums, merges and releases. */
#ifndef TESTS_PIPELINE_PARTS_RUN_KIT_H
#define TESTS_PIPELINE_PARTS_RUN_KIT_H

#include <stdbool.h>
#include <stdio.h>

#include "semblance/shards.h"
#include "support/run_kit.h"

enum { ROWS = 300, PARTS_MOST = 64, NAME = 300 };

/* "schema.json"; persons: it says whose row it is. */
void write_schema(bool persons);
void write_row(FILE *file, int r);
/* The rows r with r % parts == number. */
void write_rows(const char *name, int number, int parts);
/* Before each test: the folder with data.csv, all rows. */
int fresh(void **unused);
sbl_synth_options by_method(const char *method);

/* ---- steps; a number behind a name keeps them apart ---- */

typedef struct path {
    char text[NAME];
} path;

path named(const char *name, int number);
sbl_status plan_sites(const char *plan, const char *sites, bool one_site, const sbl_synth_options *options,
                      sbl_error *err);
sbl_status plan_first(const char *plan, const char *sites, const sbl_synth_options *options, sbl_error *err);
/* Is there another round? */
bool plan_next(const char *before, const char *release, uint64_t round, const char *plan,
               const sbl_synth_options *options);

typedef struct wish {
    const char *part, *mask;
    uint64_t attempt;
} wish;

sbl_status sum_file(const char *input, const char *plan, wish as, const char *output,
                    const sbl_synth_options *options, sbl_error *err);
sbl_status join(sbl_shards_step step, const char *const *sums, size_t count, const char *plan,
                const char *output, const sbl_synth_options *options, sbl_error *err);

/* ---- what came of them ---- */

path release_path(const char *first, int round);
/* The releases of a run in one process, one.csv, and of one in parts, parts.release: the same but for random names. */
void expect_same_releases(int rounds);
void expect_refused(sbl_status status, sbl_status expected, const sbl_error *err, const char *words);
/* A merge of these two by plan 1, for these words. */
void expect_merge_refused(const char *a, const char *b, const char *words);

#endif
