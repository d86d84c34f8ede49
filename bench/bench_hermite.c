/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite sums of the sum kernel with levels, quantising and bounds in, both modes, against the rate
 * at which this machine reads the same numbers from memory, in the same run. Times are processor time of
 * all threads: other work on the machine counts less.
 *
 *   bench_hermite [rows] [columns] [order]      prints JSON; bench/compare_hermite.py adds torch */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "records/accumulate/sum.h"
#include "records/features/hermite.h"
#include "roofline.h"

#define ROW_TILE 128
#define LEVELS 1024
#define LENGTH 0.02

typedef struct job {
    size_t rows, columns, order;
    double *x;
    sbl_facts facts;
    sbl_hermite hermite;
    sbl_block block;
    sbl_layout layout;
    sbl_sum **sums; /* one per thread */
    void **rooms;
} job;

static double used(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_hermite: %s\n", what);
    exit(1);
}

/* Time of making the tables and comparing their pairs. */
static double prepare(job *j, bool norm)
{
    const size_t threads = (size_t)sbl_thread_limit();
    const sbl_hermite_function function = {LENGTH, j->order, sbl_hermite_reach(LENGTH, j->order)};
    const sbl_hermite_options options = {
        .norm = norm, .level_count = LEVELS, .pull = 1, .functions = &function, .function_count = 1};
    sbl_error err;
    double weight;
    json_t *parameters = sbl_hermite_parameters(&options, NULL);
    const double start = used();
    if (sbl_hermite_init(&j->hermite, &j->facts, parameters, false, &err) != SBL_OK) fail(err.message);
    const double took = used() - start;
    json_decref(parameters);
    sbl_feature_hermite.describe(&j->hermite, &j->block, &weight);
    j->layout =
        (sbl_layout){.blocks = &j->block, .block_count = 1, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    j->sums = sbl_alloc_array(threads, sizeof(sbl_sum *));
    j->rooms = sbl_alloc_array(threads, sizeof *j->rooms);
    for (size_t t = 0; t < threads; t++)
        if (sbl_sum_new(&j->sums[t], &j->layout, &err) != SBL_OK ||
            (j->rooms[t] = sbl_alloc_array(sbl_feature_hermite.workspace_bytes(&j->hermite), 1)) == NULL)
            fail(err.message);
    return took;
}

static void finish(job *j)
{
    for (int t = 0; t < sbl_thread_limit(); t++) {
        sbl_sum_free(j->sums[t]);
        sbl_free(j->rooms[t]);
    }
    sbl_free(j->sums);
    sbl_free(j->rooms);
    sbl_hermite_clear(&j->hermite);
}

/* Numbers to exact sums of all threads together. */
static double whole_chain(job *j)
{
    const double start = used();
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < j->rows; first += ROW_TILE) {
        const size_t rows = j->rows - first < ROW_TILE ? j->rows - first : ROW_TILE;
        const size_t t = (size_t)sbl_thread_index();
        const sbl_records records = {.numeric = j->x + first * j->columns, .rows = rows};
        if (sbl_sum_begin_rows(j->sums[t], NULL, rows, NULL) != SBL_OK ||
            sbl_feature_hermite.add(j->sums[t], 0, &j->hermite, j->rooms[t], &records, NULL) != SBL_OK ||
            sbl_sum_end_rows(j->sums[t], NULL) != SBL_OK)
            fail("the sum broke");
    }
    for (int t = 1; t < sbl_thread_limit(); t++)
        if (sbl_sum_merge(j->sums[0], j->sums[t], NULL) != SBL_OK) fail("merging failed");
    if (sbl_sum_values(j->sums[0], 0)[0] == 0) fail("the sums are empty");
    return used() - start;
}

/* The same numbers, read and added up. */
static double read_all(const job *j)
{
    const double start = used();
    double sum = 0;
    SBL_OMP(omp parallel for schedule(static) reduction(+ : sum))
    for (size_t r = 0; r < j->rows; r++) {
        double lanes[8] = {0};
        const double *row = j->x + r * j->columns;
        for (size_t i = 0; i + 8 <= j->columns; i += 8)
            for (size_t l = 0; l < 8; l++) lanes[l] += row[i + l];
        for (size_t l = 0; l < 8; l++) sum += lanes[l];
    }
    if (sum < 0) fail("no sum");
    return used() - start;
}

int main(int argc, char **argv)
{
    job j = {.rows = 50000, .columns = 50, .order = 100};
    if (argc > 1) j.rows = strtoul(argv[1], NULL, 10);
    if (argc > 2) j.columns = strtoul(argv[2], NULL, 10);
    if (argc > 3) j.order = strtoul(argv[3], NULL, 10);
    sbl_model_rng rng;
    j.facts = (sbl_facts){.kind = SBL_DATA_TABLE, .classes = 1};
    if (sbl_record_shape_init(&j.facts.shape, j.columns, NULL, 0, 1, NULL) != SBL_OK) fail("no such shape");
    j.facts.heads.numeric_count = j.columns;
    sbl_model_rng_init(&rng, 2, SBL_RNG_OTHER, 0);
    j.x = sbl_alloc_array(j.rows * j.columns, sizeof *j.x);
    for (size_t i = 0; i < j.rows * j.columns; i++) j.x[i] = sbl_model_rng_uniform(&rng);
    double best[2] = {1e9, 1e9}, tables = 0, reading = 1e9;
    for (int norm = 0; norm < 2; norm++) {
        const double took = prepare(&j, norm != 0);
        if (norm == 0) tables = took;
        for (int round = 0; round < ROUNDS; round++) {
            const double chain = whole_chain(&j);
            if (chain < best[norm]) best[norm] = chain;
            const double read = read_all(&j);
            if (read < reading) reading = read;
        }
        finish(&j);
    }
    printf(
        "{\"rows\":%zu,\"columns\":%zu,\"order\":%zu,\"threads\":%d,\"kernel_seconds\":%.5f,"
        "\"norm_seconds\":%.4f,\"tables_seconds\":%.4f,\"reading_seconds\":%.5f,"
        "\"of_reading_rate\":%.3f}\n",
        j.rows, j.columns, j.order, sbl_thread_limit(), best[0], best[1], tables, reading, reading / best[0]);
    sbl_free(j.x);
    sbl_record_shape_clear(&j.facts.shape);
    return 0;
}
