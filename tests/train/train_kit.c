#include "train/train_kit.h"

#include <stdlib.h>

#include "features/onehot_loss.h"
#include "features/orthogonal_loss.h"
#include "features/rff_loss.h"
#include "support/cmocka_all.h"

static sbl_status rff_new(void **loss, const void *made, const sbl_target *target,
                          const sbl_generated *generated, sbl_error *err)
{
    return sbl_rff_loss_new(loss, made, target, generated, err);
}

static sbl_status onehot_new(void **loss, const void *made, const sbl_target *target,
                             const sbl_generated *generated, sbl_error *err)
{
    return sbl_onehot_loss_new(loss, made, target, generated, err);
}

static void onehot_start(float *expected, const void *made, const sbl_target *target,
                         const sbl_generated *generated)
{
    sbl_onehot_loss_start(expected, made, target, generated);
}

static sbl_status orthogonal_new(void **loss, const void *made, const sbl_target *target,
                                 const sbl_generated *generated, sbl_error *err)
{
    return sbl_orthogonal_loss_new(loss, made, target, generated, err);
}

static const sbl_feature rff_feature = {.name = "rff",
                                        .loss_new = rff_new,
                                        .loss_step = sbl_rff_loss_step,
                                        .loss_free = sbl_rff_loss_free};
static const sbl_feature onehot_feature = {.name = "onehot",
                                           .loss_new = onehot_new,
                                           .loss_step = sbl_onehot_loss_step,
                                           .loss_free = sbl_onehot_loss_free,
                                           .loss_start = onehot_start};
static const sbl_feature orthogonal_feature = {.name = "orthogonal",
                                               .loss_new = orthogonal_new,
                                               .loss_step = sbl_orthogonal_loss_step,
                                               .loss_free = sbl_orthogonal_loss_free,
                                               .loss_memory = sbl_orthogonal_loss_memory};

static void add_term(train_kit *kit, const sbl_feature *feature, const void *made, size_t width)
{
    sbl_target *target = &kit->targets[kit->count];
    assert_int_equal(sbl_target_init(target, kit->facts.classes, width, NULL), SBL_OK);
    kit->terms[kit->count++] = (sbl_train_term){feature, made, target};
}

static void share_evenly(train_kit *kit)
{
    kit->shares = calloc(kit->facts.classes, sizeof *kit->shares);
    assert_non_null(kit->shares);
    for (size_t c = 0; c < kit->facts.classes; c++) kit->shares[c] = 1 / (double)kit->facts.classes;
}

void train_kit_table(train_kit *kit, size_t numeric, const size_t *cardinalities,
                     size_t categorical, size_t classes, size_t features, double joint_share)
{
    const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8}, deviations[] = {0.15, 0.3, 0.6, 1.2};
    const sbl_rff_rule rule = {.frequencies = features / 2,
                               .scales = scales,
                               .scale_count = 5,
                               .code_deviations = deviations,
                               .code_deviation_count = 4,
                               .joint = (size_t)(joint_share * (double)(features / 2))};
    *kit = (train_kit){
        .facts = {.kind = SBL_DATA_TABLE, .classes = classes, .label_column = SBL_NO_HEAD}};
    assert_int_equal(sbl_record_shape_init(&kit->facts.shape, numeric, cardinalities, categorical,
                                           classes, NULL),
                     SBL_OK);
    assert_int_equal(sbl_rff_init(&kit->rff, &kit->facts.shape, &rule, NULL), SBL_OK);
    add_term(kit, &rff_feature, &kit->rff, features);
    if (categorical > 0) add_term(kit, &onehot_feature, &kit->facts.shape, kit->facts.shape.onehot);
    share_evenly(kit);
}

void train_kit_images(train_kit *kit, size_t height, size_t width, size_t classes, size_t features)
{
    const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule rule = {
        .frequencies = features / 2, .scales = scales, .scale_count = 2};
    sbl_image_facts images;
    *kit = (train_kit){0};
    assert_int_equal(sbl_image_facts_init(&images, height, width, 1, classes, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_facts_of_images(&kit->facts, &images, false, NULL), SBL_OK);
    sbl_image_facts_clear(&images);
    assert_int_equal(sbl_orthogonal_init(&kit->orthogonal, height * width, &rule, NULL), SBL_OK);
    add_term(kit, &orthogonal_feature, &kit->orthogonal, features);
    share_evenly(kit);
}

void train_kit_clear(train_kit *kit)
{
    for (size_t i = 0; i < 2; i++) sbl_target_clear(&kit->targets[i]);
    sbl_facts_clear(&kit->facts);
    sbl_rff_clear(&kit->rff);
    sbl_orthogonal_clear(&kit->orthogonal);
    free(kit->shares);
}
