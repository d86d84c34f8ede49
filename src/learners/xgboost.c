/* dlopen and dlsym by a table of symbols. The library is never closed: its threads outlive its
 * work. */
#include "learners/xgboost.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The system's; libxgboost.so is also what its Python package calls the one that it brings, which is
 * found by that name once it is loaded. */
static const char *const names[] = {"libxgboost.so.0", "libxgboost.so"};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"XGBoostVersion", offsetof(sbl_xgboost, version)},
    {"XGDMatrixCreateFromMat_omp", offsetof(sbl_xgboost, matrix_new)},
    {"XGDMatrixSetFloatInfo", offsetof(sbl_xgboost, matrix_set)},
    {"XGDMatrixFree", offsetof(sbl_xgboost, matrix_free)},
    {"XGBoosterCreate", offsetof(sbl_xgboost, booster_new)},
    {"XGBoosterSetParam", offsetof(sbl_xgboost, booster_set)},
    {"XGBoosterUpdateOneIter", offsetof(sbl_xgboost, booster_update)},
    {"XGBoosterPredict", offsetof(sbl_xgboost, booster_predict)},
    {"XGBoosterFree", offsetof(sbl_xgboost, booster_free)},
};

/* POSIX promises that a function's address fits a void pointer; C has no cast for it. */
static sbl_status find_symbols(sbl_xgboost *xgboost, sbl_error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(xgboost->library, symbols[i].name);
        if (address == NULL)
            return sbl_fail(err, SBL_EARG, "the XGBoost of this machine lacks %s", symbols[i].name);
        memcpy((char *)xgboost + symbols[i].offset, &address, sizeof address);
    }
    return SBL_OK;
}

sbl_status sbl_xgboost_open(sbl_xgboost *xgboost, sbl_error *err)
{
    *xgboost = (sbl_xgboost){0};
    for (size_t i = 0; i < sizeof names / sizeof *names && xgboost->library == NULL; i++)
        xgboost->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (xgboost->library == NULL)
        return sbl_fail(err, SBL_EARG, "there is no XGBoost on this machine");
    const sbl_status status = find_symbols(xgboost, err);
    if (status != SBL_OK) sbl_xgboost_close(xgboost);
    return status;
}

void sbl_xgboost_close(sbl_xgboost *xgboost)
{
    /* Kept in memory: its threads outlive its work, and it is not made to be unloaded. */
    *xgboost = (sbl_xgboost){0};
}
