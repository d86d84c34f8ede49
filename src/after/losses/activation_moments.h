/* First and second moments of what a frozen network sees in an image (Harder, Jalali, Sutherland
 * and Park 2023; corrected in docs/mechanisms/mepf.md): with e all activations that are taken, one
 * behind the other,
 *     phi1 = e / |e|,   phi2 = e^2 / |e^2|  (squared by coordinates);   0 where e is 0.
 * Where layers are alike (records/features/encoder_features.h), with e_l the activations of one of L layers,
 *     phi1 = (e_1 / |e_1|, ..., e_L / |e_L|) / sqrt L,   phi2 the same of squares;
 * and where an image is mirrored phi is the mean of its own and its mirror image's.
 * Activations are outputs of ReLUs, so both are nonnegative, and held to norm 1 and to that sign on
 * every record. Sensitivity of the sum of each: sqrt 2 under replace-one, 1 under add-remove. The
 * feature `signed-moments` takes them before the ReLUs, as the paper does of VGG19: phi1 has both
 * signs, and 2 under replace-one; phi2 is as it was.
 * A record is made whole, 16 of them at a time; the matrix of all records never exists. */
#ifndef SBL_LOSSES_ACTIVATION_MOMENTS_H
#define SBL_LOSSES_ACTIVATION_MOMENTS_H

#include "records/features/encoder_features.h"

#define SBL_MOMENTS "moments"
#define SBL_SIGNED_MOMENTS "signed-moments"

/* In training as many classes go through the network together as take this part of what a single one may
 * (sbl_generated.network_bytes), about: 256 MB on the CPU, whose caches small groups suit, 2 GB on a device,
 * which wants many rows at a time. One class at least. */
#define SBL_MOMENTS_GROUP_PART 0.25

typedef struct sbl_moments_feature {
    sbl_encoded encoded;
    size_t width; /* D */
    size_t count; /* 1: phi1; 2: phi1 and phi2 */
} sbl_moments_feature;

/* NULL when out of memory. */
json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count);

extern const sbl_feature sbl_feature_moments;
extern const sbl_feature sbl_feature_signed_moments;

#endif
