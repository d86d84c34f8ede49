/* Expectation maximisation over 33 atoms, with likelihoods scaled by their largest so that none
 * underflows, and the posterior mean of each pair. */
#include "pairs/bayes.h"

#include <math.h>

#include "base/memory.h"

#define ATOMS 33
#define LOWEST 1e-4 /* first atom above 0, of the largest */
#define STEPS 60
#define PRIOR 0.02 /* pairs that each atom is thought to have beforehand */

static void fill_atoms(double *atoms, const double *energies, const double *errors, size_t count)
{
    double top = 0, least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        top = fmax(top, energies[i]);
        least = fmin(least, errors[i]);
    }
    top = fmax(top, least);
    atoms[0] = 0;
    for (int a = 1; a < ATOMS; a++) atoms[a] = top * pow(LOWEST, 1 - (a - 1.0) / (ATOMS - 2));
}

static void likelihoods(double *row, const double *atoms, double energy, double error, double v)
{
    double best = -INFINITY;
    for (int a = 0; a < ATOMS; a++) {
        const double variance = error * error + 4 * v * atoms[a], gap = energy - atoms[a];
        row[a] = -0.5 * (gap * gap / variance + log(variance));
        best = fmax(best, row[a]);
    }
    for (int a = 0; a < ATOMS; a++) row[a] = exp(row[a] - best);
}

static double total(const double *row, const double *weights)
{
    double sum = 0;
    for (int a = 0; a < ATOMS; a++) sum += row[a] * weights[a];
    return sum;
}

static void expectation_step(double *weights, const double *likelihood, size_t count)
{
    double next[ATOMS], sum = 0;
    for (int a = 0; a < ATOMS; a++) next[a] = PRIOR;
    for (size_t i = 0; i < count; i++) {
        const double *row = likelihood + i * ATOMS, all = total(row, weights);
        for (int a = 0; a < ATOMS; a++) next[a] += row[a] * weights[a] / all;
    }
    for (int a = 0; a < ATOMS; a++) sum += next[a];
    for (int a = 0; a < ATOMS; a++) weights[a] = next[a] / sum;
}

sbl_status sbl_bayes_energies(double *means, const double *energies, const double *errors,
                              const double *variances, size_t count, sbl_error *err)
{
    double atoms[ATOMS], weights[ATOMS];
    double *likelihood = sbl_alloc_array(count, ATOMS * sizeof *likelihood);
    if (!likelihood) return sbl_fail(err, SBL_EMEM, "out of memory for the energies of pairs");
    fill_atoms(atoms, energies, errors, count);
    for (size_t i = 0; i < count; i++)
        likelihoods(likelihood + i * ATOMS, atoms, energies[i], errors[i], variances[i]);
    for (int a = 0; a < ATOMS; a++) weights[a] = 1.0 / ATOMS;
    for (int step = 0; step < STEPS; step++) expectation_step(weights, likelihood, count);
    for (size_t i = 0; i < count; i++) {
        const double *row = likelihood + i * ATOMS;
        double sum = 0;
        for (int a = 0; a < ATOMS; a++) sum += row[a] * weights[a] * atoms[a];
        means[i] = sum / total(row, weights);
    }
    sbl_free(likelihood);
    return SBL_OK;
}
