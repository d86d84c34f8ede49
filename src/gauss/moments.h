/* Means, second moments and sizes of the classes, read from releases of a RON-Gauss plan. All of it
 * comes from releases; this folder cannot see records. */
#ifndef SBL_GAUSS_MOMENTS_H
#define SBL_GAUSS_MOMENTS_H

#include <stddef.h>

#include "base/status.h"
#include "features/ron.h"
#include "release/release.h"

/* Per class and record; noise: the standard deviation of the noise on an entry. */
typedef struct sbl_class_moments {
    double size;           /* rows, at least 1 */
    double *mean;          /* (width): y, then the other coordinates, within the ball */
    double mean_noise;     /* clip: in the coordinates of the rotation; normalise: of the record */
    double *second;        /* (moments, moments), symmetric by construction */
    double diagonal_noise; /* of second */
    double off_noise;      /* of second; of the diagonal over sqrt 2 where there are no products */
} sbl_class_moments;

typedef struct sbl_gauss_moments {
    sbl_class_moments *classes;
    size_t count;
    double rows; /* public, or estimated */
} sbl_gauss_moments;

/* From the one release of clip, or the second of normalise, whose plan holds the first one's means
 * and sizes. Returns: SBL_OK, SBL_EINPUT when it is another plan's, SBL_EMEM */
sbl_status sbl_gauss_moments_read(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                  const sbl_release *release, sbl_error *err);
/* Means and sizes only: what normalise's first release says. */
sbl_status sbl_gauss_moments_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                   const sbl_release *first, sbl_error *err);
void sbl_gauss_moments_clear(sbl_gauss_moments *moments);

#endif
