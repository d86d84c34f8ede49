/* SPDX-License-Identifier: Apache-2.0 */
/* Total variation distance over sets of columns, the protocol of bench/utility/marginals.py: mean
 * over the sets of half the L1 distance of the two joint histograms over the public cells. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "base/random/model_rng.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/sampling_noise.h"

/* C(n, k) for k <= 4, or UINT64_MAX when it does not fit; every step of the product is whole. */
static uint64_t choose(uint64_t n, uint64_t k)
{
    uint64_t result = 1;
    for (uint64_t i = 1; i <= k; i++) {
        const uint64_t factor = n - k + i;
        if (result > UINT64_MAX / factor) return UINT64_MAX;
        result = result * factor / i;
    }
    return result;
}

/* Set number `rank` in lexicographic order. */
static void unrank(uint32_t *set, uint64_t rank, size_t columns, size_t way)
{
    uint32_t next = 0;
    for (size_t i = 0; i < way; i++) {
        for (;;) {
            const uint64_t with_next = choose(columns - next - 1, way - i - 1);
            if (rank < with_next) break;
            rank -= with_next;
            next++;
        }
        set[i] = next++;
    }
}

static int by_rank(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A uniform sample of `limit` different numbers below total, sorted: each round draws as many as
 * are wanting and drops repeats, which is the set of the first `limit` different draws. */
static void draw_ranks(uint64_t *ranks, size_t limit, uint64_t total, sbl_model_rng *rng)
{
    size_t have = 0;
    while (have < limit) {
        for (size_t i = have; i < limit; i++) ranks[i] = sbl_model_rng_below(rng, total);
        qsort(ranks, limit, sizeof *ranks, by_rank);
        have = 1;
        for (size_t i = 1; i < limit; i++)
            if (ranks[i] != ranks[have - 1]) ranks[have++] = ranks[i];
    }
}

/* Where nearly all are wanted: each is taken with the chance that keeps the rest uniform (Knuth
 * volume 2, algorithm S). */
static void pick_ranks(uint64_t *ranks, size_t limit, uint64_t total, sbl_model_rng *rng)
{
    size_t have = 0;
    for (uint64_t rank = 0; have < limit; rank++)
        if (sbl_model_rng_below(rng, total - rank) < limit - have) ranks[have++] = rank;
}

uint32_t *sbl_column_sets(size_t *count, uint64_t *total, size_t columns, size_t way, size_t limit,
                          uint64_t seed)
{
    *total = choose(columns, way);
    *count = *total < limit ? (size_t)*total : limit;
    uint32_t *sets = sbl_alloc_array(*count, way * sizeof *sets);
    uint64_t *ranks = sbl_alloc_array(*count, sizeof *ranks);
    if (sets != NULL && ranks != NULL) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, (uint64_t)SBL_STREAM_SETS + (way << 48));
        if (*total <= 2 * (uint64_t)limit)
            pick_ranks(ranks, *count, *total, &rng);
        else
            draw_ranks(ranks, *count, *total, &rng);
        for (size_t i = 0; i < *count; i++) unrank(sets + i * way, ranks[i], columns, way);
    } else {
        sbl_free(sets);
        sets = NULL;
    }
    sbl_free(ranks);
    return sets;
}

sbl_status sbl_tally_triple(sbl_triple tvd, sbl_tally *tally, const sbl_tally_input *input,
                            const sbl_tables *tables)
{
    const sbl_status status = sbl_tally_count(tally, input, NULL);
    for (sbl_pair p = 0; status == SBL_OK && p < SBL_PAIR_COUNT; p++) {
        sbl_table_role side[2];
        tvd[p] = NAN;
        if (sbl_tables_pair(side, tables, p) && input->rows[side[0]] != 0 && input->rows[side[1]] != 0)
            tvd[p] = sbl_tally_distance(tally, side[0], input->rows[side[0]], side[1], input->rows[side[1]]);
    }
    return status;
}

/* What the threads share while they count. */
typedef struct counting {
    const sbl_tables *tables;
    const sbl_view *view;
    uint32_t *cells[SBL_ROLE_COUNT]; /* by columns */
    sbl_tally *tallies;              /* one for each thread */
    double *effects;                 /* of each column, of persons (sampling_noise.h) */
} counting;

/* expected: of a second real sample; NULL: not wanted. */
static bool measure_set(sbl_triple result, double *expected, sbl_tally *tally, const counting *work,
                        const uint32_t *set, size_t way)
{
    sbl_tally_input input = {.way = way, .tables = SBL_ROLE_COUNT};
    for (size_t i = 0; i < way; i++) input.sizes[i] = work->view->columns[set[i]].cells;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        input.rows[t] = work->tables->frames[t].rows;
        for (size_t i = 0; i < way; i++) input.codes[t][i] = work->cells[t] + set[i] * input.rows[t];
    }
    if (sbl_tally_triple(result, tally, &input, work->tables) != SBL_OK) return false;
    if (expected != NULL)
        *expected = sbl_tally_expected(tally, SBL_ROLE_SYNTHETIC, input.rows[SBL_ROLE_SYNTHETIC],
                                       SBL_ROLE_REAL, input.rows[SBL_ROLE_REAL]);
    return true;
}

/* Mean over the sets, and the set where the synthetic table is worst. */
static json_t *summary_json(sbl_triple *results, const uint32_t *sets, size_t count, uint64_t total,
                            size_t way, const sbl_view *view)
{
    sbl_triple mean = {0};
    size_t worst = 0;
    json_t *names = json_array();
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < SBL_PAIR_COUNT; p++) mean[p] += results[i][p];
        if (results[i][SBL_PAIR_SYNTHETIC] > results[worst][SBL_PAIR_SYNTHETIC]) worst = i;
    }
    for (size_t p = 0; p < SBL_PAIR_COUNT; p++) mean[p] /= (double)count;
    for (size_t i = 0; i < way; i++)
        names = sbl_json_append(names, json_string(view->columns[sets[worst * way + i]].column->name));
    return json_pack("{s:I, s:I, s:I, s:b, s:o, s:{s:o, s:f}}", "way", (json_int_t)way, "sets",
                     (json_int_t)count, "of", (json_int_t)total, "sampled", (uint64_t)count < total, "tvd",
                     sbl_triple_json(mean), "worst", "columns", names, "tvd",
                     results[worst][SBL_PAIR_SYNTHETIC]);
}

/* Pairs are kept as relations. */
static bool keep_pairs(const counting *work, sbl_triple *results, const double *expected,
                       const uint32_t *sets, size_t count)
{
    const sbl_frame *frames = work->tables->frames;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        const uint32_t a = sets[2 * i], b = sets[2 * i + 1];
        const sbl_relation pair = {
            .kind = SBL_RELATION_PAIR,
            .columns = {work->view->columns[a].column, work->view->columns[b].column},
            .distance = results[i][SBL_PAIR_SYNTHETIC],
            .expected = expected[i],
            .sizes = 1.0 / (double)frames[SBL_ROLE_SYNTHETIC].rows + 1.0 / (double)frames[SBL_ROLE_REAL].rows,
            .effect = fmax(work->effects[a], work->effects[b])};
        good = sbl_relations_add(work->tables->relations, &pair, NULL) == SBL_OK;
    }
    return good;
}

static json_t *measure_way(const counting *work, size_t way, size_t limit, const sbl_progress_span *progress)
{
    size_t count;
    uint64_t total;
    json_t *json = NULL;
    bool failed = false;
    const bool kept = way == 2 && work->tables->relations != NULL;
    uint32_t *sets = sbl_column_sets(&count, &total, work->view->count, way, limit, work->tables->seed);
    sbl_triple *results = sbl_alloc_array(count, sizeof *results);
    double *expected = sbl_alloc_array(count, sizeof *expected);
    if (sets != NULL && results != NULL && expected != NULL) {
        SBL_OMP(omp parallel for num_threads(work->tables->threads) schedule(dynamic))
        for (long i = 0; i < (long)count; i++)
            if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)i, count) &&
                !measure_set(results[i], kept ? &expected[i] : NULL, &work->tallies[sbl_thread_index()], work,
                             sets + (size_t)i * way, way)) {
                SBL_OMP(omp atomic write)
                failed = true;
            }
        if (!failed && kept) failed = !keep_pairs(work, results, expected, sets, count);
        if (!failed) json = summary_json(results, sets, count, total, way, work->view);
    }
    sbl_free(sets);
    sbl_free(results);
    sbl_free(expected);
    return json;
}

/* Where the tables say whose their rows are, persons are sampled; otherwise rows are, and each effect is 1. */
static sbl_status find_effects(counting *work, sbl_error *err)
{
    static const sbl_table_role roles[2] = {SBL_ROLE_REAL, SBL_ROLE_SYNTHETIC};
    const sbl_history_columns unordered = {0};
    const sbl_frame *frames = work->tables->frames;
    sbl_history_table persons[2] = {{0}};
    sbl_codes codes = {.columns = work->view->count};
    sbl_status status = SBL_OK;
    SBL_ALLOC(work->effects, codes.columns, "sampling noise");
    for (size_t c = 0; c < codes.columns; c++) work->effects[c] = 1.0;
    if (frames[SBL_ROLE_REAL].persons == NULL || frames[SBL_ROLE_SYNTHETIC].persons == NULL) goto done;
    SBL_ALLOC(codes.sizes, codes.columns, "sampling noise");
    for (size_t c = 0; c < codes.columns; c++) codes.sizes[c] = work->view->columns[c].cells;
    for (size_t t = 0; t < 2; t++) {
        codes.codes[roles[t]] = work->cells[roles[t]];
        codes.rows[roles[t]] = frames[roles[t]].rows;
        SBL_TRY(sbl_history_table_init(&persons[t], &frames[roles[t]], &unordered, err));
    }
    SBL_TRY(sbl_cluster_effects(work->effects, &codes, &persons[0], &persons[1], false, err));
done:
    for (size_t t = 0; t < 2; t++) sbl_history_table_clear(&persons[t]);
    sbl_free(codes.sizes);
    return status;
}

static bool prepare(counting *work)
{
    work->tallies = sbl_alloc_array((size_t)work->tables->threads, sizeof *work->tallies);
    if (work->tallies == NULL) return false;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        work->cells[t] = sbl_view_cells(work->view, &work->tables->frames[t]);
        if (work->cells[t] == NULL) return false;
    }
    return work->tables->relations == NULL || find_effects(work, NULL) == SBL_OK;
}

sbl_status sbl_measure_marginals(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                 size_t limit, sbl_error *err)
{
    counting work = {.tables = tables, .view = view};
    json_t *list = prepare(&work) ? json_array() : NULL;
    for (size_t way = 1; list != NULL && way <= SBL_TALLY_MAX_WAY && way <= view->count; way++) {
        const sbl_progress_span progress = sbl_progress_part(&tables->progress, way - 1, SBL_TALLY_MAX_WAY);
        list = sbl_json_append(list, measure_way(&work, way, limit, &progress));
    }
    for (int t = 0; work.tallies != NULL && t < tables->threads; t++) sbl_tally_clear(&work.tallies[t]);
    sbl_free(work.tallies);
    sbl_free(work.effects);
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        sbl_free_wiped(work.cells[t], view->count * tables->frames[t].rows * sizeof **work.cells);
    *result = list;
    return list != NULL ? SBL_OK : sbl_no_memory(err, "marginals");
}
