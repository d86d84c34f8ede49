/* The plan of a DP-MERF release of an image set: structured orthogonal Fourier features of the
 * pixels, times the class, and the counts of the classes. Public, printable, hashed; made from
 * public facts before any image is opened, and rebuilt from its JSON text when a release is read.
 *
 * Sensitivity, in units where the record's Fourier features have norm 1: 4 squared under
 * replace-one with the label kept; 2 + 2 with the label changed, counts included, so that they are
 * free; 1 + 1 under add-remove, where classes declared to be equally frequent have one total in
 * place of counts. */
#ifndef SBL_FEATURES_IMAGE_PLAN_H
#define SBL_FEATURES_IMAGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "features/orthogonal.h"
#include "features/plan.h"
#include "schema/image_facts.h"

#define SBL_IMAGE_TOTAL "total" /* the block that holds the number of images */

typedef struct sbl_image_plan_options {
    size_t features;                    /* D, even; default 10000 */
    double scales[SBL_PLAN_MAX_SCALES]; /* in units of sqrt(d / 6), d the values of an image;
                                         * default .3 .6 */
    size_t scale_count;
    bool counts;   /* release the counts of the classes; of balanced ones their total alone */
    bool balanced; /* the classes are declared to be equally frequent */
    uint64_t seed; /* of the frequencies */
} sbl_image_plan_options;

typedef struct sbl_image_plan {
    sbl_image_facts facts;
    sbl_image_plan_options options;
    sbl_feature_block block; /* "rff" */
    double counts_weight;
    char *json; /* canonical text: {"images": facts, "method": {...}} */
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_image_plan;

/* Counts where there are labels, nothing declared. */
void sbl_image_plan_options_init(sbl_image_plan_options *options, const sbl_image_facts *facts);

/* Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_image_plan_build(sbl_image_plan *plan, const sbl_image_facts *facts,
                                const sbl_image_plan_options *options, sbl_error *err);
/* From the text of a plan. where (a path) is for messages. A text that does not give back itself
 * is refused: nothing in it may be ignored. */
sbl_status sbl_image_plan_parse(sbl_image_plan *plan, const char *json, const char *where,
                                sbl_error *err);
void sbl_image_plan_clear(sbl_image_plan *plan);
/* Is this the text of such a plan, and not that of a table's? */
bool sbl_image_plan_is(const char *json);

/* The frequencies. */
sbl_status sbl_image_plan_frequencies(sbl_orthogonal *frequencies, const sbl_image_plan *plan,
                                      sbl_error *err);

#endif
