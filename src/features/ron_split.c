/* How much of a budget means, second moments and counts get. In units where the moments' precision
 * is 1, let A = (mean's precision)^2 and G = (counts')^2. A release then costs (unit ball)
 *   replace-one  same label  2 A + 2 + A^2 / 2 for A <= 2, 4 A beyond;  label changed  2 A + 2 + 2
 * G add-remove   A + 1 + G and, at a given cost, its expected squared error is in proportion to
 *   cost * (D_mean / A + D_moments + D_counts / G).
 * D_mean is m, D_moments is m/p times p(p+1)/2: each projected direction stands for m/p.
 * Laplace: the cost is a sum of sensitivity times precision, and the best precision of a part is in
 * proportion to (D / sensitivity)^(1/3). */
#include <math.h>

#include "features/ron.h"

#define STEPS_PER_OCTAVE 8
#define OCTAVES_DOWN 10
#define OCTAVES_UP 4
#define STEPS ((OCTAVES_DOWN + OCTAVES_UP) * STEPS_PER_OCTAVE + 1)
#define COUNT_COORDINATES 0.5
#define PAPER_MEAN 0.3

static double coordinates_of_moments(const sbl_ron_sizes *sizes)
{
    return (double)sizes->width * (double)(sizes->moments + 1) / 2.0;
}

static double cost(const sbl_ron_sizes *sizes, double a, double g)
{
    if (sizes->add_remove) return a + 1.0 + g;
    const double same = a <= 2.0 ? 2.0 * a + 2.0 + a * a / 2.0 : 4.0 * a;
    return fmax(same, 2.0 * a + 2.0 + 2.0 * g);
}

static double error_of(const sbl_ron_sizes *sizes, double a, double g)
{
    double coordinates = (double)sizes->width / a + coordinates_of_moments(sizes);
    if (sizes->counts) coordinates += COUNT_COORDINATES / g;
    return coordinates * cost(sizes, a, sizes->counts ? g : 0.0);
}

/* The paper's A: means and moments as if apart, 0.3 and 0.7 of mu^2. */
static double paper_mean(const sbl_ron_sizes *sizes)
{
    const double ratio = PAPER_MEAN / (1.0 - PAPER_MEAN);
    return sizes->add_remove ? ratio : ratio / 2.0; /* mean costs 4 A or A, moments 2 or 1 */
}

static sbl_ron_split choose_gaussian(const sbl_ron_sizes *sizes)
{
    double grid[STEPS];
    double best = INFINITY;
    sbl_ron_split split = {.mean = 1.0, .counts = 1.0, .first_share = 1.0};
    grid[0] = ldexp(1.0, -OCTAVES_DOWN);
    for (size_t i = 1; i < STEPS; i++) grid[i] = grid[i - 1] * 1.0905077326652577; /* 2^(1/8) */
    for (size_t i = 0; i < STEPS; i++) {
        const double a = sizes->paper ? paper_mean(sizes) : grid[i];
        for (size_t j = 0; j < STEPS; j++) {
            const double error = error_of(sizes, a, grid[j]);
            if (!(error < best)) continue;
            best = error;
            split.mean = sqrt(a);
            split.counts = sqrt(grid[j]);
        }
    }
    return split;
}

typedef struct pure_parts {
    double mean; /* L1 sensitivities in a unit ball */
    double moments;
    double counts;
} pure_parts;

static pure_parts pure_sensitivities(const sbl_ron_sizes *sizes)
{
    const double p = (double)sizes->moments;
    const double mean = sqrt((double)sizes->width);
    if (sizes->add_remove) return (pure_parts){mean, (p + 1.0) / 2.0, 1.0};
    return (pure_parts){2.0 * mean, sizes->labelled ? p + 1.0 : sqrt(p * (p + 3.0) / 2.0), 2.0};
}

static sbl_ron_split choose_pure(const sbl_ron_sizes *sizes)
{
    const pure_parts l1 = pure_sensitivities(sizes);
    const double moments = cbrt(coordinates_of_moments(sizes) / l1.moments);
    double mean = cbrt((double)sizes->width / l1.mean);
    if (sizes->paper) mean = PAPER_MEAN / (1.0 - PAPER_MEAN) * moments * l1.moments / l1.mean;
    return (sbl_ron_split){.mean = mean / moments,
                           .counts = cbrt(COUNT_COORDINATES / l1.counts) / moments,
                           .first_share = 1.0};
}

/* Two releases. Gaussian: shares of mu^2 in proportion to sensitivity * sqrt(coordinates). Laplace:
 * shares of epsilon in proportion to (coordinates * sensitivity^2)^(1/3). */
static double first_share(const sbl_ron_sizes *sizes)
{
    const double mean_coordinates = (double)sizes->width;
    const double moment_coordinates = coordinates_of_moments(sizes);
    double mean;
    double moments;
    if (sizes->paper) return PAPER_MEAN;
    if (sizes->pure) {
        const pure_parts l1 = pure_sensitivities(sizes);
        mean = cbrt(mean_coordinates * l1.mean * l1.mean);
        moments = cbrt(moment_coordinates * l1.moments * l1.moments);
    } else {
        mean = (sizes->add_remove ? 1.0 : 2.0) * sqrt(mean_coordinates);
        moments = (sizes->add_remove ? 1.0 : sqrt(2.0)) * sqrt(moment_coordinates);
    }
    return mean / (mean + moments);
}

sbl_ron_split sbl_ron_split_choose(const sbl_ron_sizes *sizes)
{
    sbl_ron_split split = sizes->pure ? choose_pure(sizes) : choose_gaussian(sizes);
    if (sizes->geometry == SBL_RON_NORMALISE) {
        split.first_share = first_share(sizes);
        /* Mean and counts alone. Replace-one: the counts of a label change fit into what the mean
         * of a record that keeps its label costs. */
        if (!sizes->pure)
            split = (sbl_ron_split){1.0, sizes->add_remove ? 0.5 : 1.0, split.first_share};
    }
    return split;
}

double sbl_ron_noise(const sbl_ron_sizes *sizes, const sbl_ron_split *split, double amount)
{
    const bool two = sizes->geometry == SBL_RON_NORMALISE;
    const double rest = two ? 1.0 - split->first_share : 1.0;
    if (sizes->pure) {
        const pure_parts l1 = pure_sensitivities(sizes);
        double total = l1.moments;
        if (!two)
            total += split->mean * l1.mean + (sizes->counts ? split->counts * l1.counts : 0.0);
        return sqrt(2.0) * total / (rest * amount);
    }
    const double alone = sizes->add_remove ? 1.0 : 2.0;
    const double g = sizes->counts ? split->counts * split->counts : 0.0;
    const double squared = two ? alone : cost(sizes, split->mean * split->mean, g);
    return sqrt(squared / (2.0 * rest)) / amount; /* off the diagonal: over sqrt 2 */
}
