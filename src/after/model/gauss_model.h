/* SPDX-License-Identifier: Apache-2.0 */
/* A model of RON-Gauss: one Gaussian per class, in the coordinates of the record (public/rows/unit_record.h)
 * or of its projection. Made from a release alone; sampling it costs nothing. */
#ifndef SBL_MODEL_GAUSS_MODEL_H
#define SBL_MODEL_GAUSS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/tensors/safetensors.h"
#include "public/rows/unit_record.h"

typedef struct sbl_gauss_model {
    sbl_unit_record record;
    bool projected; /* coordinates are those of the projection */
    size_t targets; /* 1: coordinate 0 is the target y */
    size_t width;   /* W: coordinates, the target's included */
    size_t latents; /* G */
    double stretch; /* x times this is what the record's map takes back; 1 but for normalise */
    /* x = mean_c + sum_g z_g factor_cg, z standard normal */
    float *means;   /* (C, W) */
    float *factors; /* (C G, W) */
    float *shares;  /* (C): nonnegative, sum 1 */
    float *offsets; /* (C, onehot): added to a category's proportions before the largest is taken */
    sbl_pool pool;  /* of the arrays */
} sbl_gauss_model;

/* Zeros for the caller to fill; the record is copied. */
sbl_status sbl_gauss_model_init(sbl_gauss_model *model, const sbl_unit_record *record, bool projected,
                                size_t width, size_t latents, sbl_error *err);
void sbl_gauss_model_clear(sbl_gauss_model *model);

/* The tensors, with metadata (an object of strings, added to) beside them; and back. where (a path)
 * is for messages. */
sbl_status sbl_gauss_model_save(const sbl_gauss_model *model, sbl_store_entry to, json_t *metadata,
                                bool overwrite, sbl_error *err);
sbl_status sbl_gauss_model_read(sbl_gauss_model *model, const sbl_safetensors *file, const char *where,
                                sbl_error *err);

#endif
