/* SPDX-License-Identifier: Apache-2.0 */
/* What training needs beside a generator: facts, features with their losses, targets and shares. */
#ifndef SBL_TESTS_TRAIN_KIT_H
#define SBL_TESTS_TRAIN_KIT_H

#include <stddef.h>

#include "after/train/target.h"
#include "after/train/trainer.h"
#include "records/features/orthogonal.h"
#include "records/features/rff.h"

typedef struct train_kit {
    sbl_facts facts;           /* kind, classes, shape and images */
    sbl_rff rff;               /* tables: term 0; term 1, where there are categories, is one-hot codes */
    sbl_orthogonal orthogonal; /* images: term 0 */
    sbl_target targets[3];     /* zeros; there is room for terms of a test's own */
    sbl_train_term terms[3];
    size_t count;
    double *shares; /* (C): equal */
} train_kit;

/* features: 2 F; joint_share: of the frequencies, that see codes. */
void train_kit_table(train_kit *kit, size_t numeric, const size_t *cardinalities, size_t categorical,
                     size_t classes, size_t features, double joint_share);
/* Grey images; classes 0: no labels. */
void train_kit_images(train_kit *kit, size_t height, size_t width, size_t classes, size_t features);
void train_kit_clear(train_kit *kit);

#endif
