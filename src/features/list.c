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

const sbl_feature *const sbl_feature_list[] = {
    &sbl_feature_rff,   &sbl_feature_onehot, &sbl_feature_orthogonal,
    &sbl_feature_total, &sbl_feature_cells,  &sbl_feature_ball,
    &sbl_feature_means, &sbl_feature_tables, NULL,
};
