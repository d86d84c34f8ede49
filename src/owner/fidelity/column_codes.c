/* SPDX-License-Identifier: Apache-2.0 */
/* Counts each pair of columns in all tables at once, pairs side by side on the threads. */
#include "owner/fidelity/column_codes.h"

#include <math.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/sampling_noise.h"

sbl_status sbl_codes_init(sbl_codes *codes, size_t columns, const size_t *rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *codes = (sbl_codes){.columns = columns};
    SBL_ALLOC(codes->sizes, columns, "codes");
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        codes->codes[t] = sbl_alloc_array(rows[t], columns * sizeof **codes->codes);
        if (codes->codes[t] == NULL) SBL_TRY(sbl_no_memory(err, "codes"));
        codes->rows[t] = rows[t];
    }
done:
    if (status != SBL_OK) sbl_codes_clear(codes);
    return status;
}

void sbl_codes_clear(sbl_codes *codes)
{
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        sbl_free_wiped(codes->codes[t], codes->columns * codes->rows[t] * sizeof **codes->codes);
    sbl_free(codes->sizes);
    *codes = (sbl_codes){0};
}

sbl_status sbl_codes_pick(sbl_codes *picked, const sbl_codes *codes,
                          const uint32_t *const places[SBL_ROLE_COUNT], const size_t counts[SBL_ROLE_COUNT],
                          uint32_t back, sbl_error *err)
{
    const sbl_status status = sbl_codes_init(picked, codes->columns, counts, err);
    if (status != SBL_OK) return status;
    for (size_t c = 0; c < codes->columns; c++) {
        picked->sizes[c] = codes->sizes[c];
        for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
            const uint32_t *from = codes->codes[t] + c * codes->rows[t];
            uint32_t *to = picked->codes[t] + c * counts[t];
            for (size_t i = 0; i < counts[t]; i++) to[i] = from[places[t][i] - back];
        }
    }
    return SBL_OK;
}

/* What a pair is called in a list: a column of each side. */
static void pair_columns(size_t columns[2], const sbl_codes *second, uint32_t item)
{
    columns[0] = second != NULL ? item / second->columns : item;
    columns[1] = second != NULL ? item % second->columns : 0;
}

/* expected: of a second real sample; NULL: not wanted. */
static sbl_status measure(sbl_triple result, double *expected, sbl_tally *tally, const sbl_tables *tables,
                          const sbl_codes *first, const sbl_codes *second, uint32_t item)
{
    const sbl_codes *const sides[2] = {first, second};
    size_t columns[2];
    pair_columns(columns, second, item);
    sbl_tally_input input = {.way = second != NULL ? 2 : 1, .tables = SBL_ROLE_COUNT};
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) input.rows[t] = first->rows[t];
    for (size_t i = 0; i < input.way; i++) {
        input.sizes[i] = sides[i]->sizes[columns[i]];
        for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
            input.codes[t][i] = sides[i]->codes[t] + columns[i] * input.rows[t];
    }
    SBL_CHECK(sbl_tally_triple(result, tally, &input, tables));
    if (expected != NULL && isfinite(result[SBL_PAIR_SYNTHETIC]))
        *expected = sbl_tally_expected(tally, SBL_ROLE_SYNTHETIC, input.rows[SBL_ROLE_SYNTHETIC],
                                       SBL_ROLE_REAL, input.rows[SBL_ROLE_REAL]);
    return SBL_OK;
}

/* Keeps what was measured; nothing where a table has no rows. */
static sbl_status keep(const sbl_tables *tables, const sbl_codes *first, const sbl_codes *second,
                       const uint32_t *list, size_t count, const sbl_compared *what, sbl_triple *results,
                       const double *expected, sbl_error *err)
{
    const sbl_codes *const sides[2] = {first, second};
    for (size_t i = 0; i < count; i++) {
        size_t columns[2];
        sbl_relation relation = {
            .kind = what->kind,
            .distance = results[i][SBL_PAIR_SYNTHETIC],
            .expected = expected[i],
            .sizes = 1.0 / (double)first->rows[SBL_ROLE_SYNTHETIC] + 1.0 / (double)first->rows[SBL_ROLE_REAL],
            .effect = 1.0};
        if (!isfinite(relation.distance)) continue;
        pair_columns(columns, second, list[i]);
        for (size_t s = 0; s < 2 && sides[s] != NULL; s++) {
            if (s > 0 || what->kind != SBL_RELATION_ROWS)
                relation.columns[s] = what->view->columns[columns[s]].column;
            if (sides[s]->effects != NULL)
                relation.effect = fmax(relation.effect, sides[s]->effects[columns[s]]);
        }
        SBL_CHECK(sbl_relations_add(tables->relations, &relation, err));
    }
    return SBL_OK;
}

/* No number where there are no results. */
static void mean_of(sbl_triple mean, sbl_triple *results, size_t count)
{
    for (size_t p = 0; p < SBL_PAIR_COUNT; p++) {
        double sum = 0.0;
        for (size_t i = 0; i < count; i++) sum += results[i][p];
        mean[p] = count != 0 ? sum / (double)count : NAN;
    }
}

sbl_status sbl_codes_distance(sbl_triple mean, const sbl_tables *tables, const sbl_codes *first,
                              const sbl_codes *second, const uint32_t *list, size_t count,
                              const sbl_compared *what, const sbl_progress_span *progress, sbl_error *err)
{
    const bool kept = what != NULL && tables->relations != NULL;
    sbl_triple *results = NULL;
    double *expected = NULL;
    sbl_tally *tallies = NULL;
    bool failed = false;
    sbl_status status = SBL_OK;
    SBL_ALLOC(results, count, "distances");
    SBL_ALLOC(expected, count, "distances");
    SBL_ALLOC(tallies, (size_t)tables->threads, "distances");
    SBL_OMP(omp parallel for num_threads(tables->threads) schedule(dynamic))
    for (long i = 0; i < (long)count; i++)
        if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)i, count) &&
            measure(results[i], kept ? &expected[i] : NULL, &tallies[sbl_thread_index()], tables, first,
                    second, list[i]) != SBL_OK) {
            SBL_OMP(omp atomic write)
            failed = true;
        }
    if (failed) SBL_TRY(sbl_no_memory(err, "distances"));
    mean_of(mean, results, count);
    if (kept) SBL_TRY(keep(tables, first, second, list, count, what, results, expected, err));
done:
    for (int t = 0; tallies != NULL && t < tables->threads; t++) sbl_tally_clear(&tallies[t]);
    sbl_free(tallies);
    sbl_free(results);
    sbl_free(expected);
    return status;
}
