/* Everything public about a fit: the schema, the method's plan, the layout of the sums and their
 * weights. Made from a schema and options before any data is opened, or read back from a release,
 * whose plan text holds all of it. */
#ifndef SBL_PIPELINE_RECIPE_H
#define SBL_PIPELINE_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "accumulate/layout.h"
#include "base/status.h"
#include "codec/codec.h"
#include "schema/record_shape.h"
#include "release/release.h"
#include "schema/schema.h"
#include "semblance/synth.h"

typedef struct sbl_method sbl_method; /* pipeline/method.h */

#define SBL_RECIPE_MAX_BLOCKS 6
#define SBL_RECIPE_MAX_WEIGHTS (SBL_RECIPE_MAX_BLOCKS + 1)

typedef struct sbl_recipe {
    sbl_schema *schema; /* NULL: of images, to be shown only */
    sbl_codec codec;
    const sbl_method *method;
    void *plan;           /* the method's own */
    size_t *code_columns; /* of the categorical columns that are not the label: where they stand
                           * among the codec's codes */
    size_t label_column;  /* the label's place among the codec's codes, or SBL_NO_HEAD */
    size_t classes;
    sbl_layout layout;
    double weights[SBL_RECIPE_MAX_WEIGHTS]; /* of the blocks, then of the counts */
    char *text; /* canonical JSON: {"method": ..., "schema": ...}; its hash is the layout's */
    /* Of a method of two releases; else 1, 0 and false. */
    double share;        /* of mu^2, or of a pure epsilon, that this release may spend */
    size_t other_values; /* integers of noise in the other release */
    bool more;           /* this is the first: sbl_recipe_next makes the second one's recipe */
} sbl_recipe;

/* Takes the schema, also on failure. */
sbl_status sbl_recipe_build(sbl_recipe *recipe, sbl_schema *schema,
                            const sbl_synth_options *options, sbl_error *err);
/* From a release's plan text; where is used in messages. */
sbl_status sbl_recipe_parse(sbl_recipe *recipe, const char *text, const char *where,
                            sbl_error *err);
void sbl_recipe_clear(sbl_recipe *recipe);

/* What a release of the recipe's layout would hold for n rows: text for people, or one JSON object;
 * sbl_string_free. Reads method, layout, weights and text, and whether there is a
 * schema: images have none. */
sbl_status sbl_recipe_show(char **text, const sbl_recipe *recipe, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err);

/* The recipe of the second release, which may depend on the first: that is public by now. */
sbl_status sbl_recipe_next(sbl_recipe *second, const sbl_recipe *first, const sbl_release *release,
                           sbl_error *err);

#endif
