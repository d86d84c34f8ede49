/* Maps from images to feature vectors, and the Frechet distance between two sets of such, each taken for a Gaussian (Dowson
 * and Landau 1982):
 *     d^2 = |m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2))
 * It means something within one feature space only: it is the FID where the features are those of
 * Inception (Heusel et al. 2017), and is named after its encoder everywhere else. Biased upwards
 * for few vectors, so compare numbers that come from equally many.
 *
 * NOT PRIVATE where images are real. */
#ifndef SBL_EVALUATE_IMAGE_FRECHET_H
#define SBL_EVALUATE_IMAGE_FRECHET_H

#include <stddef.h>

#include "base/progress.h"
#include "base/status.h"
#include "evaluate/image_data.h"

/* A map from images to feature vectors, with the name that its distances carry. */
typedef struct sbl_image_encoder {
    const char *name;
    size_t width;
    void *state;
    /* features (count, width) of images (count, size) with pixels in [0,1]; count is at most
     * SBL_IMAGE_ENCODE_ROWS. */
    sbl_status (*encode)(void *state, float *features, const float *images, size_t count,
                         sbl_error *err);
    void (*free)(void *state);
} sbl_image_encoder;

#define SBL_IMAGE_ENCODE_ROWS ((size_t)100)

/* Three 3 x 3 convolutions of stride 2 with random weights of a fixed seed and leaky ReLU between
 * them, averaged over the four quarters of the image: 128 features that know nothing of any data
 * set (random embeddings, Naeem et al. 2020).
 * Owner of both kinds: the caller, encoder->free(encoder->state). */
sbl_status sbl_image_encoder_random(sbl_image_encoder *encoder, sbl_image_shape shape,
                                    sbl_error *err);

/* A frozen network from a file (encoder/encoder.h), named after it. */
sbl_status sbl_image_encoder_file(sbl_image_encoder *encoder, const char *path,
                                  sbl_image_shape shape, sbl_error *err);

/* features (count, width) of `count` of the images, drawn by the seed; count is at most what there
 * are. progress may be NULL.   Returns: SBL_OK, SBL_EMEM, SBL_ESTOPPED, and what the encoder fails with */
sbl_status sbl_image_encode_some(float *features, const sbl_image_encoder *encoder,
                                 const sbl_image_data *images, size_t count, uint64_t seed,
                                 const sbl_progress_span *progress, sbl_error *err);

/* first (first_count, width) and second (second_count, width), at least 2 rows each.
 * Out:     distance  d^2 >= 0
 * Returns: SBL_OK; SBL_EARG for fewer rows or features that are not finite; SBL_EMEM */
sbl_status sbl_frechet_distance(double *distance, const float *first, size_t first_count,
                                const float *second, size_t second_count, size_t width,
                                sbl_error *err);

#endif
