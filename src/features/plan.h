/* The plan of a DP-MERF release (Harder, Adamczewski and Park 2021): the list of blocks, times the
 * class, and all that is needed to rebuild the features. Public, printable, hashed; made from
 * public facts before any data is opened, and rebuilt from its JSON text when a release is read. */
#ifndef SBL_FEATURES_PLAN_H
#define SBL_FEATURES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/json.h"
#include "features/rff.h"
#include "schema/record_shape.h"

#define SBL_PLAN_MAX_SCALES 16
#define SBL_PLAN_MAX_BLOCKS 2

typedef enum sbl_feature_kind { SBL_FEATURE_RFF, SBL_FEATURE_ONEHOT } sbl_feature_kind;

/* What accumulate/ must enforce and the door must weigh. */
typedef struct sbl_feature_block {
    sbl_feature_kind kind;
    char name[32];
    size_t width;   /* coordinates per record */
    size_t group;   /* 2: each (cos, sin) pair is held to its share of the bound; else 0 */
    bool per_class; /* one sum per class */
    bool nonnegative;
    uint64_t bound2; /* most sum of squared integers of a record */
    double norm;     /* the features' norm, for the grid's scale; 0: they are integers, scale 1 */
    double weight; /* of a feature unit in the joint release: weight * norm is the block's share */
} sbl_feature_block;

typedef struct sbl_merf_plan_options {
    size_t features;                    /* D, even; default 2000 */
    double scales[SBL_PLAN_MAX_SCALES]; /* in units of sqrt(d / 6); default .05 .1 .2 .4 .8 */
    size_t scale_count;
    double code_deviations[SBL_PLAN_MAX_SCALES]; /* in radians; default .15 .3 .6 1.2 */
    size_t code_deviation_count;
    double joint_share;   /* of the frequencies, that see the codes (features/rff.h); default 1/2 */
    double onehot_weight; /* of the one-hot block beside the Fourier block; default 1 */
    bool counts;          /* release the class counts; default: when there are classes */
    uint64_t seed;        /* of the frequencies */
} sbl_merf_plan_options;

typedef struct sbl_merf_plan {
    sbl_record_shape shape;
    sbl_merf_plan_options options;
    sbl_feature_block blocks[SBL_PLAN_MAX_BLOCKS];
    size_t block_count;
    double counts_weight; /* of the counts beside the blocks */
    char *json;           /* canonical text */
    uint8_t hash[SBL_SHA256_SIZE];
} sbl_merf_plan;

void sbl_merf_plan_options_init(sbl_merf_plan_options *options, const sbl_record_shape *shape);

sbl_status sbl_merf_plan_build(sbl_merf_plan *plan, const sbl_record_shape *shape,
                          const sbl_merf_plan_options *options, sbl_error *err);
/* From the text of a plan. where (a path) is for messages. A text that does not give back itself
 * is refused: nothing in it may be ignored. */
sbl_status sbl_merf_plan_parse(sbl_merf_plan *plan, const char *json, const char *where, sbl_error *err);
void sbl_merf_plan_clear(sbl_merf_plan *plan);

/* NULL when the plan has no such block. */
const sbl_feature_block *sbl_merf_plan_find(const sbl_merf_plan *plan, sbl_feature_kind kind);
/* The frequencies. */
sbl_status sbl_merf_plan_rff(sbl_rff *rff, const sbl_merf_plan *plan, sbl_error *err);

#endif
