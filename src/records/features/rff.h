/* Random Fourier features (Rahimi and Recht 2007) of an encoded record: for frequencies w_1 .. w_F
 * the pairs (cos(w_f . x), sin(w_f . x)).
 *
 * The last frequencies see the numbers alone; the first `joint` ones also the one-hot codes, so
 * that the embedding knows how categories go together with each other and with the numbers.
 * Bound: each pair has norm 1, so the record has norm sqrt(F) exactly; divided by sqrt(F) its
 * products with other records estimate the kernel E[cos(w . (x - y))]. With w ~ N(0, I / s^2) that
 * is the Gaussian kernel of length scale s; with codes of deviation v it is multiplied by
 * exp(-v^2 times the number of differing codes); with several scales it is their mean.
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove.
 * Gradient of a pair in x: (-sin(w . x) w, cos(w . x) w); base/compute/fourier.h uses it in training.
 * Privacy: scales come from public facts (the number of columns), never from the data. */
#ifndef SBL_FEATURES_RFF_H
#define SBL_FEATURES_RFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/compute/fourier.h"
#include "base/error.h"
#include "public/schema/encoding_layout.h"
#include "records/features/feature.h"

typedef struct sbl_rff {
    size_t columns;         /* d: numbers */
    size_t onehot;          /* T: one-hot entries */
    size_t codes;           /* K: categorical columns */
    size_t frequencies;     /* F */
    size_t joint;           /* frequencies 0 .. joint - 1 see the codes; whole panels, or all of F */
    float *panels;          /* in turns, laid out as base/compute/fourier.h says */
    float *code_panels;     /* of the joint frequencies */
    const sbl_facts *facts; /* borrowed, where it is the feature of a plan */
    sbl_pool pool;          /* of the panels */
} sbl_rff;

/* Public rule of the frequencies. */
typedef struct sbl_rff_rule {
    size_t frequencies;
    const double *scales; /* of the numbers, in units of sqrt(d / 6), the root mean squared distance
                           * of two uniform points of [0,1]^d */
    size_t scale_count;
    const double *code_deviations; /* of the phases, in radians, that a code adds */
    size_t code_deviation_count;
    size_t joint; /* how many frequencies see the codes; rounded down to whole panels. All of them
                   * where there are no numbers, none where there are no codes */
    uint64_t seed;
} sbl_rff_rule;

/* Frequency f is a pure function of the rule's seed, scales and f. */
sbl_status sbl_rff_init(sbl_rff *rff, const sbl_record_shape *shape, const sbl_rff_rule *rule,
                        sbl_error *err);
void sbl_rff_clear(sbl_rff *rff);

/* Frequencies first .. first + count - 1; first is a multiple of SBL_FOURIER_PANEL, and so is count
 * unless the range ends at F. features[r * stride + 2 (f - first)] is the cosine, the sine follows.
 * stride >= 2 * count rounded up to whole panels, all of which may be written.
 * rows->entries: from sbl_onehot_entries (records/features/onehot.h).
 * A row's features depend on that row alone. */
void sbl_rff_tile(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                  size_t first, size_t count);

/* Parameters of the feature `rff`: tables only. NULL when out of memory. features: D, even, 2 .. 1000000;
 * joint_share: of the frequencies, that see the codes, 0 .. 1; these two stand for the numbers of the rule,
 * whose lists have 1 .. SBL_MOST_SCALES. */
json_t *sbl_rff_parameters(const sbl_rff_rule *rule, size_t features, double joint_share);

/* Its loss in training (Harder, Adamczewski and Park 2021):
 *     L = weight sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the mean over the generated batch's rows of that class of the features of its
 * numbers and drawn codes; T: the target. The gradient of a drawn code is taken for that of its
 * probability (straight through; Bengio, Leonard and Courville 2013). */
extern const sbl_feature sbl_feature_rff;

#endif
