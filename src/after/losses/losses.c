/* SPDX-License-Identifier: Apache-2.0 */
/* Every loss that there is, one line each, found by the name of its feature. */
#include <string.h>

#include "after/losses/loss.h"

const sbl_loss_kind *const sbl_loss_list[] = {&sbl_loss_rff,
                                              &sbl_loss_onehot,
                                              &sbl_loss_orthogonal,
                                              &sbl_loss_hermite,
                                              &sbl_loss_hermite_product,
                                              &sbl_loss_perceptual,
                                              &sbl_loss_moments,
                                              &sbl_loss_signed_moments,
                                              &sbl_loss_pooled_moments,
                                              NULL};

static const sbl_loss_kind *find(const sbl_loss_kind *const *list, const char *feature)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp((*list)->feature, feature) == 0) return *list;
    return NULL;
}

const sbl_loss_kind *sbl_loss_find(const char *feature, const sbl_loss_kind *const *more)
{
    const sbl_loss_kind *found = find(sbl_loss_list, feature);
    return found != NULL ? found : find(more, feature);
}
