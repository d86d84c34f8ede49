/* SPDX-License-Identifier: Apache-2.0 */
/* A count of each code of missing values, tested; a code that fails gets a logit that never wins. */
#include "after/train/missing_codes.h"

#include <math.h>

#include "after/train/target.h"
#include "public/schema/missing.h"

static bool is_noise(double count, double deviation, const sbl_facts *facts, const sbl_release *release)
{
    return sbl_missing_is_noise(count, deviation, release->mechanism == SBL_DISCRETE_LAPLACE,
                                sbl_missing_columns(facts->schema));
}

void sbl_missing_take_class(double *shares, double rows, const sbl_facts *facts, const sbl_release *release)
{
    const sbl_block *block = sbl_release_find(release, "counts");
    const size_t last = facts->classes - 1;
    if (facts->kind != SBL_DATA_TABLE || last == 0 || block == NULL ||
        sbl_head_missing(&facts->heads.items[facts->heads.label], facts->schema) == SBL_NO_CODE)
        return;
    for (size_t c = 0; c <= last; c++) shares[c] = sbl_release_estimate(release, block, 0, c);
    if (is_noise(shares[last], sbl_release_noise_deviation(release, block), facts, release))
        shares[last] = -INFINITY; /* stays out */
    sbl_project_shares(shares, shares, facts->classes, rows);
}

void sbl_missing_take_codes(sbl_generator *generator, const sbl_facts *facts, const sbl_release *release)
{
    const sbl_block *block = sbl_release_find(release, "onehot");
    size_t k = 0;
    if (facts->kind != SBL_DATA_TABLE || block == NULL) return;
    const size_t classes = sbl_release_columns(release, block);
    for (size_t i = 0; i < facts->heads.count; i++) {
        const sbl_head *head = &facts->heads.items[i];
        const uint32_t code = sbl_head_missing(head, facts->schema);
        if (head->kind != SBL_HEAD_CATEGORICAL || head->index == facts->label_column) continue;
        const size_t entry = facts->shape.offsets[k++] + code;
        double count = 0;
        if (code == SBL_NO_CODE) continue;
        for (size_t c = 0; c < classes; c++) count += sbl_release_estimate(release, block, c, entry);
        if (is_noise(count, sbl_release_noise_deviation(release, block) * sqrt((double)classes), facts,
                     release))
            sbl_generator_close(generator, entry);
    }
}
