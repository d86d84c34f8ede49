/* SPDX-License-Identifier: Apache-2.0 */
/* The weight of the health block is derived from the multipliers that the other blocks of the
 * plan would get, so that it takes its part of the budget (1.9 % of mu^2, 0.97 % of a pure
 * epsilon) and no more. After the release, misfits that stand out of the noise are reported,
 * and a column of which at least half is wrong, noise allowed for, stops the run unless the
 * options say otherwise. */
#include "run/pipeline/health.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "door/privatise/privatise.h"
#include "records/features/counts.h"

/* Of mu^2, or of a pure epsilon. Noise of the rest grows by 1 / sqrt(1 - 0.019) = 1.0097, or by
 * 1 / (1 - 0.0097) = 1.0098. */
#define PART 0.019
#define PURE_PART 0.0097
#define FALSE_ALARM 0.001 /* chance that noise alone names any column of a run */
/* Deviations by which a column that stops the run is above half of its cells: noise alone is once in 741
 * columns, Gaussian or Laplace. */
#define CLEARLY 3.0
#define CLEARLY_PURE 4.18
#define HALF 5000.0   /* of the cells, in parts of 10,000 */
#define WEIGHT_BITS 8 /* of precision: the same double on any machine */

bool sbl_health_wanted(const sbl_facts *facts, const sbl_synth_options *options)
{
    return (facts->kind == SBL_DATA_TABLE || facts->files) &&
           (options->health == NULL || strcmp(options->health, "off") != 0);
}

double sbl_health_part(bool pure) { return pure ? PURE_PART : PART; }

void sbl_health_take_share(double *shares, size_t count, bool pure)
{
    const double part = sbl_health_part(pure);
    shares[0] += part * (1.0 - shares[0]); /* (1 - part) of its own, and the part */
    for (size_t i = 1; i < count; i++) shares[i] *= 1.0 - part;
}

/* ---- the weight ---- */

/* Down to few bits, so that the last digits of a square root decide nothing. */
static double rounded_down(double weight)
{
    int exponent;
    const double mantissa = frexp(weight, &exponent);
    return ldexp(floor(ldexp(mantissa, WEIGHT_BITS)), exponent - WEIGHT_BITS);
}

/* What the blocks of a plan cost where the largest multiplier is `top` for a weight of `weight`. */
typedef struct scale {
    double top, weight;
} scale;

/* With cost 1 for all blocks of the plan together. */
static sbl_status find_scale(scale *found, const sbl_features *features, sbl_mechanism mechanism,
                             sbl_neighbours neighbours, sbl_error *err)
{
    const size_t count = sbl_layout_noisy_blocks(&features->layout);
    sbl_sensitivity *sensitivities = NULL;
    uint64_t *multipliers = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sensitivities, count, "a plan");
    SBL_ALLOC(multipliers, count, "a plan");
    SBL_TRY(sbl_layout_sensitivities(sensitivities, &features->layout, mechanism, neighbours, err));
    SBL_TRY(sbl_choose_multipliers(multipliers, mechanism, neighbours, sensitivities, features->weights,
                                   count, 1.0, err));
    *found = (scale){0};
    for (size_t i = 0; i < count; i++)
        if ((double)multipliers[i] > found->top)
            *found = (scale){(double)multipliers[i], features->weights[i]};
done:
    sbl_free(sensitivities);
    sbl_free(multipliers);
    return status;
}

/* A multiplier m costs m^2 s / 2^112 of mu^2, or m s / 2^56 of epsilon, where s is the block's
 * sensitivity: 2 w under replace-one, w under add-remove, w its width, in either norm; of a person
 * with up to k rows k^2 times that, or k times. Under both cases of replace-one it is the same, so
 * that costs add up. relative: of what the rest costs. */
static double multiplier_for(double relative, size_t width, uint64_t rows_per_unit,
                             const sbl_synth_options *options)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    const bool pure = options->pure;
    const double k = rows_per_unit != 0 ? (double)rows_per_unit : 1.0;
    const double sensitivity = (add_remove ? 1.0 : 2.0) * (double)width * (pure ? k : k * k);
    const double square = relative / sensitivity;
    return ldexp(pure ? square : sqrt(square), SBL_NOISE_SCALE_BITS);
}

sbl_status sbl_health_add(sbl_plan *plan, double share, const sbl_facts *facts,
                          const sbl_feature *const *more, const sbl_synth_options *options, sbl_error *err)
{
    const bool total = !sbl_rows_are_public(options->neighbours, sbl_facts_rows_per_unit(facts));
    const size_t width = facts->columns + (total ? 1 : 0);
    /* The method's part of the release is (1 - part) of its share, as the shares were cut. */
    const double relative = (share - plan->share) / plan->share;
    sbl_features features = {0};
    scale s = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_features_make(&features, plan, facts, more, err));
    SBL_TRY(find_scale(&s, &features, options->pure ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN,
                       options->neighbours, err));
    const double multiplier = multiplier_for(relative, width, features.layout.rows_per_unit, options);
    SBL_TRY(sbl_plan_add(plan, SBL_HEALTH, sbl_health_parameters(total),
                         rounded_down(multiplier * s.weight / s.top), err));
    plan->share = share;
done:
    sbl_features_clear(&features);
    return status;
}

/* ---- after the release ---- */

static const char *column_name(const sbl_facts *facts, size_t k)
{
    const sbl_heads *heads = &facts->heads;
    if (facts->kind == SBL_DATA_IMAGES) return "files";
    for (size_t h = 0; h < heads->count; h++)
        if (!heads->items[h].indicator && k-- == 0)
            return facts->schema->columns[heads->items[h].column].name;
    return "";
}

/* Parts of 10,000, as whole numbers: the message and the certificate say the same. */
static int64_t parts(double share) { return (int64_t)rint(fmin(fmax(1e4 * share, -1e9), 1e9)); }

/* Up, and at least one: a deviation that is rounded off would make a finding of any noise. */
static int64_t parts_up(double share) { return (int64_t)fmax(ceil(fmin(1e4 * share, 1e9)), 1.0); }

sbl_status sbl_health_read(sbl_certified_health **figures, size_t *count, const sbl_release *release,
                           const sbl_facts *facts, sbl_error *err)
{
    const sbl_block *block = facts != NULL ? sbl_release_find(release, SBL_HEALTH) : NULL;
    *figures = NULL;
    *count = 0;
    if (block == NULL || block->width < facts->columns) return SBL_OK;
    sbl_certified_health *made = sbl_alloc_array(facts->columns, sizeof *made);
    if (made == NULL) return sbl_no_memory(err, "a release");
    const double rows = block->width > facts->columns
                            ? fmax(1.0, sbl_release_estimate(release, block, 0, facts->columns))
                            : (double)release->n;
    const double deviation = sbl_release_noise_deviation(release, block) / rows;
    for (size_t k = 0; k < facts->columns; k++)
        made[k] = (sbl_certified_health){.column = column_name(facts, k),
                                         .misfits = parts(sbl_release_estimate(release, block, 0, k) / rows),
                                         .deviation = parts_up(deviation)};
    *figures = made;
    *count = facts->columns;
    return SBL_OK;
}

/* z with P(noise > z deviations) = chance, of normal noise. erfc falls: bisection, to the last digit. */
static double normal_deviations(double chance)
{
    double low = 0.0, high = 40.0;
    for (int step = 0; step < 64; step++) {
        const double middle = (low + high) / 2.0;
        *(erfc(middle / sqrt(2.0)) / 2.0 > chance ? &low : &high) = middle;
    }
    return high;
}

/* The same of Laplace noise of deviation sqrt(2) b: P(noise > t) = exp(-t / b) / 2. */
static double laplace_deviations(double chance) { return -log(2.0 * chance) / sqrt(2.0); }

double sbl_health_deviations(size_t columns, bool pure)
{
    /* The noises are independent: 1 - (1 - chance)^columns = FALSE_ALARM. */
    const double chance = -expm1(log1p(-FALSE_ALARM) / (double)columns);
    return pure ? laplace_deviations(chance) : normal_deviations(chance);
}

/* By more than noise explains, whatever was rounded off. */
static bool is_seen(const sbl_certified_health *figure, double deviations)
{
    return (double)figure->misfits - 0.5 > deviations * (double)figure->deviation;
}

/* At least half of the cells whatever the noise, which is small enough to say so. */
static bool is_all_wrong(const sbl_certified_health *figure, const sbl_synth_options *options)
{
    const double slack = (options->pure ? CLEARLY_PURE : CLEARLY) * (double)figure->deviation;
    return slack <= HALF && (double)figure->misfits - slack >= HALF;
}

/* Parts of 10,000 as a percentage, two digits of it or more; noise may have pushed it past all. */
static void write_percent(sbl_text *text, int64_t parts_of)
{
    const double percent = fmin((double)parts_of / 100.0, 100.0);
    sbl_text_printf(text, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
}

void sbl_health_report(const sbl_certified_health *figures, size_t count, const sbl_facts *facts,
                       bool persons, const sbl_synth_options *options)
{
    const bool images = facts->kind == SBL_DATA_IMAGES;
    const double deviations = count > 0 ? sbl_health_deviations(count, options->pure) : 0.0;
    for (size_t k = 0; options->advice != NULL && k < count; k++) {
        sbl_text line = {0};
        if (!is_seen(&figures[k], deviations)) continue;
        sbl_text_printf(&line, "%s: %sabout ", figures[k].column, persons ? "for " : "");
        write_percent(&line, figures[k].misfits);
        if (images)
            sbl_text_printf(&line, " are not an image of %zu x %zu and were read as mid-grey",
                            facts->images.height, facts->images.width);
        else
            sbl_text_printf(&line, persons ? " of the persons at least half of the cells did not "
                                             "fit the schema"
                                           : " of the cells did not fit the schema");
        sbl_text_printf(&line, " (differentially private, noise of ");
        write_percent(&line, figures[k].deviation);
        sbl_text_append(&line, ")", 1);
        if (!line.failed)
            options->advice(options->context, images ? SBL_ADVICE_PLAN : SBL_ADVICE_SCHEMA,
                            sbl_plain_line(line.data));
        sbl_text_clear(&line);
    }
}

sbl_status sbl_health_check(const sbl_certified_health *figures, size_t count, const sbl_facts *facts,
                            bool persons, const sbl_synth_options *options, sbl_error *err)
{
    size_t wrong = 0;
    const sbl_certified_health *worst = NULL;
    if (options->health != NULL && strcmp(options->health, "stop") != 0) return SBL_OK;
    for (size_t k = 0; k < count; k++) {
        if (!is_all_wrong(&figures[k], options)) continue;
        if (worst == NULL || figures[k].misfits > worst->misfits) worst = &figures[k];
        wrong++;
    }
    if (wrong == 0) return SBL_OK;
    if (facts->kind == SBL_DATA_IMAGES)
        return sbl_fail(
            err, SBL_EINPUT, "about %.0f %% of the files are not images of %zu x %zu, so nothing was fitted",
            fmin((double)worst->misfits / 100.0, 100.0), facts->images.height, facts->images.width);
    return sbl_fail(err, SBL_EINPUT,
                    persons ? "column '%.80s': for about %.0f %% of the persons at least half of "
                              "its cells did not fit the schema%s, and nothing was fitted"
                            : "column '%.80s': about %.0f %% of its cells did not fit the schema%s, "
                              "and nothing was fitted",
                    worst->column, fmin((double)worst->misfits / 100.0, 100.0),
                    wrong > 1 ? ", and it is not the only one" : "");
}
