/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Cells by quotas, in the order of the rows' places within their code (spread.h). */
#include "after/counts/spread.h"

#include <math.h>
#include <string.h>

#define STEPS 1024u  /* of a code: rows at the same step keep their order */
#define NO_LEAN 1e-6 /* less than this is none */

void sbl_quotas(uint16_t *codes, size_t count, const float *shares, uint32_t cells, bool shuffled,
                sbl_model_rng *rng)
{
    double total = 0, passed = 0;
    for (uint32_t v = 0; v < cells; v++) total += (double)shares[v];
    const double offset = sbl_model_rng_uniform(rng);
    uint32_t code = 0, last = cells - 1;
    while (last > 0 && !(shares[last] > 0)) last--; /* rounding gives nothing to a share of 0 */
    for (size_t i = 0; i < count; i++) {
        const double wanted = ((double)i + offset) / (double)count * total;
        while (code < last && passed + (double)shares[code] <= wanted) passed += (double)shares[code++];
        codes[i] = (uint16_t)code;
    }
    for (size_t i = count; shuffled && i > 1; i--) {
        const size_t k = (size_t)sbl_model_rng_below(rng, i);
        const uint16_t swap = codes[i - 1];
        codes[i - 1] = codes[k];
        codes[k] = swap;
    }
}

sbl_status sbl_spread_init(sbl_spread *spread, sbl_pool *pool, size_t rows, size_t most_cells, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *spread = (sbl_spread){0};
    SBL_POOL(pool, spread->sorted, rows, 1, "drawing rows");
    SBL_POOL(pool, spread->ranked, rows, 1, "drawing rows");
    SBL_POOL(pool, spread->begin, most_cells + 1, 1, "drawing rows");
    SBL_POOL(pool, spread->leans, rows, 1, "drawing rows");
    SBL_POOL(pool, spread->drawn, rows, 1, "drawing rows");
    SBL_POOL(pool, spread->steps, rows, 1, "drawing rows");
    SBL_POOL(pool, spread->shares, most_cells, 1, "drawing rows");
    SBL_POOL(pool, spread->cells, most_cells, 1, "drawing rows");
done:
    return status;
}

static void sort_rows(sbl_spread *s, const uint16_t *from, size_t step, uint32_t codes, size_t rows)
{
    memset(s->begin, 0, ((size_t)codes + 1) * sizeof *s->begin);
    for (size_t r = 0; r < rows; r++) s->begin[from[r * step] + 1]++;
    for (uint32_t v = 0; v < codes; v++) s->begin[v + 1] += s->begin[v];
    for (size_t r = 0; r < rows; r++) s->sorted[s->begin[from[r * step]]++] = (uint32_t)r;
    for (uint32_t v = codes; v > 0; v--) s->begin[v] = s->begin[v - 1];
    s->begin[0] = 0;
}

static void add_lean(float *leans, const sbl_lean *lean, const uint16_t *from, size_t step, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        const uint16_t other = lean->other[r * lean->stride];
        const float *slopes = lean->slopes + (size_t)from[r * step] * lean->other_codes;
        if (lean->where != NULL && lean->where[r * lean->stride] == 0) continue;
        leans[r] += slopes[lean->group != NULL ? lean->group[other] : other];
    }
}

/* The place of a row in its code: u + a (u^2 - u) is a uniform number. */
static double place_of(float lean, double uniform)
{
    const double a = (double)lean / (2 + fabs((double)lean));
    if (fabs(a) < NO_LEAN) return uniform;
    return (a - 1 + sqrt((1 - a) * (1 - a) + 4 * a * uniform)) / (2 * a);
}

/* The rows of a code by their places in it. */
static const uint32_t *rank_rows(sbl_spread *s, const uint32_t *rows, size_t count, sbl_model_rng *rng)
{
    uint32_t begin[STEPS + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        const double step = place_of(s->leans[rows[i]], sbl_model_rng_uniform(rng)) * STEPS;
        s->steps[i] = (uint16_t)fmax(fmin(step, STEPS - 1), 0);
        begin[s->steps[i] + 1]++;
    }
    for (size_t k = 0; k < STEPS; k++) begin[k + 1] += begin[k];
    for (size_t i = 0; i < count; i++) s->ranked[begin[s->steps[i]]++] = rows[i];
    return s->ranked;
}

/* The cells of one code, for the rows that have it. */
static void spread_code(sbl_spread *s, const sbl_code_cells *column, bool leans, uint32_t code, uint16_t *to,
                        size_t step, sbl_model_rng *rng)
{
    const size_t count = s->begin[code + 1] - s->begin[code];
    const uint32_t *rows = s->sorted + s->begin[code];
    uint32_t found = 0;
    bool number = leans;
    for (uint32_t c = 0; c < column->cells; c++) {
        if (column->code_of[c] != code) continue;
        if (c >= column->ordered) number = false;
        s->shares[found] = column->share[c];
        s->cells[found++] = c;
    }
    const bool ranked = number && found > 1;
    sbl_quotas(s->drawn, count, s->shares, found, !ranked, rng);
    if (ranked) rows = rank_rows(s, rows, count, rng);
    for (size_t i = 0; i < count; i++) to[rows[i] * step] = (uint16_t)s->cells[s->drawn[i]];
}

void sbl_spread_column(sbl_spread *spread, const sbl_code_cells *column, const sbl_lean *leans,
                       size_t lean_count, const uint16_t *from, size_t from_step, uint16_t *to,
                       size_t to_step, size_t rows, sbl_model_rng *rng)
{
    sort_rows(spread, from, from_step, column->codes, rows);
    if (lean_count > 0) memset(spread->leans, 0, rows * sizeof *spread->leans);
    for (size_t i = 0; i < lean_count; i++) add_lean(spread->leans, &leans[i], from, from_step, rows);
    for (uint32_t v = 0; v < column->codes; v++)
        if (spread->begin[v + 1] > spread->begin[v])
            spread_code(spread, column, lean_count > 0, v, to, to_step, rng);
}
