/* SPDX-License-Identifier: Apache-2.0 */
/* The recurrence of public/features/hermite_basis.h for up to 128 rows at a time, one order after the other, and its
 * derivative phi_c' = sqrt(2 c rho) phi_{c-1} - 2 rho / (1 + rho) u phi_c. */
#include <math.h>

#include "base/backend/hermite_rows.h"
#include "base/compute/threads.h"

SBL_CLONES static void slot_values(float *restrict phi, size_t stride, const float *restrict x, size_t count,
                                   double reach, double rho, size_t order)
{
    double u[SBL_HERMITE_ROWS], now[SBL_HERMITE_ROWS], before[SBL_HERMITE_ROWS];
    const double front = pow(1.0 - rho * rho, 0.25), decay = -rho / (1.0 + rho);
    for (size_t r = 0; r < count; r++) {
        u[r] = reach * ((double)x[r] - 0.5);
        now[r] = front * exp(decay * u[r] * u[r]);
        before[r] = 0.0;
    }
    for (size_t c = 0;; c++) {
        float *restrict to = phi + c * stride;
        for (size_t r = 0; r < count; r++) to[r] = (float)now[r];
        if (c == order) return;
        const double up = sqrt(2.0 * rho / (double)(c + 1));
        const double back = rho * sqrt((double)c / (double)(c + 1));
        for (size_t r = 0; r < count; r++) {
            const double next = up * u[r] * now[r] - back * before[r];
            before[r] = now[r];
            now[r] = next;
        }
    }
}

void sbl_hermite_rows_values(float *phi, size_t stride, const float *x, size_t count,
                             const sbl_hermite_slot *slot)
{
    slot_values(phi, stride, x, count, slot->reach, slot->rho, slot->width - 1);
}

SBL_CLONES static void slot_gradient(float *restrict d_x, const float *restrict x, const float *restrict phi,
                                     const float *restrict d_phi, size_t stride, size_t count, double reach,
                                     double rho, size_t order)
{
    float below[SBL_HERMITE_ROWS] = {0}, own[SBL_HERMITE_ROWS] = {0};
    for (size_t r = 0; r < count; r++) own[r] = d_phi[r] * phi[r];
    for (size_t c = 1; c <= order; c++) {
        const float *restrict d = d_phi + c * stride, *restrict now = phi + c * stride;
        const float *restrict before = now - stride;
        const float up = (float)sqrt(2.0 * (double)c * rho);
        for (size_t r = 0; r < count; r++) {
            below[r] += up * d[r] * before[r];
            own[r] += d[r] * now[r];
        }
    }
    const float decay = (float)(2.0 * rho / (1.0 + rho));
    for (size_t r = 0; r < count; r++) {
        const float u = (float)reach * (x[r] - 0.5f);
        d_x[r] += (float)reach * (below[r] - decay * u * own[r]);
    }
}

void sbl_hermite_rows_back(float *d_x, const float *x, const float *phi, const float *d_phi, size_t stride,
                           size_t count, const sbl_hermite_slot *slot)
{
    slot_gradient(d_x, x, phi, d_phi, stride, count, slot->reach, slot->rho, slot->width - 1);
}
