/* SPDX-License-Identifier: Apache-2.0 */
/* A block is an embedding if a generator is trained against its feature, that is if the feature has a loss. Its noise and
 * the noise on the numbers of records come from the layout and the multipliers, as a release has them. */
#include "run/pipeline/plan_bounds.h"

#include <math.h>
#include <string.h>

#include "after/losses/loss.h"
#include "after/train/target.h"
#include "public/features/activation_shapes.h"
#include "public/features/hermite_basis.h"
#include "public/features/orthogonal_frequencies.h"
#include "public/features/rff_frequencies.h"
#include "public/plan/bounds.h"
#include "records/features/features.h"
#include "run/pipeline/plan_warnings.h"

/* Of one block. */
typedef struct block_bounds {
    const char *name;
    sbl_bound mean;       /* of all classes side by side */
    sbl_bound class_mean; /* of one class of an equal share of the records */
    size_t features;      /* random ones; 0: they are not random */
    sbl_bound random;
    double left_out; /* of Hermite functions: of a squared distance, at most, by their order */
} block_bounds;

/* The embedding that noisy block i belongs to; NULL: it is not of one. */
static const sbl_feature_instance *find_embedding(const sbl_features *features, size_t i)
{
    const size_t block = sbl_layout_noisy_block(&features->layout, i);
    for (size_t f = 0; f < features->count; f++) {
        const sbl_feature_instance *item = &features->items[f];
        if (block < item->block || block >= item->block + item->block_count) continue;
        return sbl_loss_find(item->kind->name, NULL) != NULL ? item : NULL;
    }
    return NULL;
}

/* Noise on the number of all records, and on that of a class: of the counts, of their total where the classes are
 * declared to be equally frequent; 0 where it is public. */
static void find_count_noise(double *all, double *of_class, const sbl_planned_bounds *planned)
{
    const sbl_layout *layout = &planned->rounds->items[0].features.layout;
    const double classes = (double)layout->classes;
    const bool is_public =
        sbl_rows_are_public(planned->neighbours, sbl_facts_rows_per_unit(planned->rounds->facts));
    *all = *of_class = 0.0;
    for (size_t i = 0; i < sbl_layout_noisy_blocks(layout); i++) {
        const sbl_block_facts facts = sbl_block_facts_of(layout, i, planned->multipliers[i], 1.0);
        const bool total = strcmp(facts.name, SBL_TOTAL_BLOCK) == 0;
        if (!total && strcmp(facts.name, SBL_COUNTS_BLOCK) != 0) continue;
        *of_class = total ? facts.deviation / classes : facts.deviation;
        *all = is_public ? 0.0 : sqrt((double)facts.values) * facts.deviation;
    }
}

/* What the functions of each part do not hold of its kernel, on average over the parts. */
static double find_left_out(const sbl_hermite *h)
{
    double held[SBL_HERMITE_MOST_FUNCTIONS], sum = 0.0;
    for (size_t f = 0; f < h->function_count; f++) held[f] = sbl_hermite_held(&h->functions[f]);
    for (size_t p = 0; p < h->part_count; p++) {
        double part = 1.0;
        for (size_t k = 0; k < h->parts[p].count; k++) {
            const size_t function = h->factors[h->parts[p].factor + k].function;
            if (function != SBL_HERMITE_ONEHOT) part *= held[function];
        }
        sum += part;
    }
    return 4.0 * (1.0 - sum / (double)h->part_count);
}

static bool is_fourier(const char *feature)
{
    return strcmp(feature, SBL_RFF) == 0 || strcmp(feature, SBL_ORTHOGONAL) == 0 ||
           strcmp(feature, SBL_PERCEPTUAL) == 0;
}

/* false: noisy block i is not an embedding, or the number of records is not known. */
static bool find_bounds(block_bounds *found, const sbl_planned_bounds *planned, size_t i)
{
    const sbl_features *features = &planned->rounds->items[0].features;
    const sbl_feature_instance *item = find_embedding(features, i);
    if (item == NULL || planned->records < 1.0) return false;
    const sbl_block *block = &features->layout.blocks[sbl_layout_noisy_block(&features->layout, i)];
    const sbl_block_facts facts =
        sbl_block_facts_of(&features->layout, i, planned->multipliers[i], planned->records);
    const double classes = (double)features->layout.classes, values = (double)facts.values;
    /* facts.share is noise sqrt(values) / records, in units of the largest norm of a record. */
    sbl_noisy_mean mean = {.noise = facts.share * planned->records / sqrt(values),
                           .values = values,
                           .records = planned->records};
    sbl_noisy_mean of_class = {.noise = mean.noise,
                               .values = (double)block->width,
                               .records = fmax(planned->records / classes, 1.0)};
    find_count_noise(&mean.count_noise, &of_class.count_noise, planned);
    *found = (block_bounds){.name = facts.name,
                            .mean = sbl_bound_noise(&mean, SBL_BOUND_RISK),
                            .class_mean = sbl_bound_noise(&of_class, SBL_BOUND_RISK)};
    if (is_fourier(item->kind->name)) {
        found->features = block->width;
        found->random = sbl_bound_random_features((double)block->width, SBL_BOUND_RISK);
    }
    if (strcmp(item->kind->name, SBL_HERMITE) == 0 || strcmp(item->kind->name, SBL_HERMITE_PRODUCT) == 0)
        found->left_out = find_left_out(item->made);
    return true;
}

static json_t *bound_to_json(const sbl_bound *bound)
{
    return json_pack("{s:f, s:f}", "expected", bound->expected, "most", bound->most);
}

json_t *sbl_plan_bounds_json(const sbl_planned_bounds *planned, size_t i)
{
    block_bounds found;
    if (!find_bounds(&found, planned, i)) return NULL;
    json_t *told =
        json_pack("{s:f, s:o}", "probability", 1.0 - SBL_BOUND_RISK, "mean", bound_to_json(&found.mean));
    if (planned->rounds->items[0].features.layout.classes > 1)
        told = sbl_json_put(told, "class_mean", bound_to_json(&found.class_mean));
    if (found.features > 0)
        told = sbl_json_put(told, "random_features",
                            json_pack("{s:I, s:f, s:f}", "features", (json_int_t)found.features, "expected",
                                      found.random.expected, "most", found.random.most));
    if (found.left_out > 0.0) told = sbl_json_put(told, "truncation", json_real(found.left_out));
    return told;
}

void sbl_plan_bounds_words(sbl_text *text, const sbl_planned_bounds *planned)
{
    const sbl_layout *layout = &planned->rounds->items[0].features.layout;
    block_bounds found;
    bool begun = false;
    for (size_t i = 0; i < sbl_layout_noisy_blocks(layout); i++) {
        if (!find_bounds(&found, planned, i)) continue;
        if (!begun)
            sbl_text_printf(
                text,
                "\nerrors, where the embedding of each %s has length 1 at most; the second number "
                "holds with probability %.0f %%\n",
                planned->rounds->facts->kind == SBL_DATA_IMAGES ? "image" : "row",
                100.0 * (1.0 - SBL_BOUND_RISK));
        begun = true;
        sbl_text_printf(text, "  %s: noise moves the mean by %.3g on average, by %.3g at most\n", found.name,
                        found.mean.expected, found.mean.most);
        if (layout->classes > 1)
            sbl_text_printf(text, "    and the mean of a class of %.0f %s by %.3g, by %.3g at most\n",
                            fmax(planned->records / (double)layout->classes, 1.0),
                            sbl_records_word(planned->rounds), found.class_mean.expected,
                            found.class_mean.most);
        if (found.features > 0)
            sbl_text_printf(
                text,
                "    %zu random features change a squared distance between data sets by up to %.3g "
                "on average, by %.3g at most\n",
                found.features, found.random.expected, found.random.most);
        if (found.left_out > 0.0)
            sbl_text_printf(
                text,
                "    functions of higher order, which are left out, are at most %.3g of a squared "
                "distance between data sets\n",
                found.left_out);
    }
}
