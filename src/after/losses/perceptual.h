/* Random Fourier features of what a frozen network sees in an image: a characteristic kernel in a
 * perceptual space (docs/mechanisms/mepf.md).
 *
 * Each activation that is taken is averaged over a grid of 4 x 4 cells (fewer where it has fewer
 * pixels), scaled to length 1 and by 1 / sqrt(number of activations), and put behind the others: a
 * point p of P numbers and length at most 1. Of p structured orthogonal random Fourier features are
 * taken (records/features/orthogonal.h), with scales in units of p itself, which has no other.
 * Bound: as for records/features/orthogonal.h: each pair (cos, sin) has norm 1, whatever p is.
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove. */
#ifndef SBL_LOSSES_PERCEPTUAL_H
#define SBL_LOSSES_PERCEPTUAL_H

#include "records/features/encoder_features.h"
#include "records/features/orthogonal.h"

#define SBL_PERCEPTUAL "perceptual-rff"

typedef struct sbl_perceptual {
    sbl_encoded encoded;
    sbl_volume volumes[SBL_ENCODED_MOST_LAYERS]; /* of the activations that are taken */
    size_t width;                                /* P */
    sbl_orthogonal frequencies;
} sbl_perceptual;

/* scales are absolute; features even. NULL when out of memory. */
json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features, const double *scales,
                                  size_t scale_count, uint64_t seed);

extern const sbl_feature sbl_feature_perceptual;

#endif
