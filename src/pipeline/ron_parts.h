/* What the files of ron-gauss share: ron_plan.c, method_ron_gauss.c, ron_model.c. */
#ifndef SBL_PIPELINE_RON_PARTS_H
#define SBL_PIPELINE_RON_PARTS_H

#include "features/ron.h"
#include "pipeline/method.h"

/* What recipe->plan points to. */
typedef struct sbl_ron_recipe {
    sbl_ron_plan plan;
    sbl_ron_rotation rotation;
} sbl_ron_recipe;

static inline const sbl_ron_recipe *sbl_ron_of(const sbl_recipe *recipe) { return recipe->plan; }

/* An empty plan in recipe->plan. */
sbl_status sbl_ron_recipe_new(sbl_ron_recipe **made, sbl_recipe *recipe, sbl_error *err);
/* The record of the recipe's schema: a numeric label is the target. */
sbl_status sbl_ron_read_record(sbl_unit_record *record, const sbl_recipe *recipe, bool centred,
                               sbl_error *err);

/* Members of the method's table. */
sbl_status sbl_ron_plan_choose(sbl_recipe *recipe, const sbl_synth_options *wanted, sbl_error *err);
void sbl_ron_explain(sbl_text *words, json_t *object, const sbl_recipe *recipe, uint64_t n,
                     const sbl_synth_options *wanted);
sbl_status sbl_ron_make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                        const char *certificate, const sbl_synth_options *options, sbl_error *err);
sbl_status sbl_ron_open(sbl_model *model, const char *path, uint64_t seed, sbl_error *err);
const sbl_codec *sbl_ron_output(const sbl_model *model);
sbl_status sbl_ron_draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                        size_t rows, size_t wanted, sbl_error *err);
void sbl_ron_close(sbl_model *model);

#endif
