/* SPDX-License-Identifier: Apache-2.0 */
#include "train/train_kit.h"

#include <stdlib.h>

#include "support/cmocka_all.h"

static void add_term(train_kit *kit, const sbl_loss_kind *kind, const void *made, size_t width)
{
    sbl_target *target = &kit->targets[kit->count];
    assert_int_equal(sbl_target_init(target, kit->facts.classes, width, NULL), SBL_OK);
    kit->terms[kit->count++] = (sbl_train_term){kind, made, target, false};
}

static void share_evenly(train_kit *kit)
{
    kit->shares = calloc(kit->facts.classes, sizeof *kit->shares);
    assert_non_null(kit->shares);
    for (size_t c = 0; c < kit->facts.classes; c++) kit->shares[c] = 1 / (double)kit->facts.classes;
}

void train_kit_table(train_kit *kit, size_t numeric, const size_t *cardinalities, size_t categorical,
                     size_t classes, size_t features, double joint_share)
{
    const double scales[] = {0.05, 0.1, 0.2, 0.4, 0.8}, deviations[] = {0.15, 0.3, 0.6, 1.2};
    const sbl_rff_rule rule = {features / 2,
                               .scales = scales,
                               .scale_count = 5,
                               .code_deviations = deviations,
                               .code_deviation_count = 4,
                               .joint = (size_t)(joint_share * (double)(features / 2))};
    *kit = (train_kit){.facts = {.kind = SBL_DATA_TABLE, .classes = classes, .label_column = SBL_NO_HEAD}};
    assert_int_equal(
        sbl_record_shape_init(&kit->facts.shape, numeric, cardinalities, categorical, classes, NULL), SBL_OK);
    assert_int_equal(sbl_rff_init(&kit->rff, &kit->facts.shape, &rule, NULL), SBL_OK);
    add_term(kit, &sbl_loss_rff, &kit->rff, features);
    if (categorical > 0) add_term(kit, &sbl_loss_onehot, &kit->facts, kit->facts.shape.onehot);
    share_evenly(kit);
}

void train_kit_images(train_kit *kit, size_t height, size_t width, size_t classes, size_t features)
{
    const double scales[] = {0.3, 0.6};
    const sbl_orthogonal_rule rule = {.frequencies = features / 2, .scales = scales, .scale_count = 2};
    sbl_image_facts images;
    *kit = (train_kit){0};
    assert_int_equal(sbl_image_facts_init(&images, height, width, 1, classes, NULL, NULL), SBL_OK);
    assert_int_equal(sbl_facts_of_images(&kit->facts, &images, false, NULL), SBL_OK);
    sbl_image_facts_clear(&images);
    assert_int_equal(sbl_orthogonal_init(&kit->orthogonal, height * width, &rule, NULL), SBL_OK);
    add_term(kit, &sbl_loss_orthogonal, &kit->orthogonal, features);
    share_evenly(kit);
}

void train_kit_clear(train_kit *kit)
{
    for (size_t i = 0; i < 3; i++) sbl_target_clear(&kit->targets[i]);
    sbl_facts_clear(&kit->facts);
    sbl_rff_clear(&kit->rff);
    sbl_orthogonal_clear(&kit->orthogonal);
    free(kit->shares);
}
