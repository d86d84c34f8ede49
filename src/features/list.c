/* Every feature that there is, one line each. */
#include "features/feature.h"

extern const sbl_feature sbl_feature_rff;
extern const sbl_feature sbl_feature_onehot;
extern const sbl_feature sbl_feature_orthogonal;
extern const sbl_feature sbl_feature_total;
extern const sbl_feature sbl_feature_cells;
extern const sbl_feature sbl_feature_ball;
extern const sbl_feature sbl_feature_means;
extern const sbl_feature sbl_feature_tables;
extern const sbl_feature sbl_feature_persons;
extern const sbl_feature sbl_feature_health;
extern const sbl_feature sbl_feature_hermite;
extern const sbl_feature sbl_feature_hermite_product;
extern const sbl_feature sbl_feature_perceptual;
extern const sbl_feature sbl_feature_moments;
extern const sbl_feature sbl_feature_signed_moments;

const sbl_feature *const sbl_feature_list[] = {
    &sbl_feature_rff,
    &sbl_feature_onehot,
    &sbl_feature_orthogonal,
    &sbl_feature_total,
    &sbl_feature_cells,
    &sbl_feature_ball,
    &sbl_feature_means,
    &sbl_feature_tables,
    &sbl_feature_persons,
    &sbl_feature_health,
    &sbl_feature_hermite,
    &sbl_feature_hermite_product,
    &sbl_feature_perceptual,
    &sbl_feature_moments,
    &sbl_feature_signed_moments,
    NULL,
};
