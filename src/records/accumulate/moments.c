/* SPDX-License-Identifier: Apache-2.0 */
/* [4] Second moments of enforced integers. Up to 256 rows of one class are collected for one exact matrix
 * product (base/compute/products.h). The product also gives the squares if both use the same coordinates. */
#include "records/accumulate/moments.h"

#include "base/alloc.h"
#include "base/compute/products.h"
#include "records/accumulate/enforce.h"

/* base/compute/products.h is exact while the sums of SBL_PRODUCT_ROWS products stay below 2^51. */
_Static_assert(SBL_PRODUCT_ROWS *SBL_MOMENTS_BOUND2_MAX < (UINT64_C(1) << 51),
               "sums of products must be exact in doubles");

bool sbl_moments_init(sbl_moments *moments)
{
    if (moments->products == NULL) return true;
    moments->pending = sbl_alloc_array(sbl_products_workspace(moments->products_outer), sizeof(double));
    return moments->pending != NULL;
}

void sbl_moments_clear(sbl_moments *moments)
{
    sbl_free_wiped(moments->pending, sbl_products_workspace(moments->products_outer) * sizeof(double));
    moments->pending = NULL;
}

/* The products of a row with itself hold its squares: where both are formed of the same
 * coordinates, they come for nothing. */
static bool has_diagonal(const sbl_moments *moments)
{
    return moments->squares_outer == moments->products_outer;
}

void sbl_moments_finish(sbl_moments *moments)
{
    const size_t outer = moments->products_outer;
    const size_t width = outer * (outer - 1) / 2;
    if (moments->pending_rows == 0) return;
    int64_t *squares = has_diagonal(moments) ? moments->squares + moments->pending_class * outer : NULL;
    sbl_products_add(moments->products + moments->pending_class * width, squares, moments->pending,
                     moments->pending_rows, outer);
    moments->pending_rows = 0;
}

void sbl_moments_add(sbl_moments *moments, const int32_t *q, size_t class_index)
{
    const size_t place = moments->per_class ? class_index : 0;
    if (moments->squares != NULL && !has_diagonal(moments))
        sbl_add_squares(moments->squares + place * moments->squares_outer, q, moments->squares_outer);
    if (moments->products == NULL) return;
    if (moments->pending_rows == SBL_PRODUCT_ROWS || moments->pending_class != place)
        sbl_moments_finish(moments);
    moments->pending_class = place;
    sbl_products_put(moments->pending, moments->pending_rows++, q, moments->products_outer);
}
