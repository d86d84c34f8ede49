/* SPDX-License-Identifier: Apache-2.0 */
/* Chance differences of two tables a and b with n = n_a + n_b rows.
 *
 * Rows: given that a cell holds m rows of both, X of them are in a, hypergeometric with mean m p, p = n_a / n. The
 * expected distance is n / (2 n_a n_b) times the sum of E|X - m p| over cells. E|X - m p| of a binomial is
 * 2 k (1 - p) b(k; m, p), k = floor(m p) + 1 (De Moivre), or sqrt(2 / pi) standard deviations for large m;
 * sqrt((n - m) / (n - 1)) makes it that of the hypergeometric.
 *
 * Persons: the variance of a cell's share s is the sum over persons of (m_pc - m_p s)^2 / n^2 (the ratio estimator of
 * cluster samples; Cochran, Sampling Techniques, 3rd ed., ch. 6). The effect compares the sum over cells with that of
 * independent rows, n s (1 - s). */
#include "owner/fidelity/sampling_noise.h"

#include <math.h>

#include "base/alloc.h"

#define EXACT_ROWS 64             /* cells with fewer rows are computed exactly */
#define MEAN_OF_NORMAL 0.79788456 /* E|Z| = sqrt(2 / pi) */

/* ---- rows ---- */

/* E|X - m p| of a binomial. */
static double binomial_deviation(size_t m, double p)
{
    const double k = floor((double)m * p) + 1.0, left = (double)m - k;
    if (m == 0) return 0.0;
    const double log_b =
        lgamma((double)m + 1.0) - lgamma(k + 1.0) - lgamma(left + 1.0) + k * log(p) + left * log1p(-p);
    return 2.0 * k * (1.0 - p) * exp(log_b);
}

double sbl_tally_expected(const sbl_tally *tally, size_t a, uint64_t rows_a, size_t b, uint64_t rows_b)
{
    const double n_a = (double)rows_a, n_b = (double)rows_b, n = n_a + n_b, p = n_a / n;
    double small[EXACT_ROWS], sum = 0.0;
    for (size_t m = 0; m < EXACT_ROWS; m++) small[m] = binomial_deviation(m, p);
    for (size_t c = 0; c < tally->cells; c++) {
        const uint64_t m =
            (uint64_t)tally->counts[a * tally->cells + c] + tally->counts[b * tally->cells + c];
        if (m == 0) continue;
        const double deviation = m < EXACT_ROWS ? small[m] : MEAN_OF_NORMAL * sqrt((double)m * p * (1.0 - p));
        sum += deviation * sqrt((n - (double)m) / (n - 1.0));
    }
    return sum * n / (2.0 * n_a * n_b);
}

/* ---- persons ---- */

/* One column of one table, and what is counted of it. */
typedef struct clustered {
    const sbl_history_table *table;
    const uint32_t *codes;
    bool by_place;
    uint32_t cells;
    uint32_t *all, *of_person; /* (cells): rows in each cell */
} clustered;

static uint32_t code_at(const clustered *c, size_t place)
{
    return c->codes[c->by_place ? place : c->table->rows[place]];
}

/* Adds a person's squared counts and the shares of its rows' cells, each as often as it has rows. */
static void add_person(double *squares, double *crossed, const clustered *c, size_t person)
{
    const size_t first = c->table->starts[person], end = c->table->starts[person + 1];
    const double rows = (double)c->table->frame->rows;
    for (size_t i = first; i < end; i++) {
        const uint32_t code = code_at(c, i);
        *squares += 2.0 * c->of_person[code]++ + 1.0;
        *crossed += (double)(end - first) * c->all[code] / rows;
    }
    for (size_t i = first; i < end; i++) c->of_person[code_at(c, i)] = 0;
}

/* The variance of shares as a multiple of that of independent rows. */
static double variance_factor(const clustered *c)
{
    const double rows = (double)c->table->frame->rows;
    double squares = 0.0, crossed = 0.0, persons = 0.0, shares = 0.0;
    for (uint32_t i = 0; i < c->cells; i++) c->all[i] = c->of_person[i] = 0;
    for (size_t i = 0; i < c->table->frame->rows; i++) c->all[code_at(c, i)]++;
    for (uint32_t i = 0; i < c->cells; i++) shares += (c->all[i] / rows) * (c->all[i] / rows);
    for (size_t p = 0; p < c->table->persons; p++) {
        const double size = (double)(c->table->starts[p + 1] - c->table->starts[p]);
        persons += size * size;
        add_person(&squares, &crossed, c, p);
    }
    const double independent = rows * (1.0 - shares);
    return independent > 0.0 ? (squares - 2.0 * crossed + shares * persons) / independent : 1.0;
}

sbl_status sbl_cluster_effects(double *effects, const sbl_codes *codes, const sbl_history_table *real,
                               const sbl_history_table *synthetic, bool by_place, sbl_error *err)
{
    const sbl_history_table *const tables[2] = {real, synthetic};
    static const sbl_table_role roles[2] = {SBL_ROLE_REAL, SBL_ROLE_SYNTHETIC};
    clustered c = {.by_place = by_place};
    uint32_t most = 0;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < codes->columns; i++) most = codes->sizes[i] > most ? codes->sizes[i] : most;
    SBL_ALLOC(c.all, most, "sampling noise");
    SBL_ALLOC(c.of_person, most, "sampling noise");
    for (size_t i = 0; i < codes->columns; i++) {
        double variance = 0.0, independent = 0.0;
        for (size_t t = 0; t < 2; t++) {
            const size_t rows = codes->rows[roles[t]];
            if (rows == 0) continue;
            c.table = tables[t];
            c.codes = codes->codes[roles[t]] + i * rows;
            c.cells = codes->sizes[i];
            variance += variance_factor(&c) / (double)rows;
            independent += 1.0 / (double)rows;
        }
        effects[i] = variance > independent ? sqrt(variance / independent) : 1.0;
    }
done:
    sbl_free_wiped(c.all, most * sizeof *c.all);
    sbl_free_wiped(c.of_person, most * sizeof *c.of_person);
    return status;
}
