/* XGBoost's C library, found when it is asked for: it is large, and only `evaluate` knows it, so that
 * nothing of ours is linked with it. The functions are those of its xgboost/c_api.h, which are the
 * same from 1.0 to 3.x. */
#ifndef SBL_LEARNERS_XGBOOST_H
#define SBL_LEARNERS_XGBOOST_H

#include <stdint.h>

#include "base/status.h"

typedef void *sbl_xgb_matrix;
typedef void *sbl_xgb_booster;

/* Each returns 0, or -1 when it failed. */
typedef struct sbl_xgboost {
    void *library;
    void (*version)(int *major, int *minor, int *patch);
    int (*matrix_new)(const float *cells, uint64_t rows, uint64_t columns, float missing,
                      sbl_xgb_matrix *matrix, int threads);
    int (*matrix_set)(sbl_xgb_matrix matrix, const char *field, const float *values,
                      uint64_t count);
    int (*matrix_free)(sbl_xgb_matrix matrix);
    int (*booster_new)(const sbl_xgb_matrix *matrices, uint64_t count, sbl_xgb_booster *booster);
    int (*booster_set)(sbl_xgb_booster booster, const char *name, const char *value);
    int (*booster_update)(sbl_xgb_booster booster, int round, sbl_xgb_matrix matrix);
    int (*booster_predict)(sbl_xgb_booster booster, sbl_xgb_matrix matrix, int option,
                           unsigned trees, int training, uint64_t *length, const float **scores);
    int (*booster_free)(sbl_xgb_booster booster);
} sbl_xgboost;

/* Load it, or count one more user of it.
 * Returns: SBL_OK; SBL_EARG where there is none on this machine
 * Owner:   the caller; sbl_xgboost_close() */
sbl_status sbl_xgboost_open(sbl_xgboost *xgboost, sbl_error *err);
void sbl_xgboost_close(sbl_xgboost *xgboost);

#endif
