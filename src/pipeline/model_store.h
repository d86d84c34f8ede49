/* A model of any method: made from a release, saved, opened, drawn from. Post-processing: nothing
 * here sees a record. */
#ifndef SBL_PIPELINE_MODEL_STORE_H
#define SBL_PIPELINE_MODEL_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "pipeline/recipe.h"
#include "release/release.h"

/* Train on a release made by the recipe and save the model. certificate: its JSON text, kept in the
 * model, or NULL. */
sbl_status sbl_model_make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                          const char *certificate, const sbl_synth_options *options,
                          sbl_error *err);

/* An opened model, ready to draw encoded rows of its recipe's codec. */
typedef struct sbl_model sbl_model;

sbl_status sbl_model_open(sbl_model **model, const char *path, uint64_t seed, sbl_error *err);
void sbl_model_close(sbl_model *model);
const sbl_recipe *sbl_model_recipe(const sbl_model *model);
/* Rows the model was fitted to, or their noisy number. */
uint64_t sbl_model_rows(const sbl_model *model);
/* How drawn rows are laid out: the recipe's codec, but for a method that draws others. */
const sbl_codec *sbl_model_output(const sbl_model *model);
/* numeric (rows, heads.numeric_count), codes (rows, heads.categorical_count). wanted: a class or
 * SBL_ANY_CLASS. Row numbers start anywhere: the same row number gives the same row. */
sbl_status sbl_model_draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                          size_t rows, size_t wanted, sbl_error *err);

#endif
