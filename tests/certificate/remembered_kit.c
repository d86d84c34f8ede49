/* SPDX-License-Identifier: Apache-2.0 */
/* The search for epsilon takes nine tenths of the tests that check the same certificate thousands of times. It depends on
 * the totals and on delta alone and asks for no memory, so what was found once is not searched for again. Where it is
 * found anew each time: test_certificate, test_certificate_two, and the account's own tests.
 * WRAP sbl_totals_epsilon. */

#include "public/account/budget.h"

#define REMEMBERED 64

sbl_status __real_sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta, sbl_error *err);
sbl_status __wrap_sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta, sbl_error *err);

typedef struct found {
    sbl_totals totals;
    double delta, epsilon;
} found;

static bool same(const found *f, const sbl_totals *totals, double delta)
{
    const sbl_charge *a = &f->totals.charge, *b = &totals->charge;
    return a->mu2 == b->mu2 && a->eps0 == b->eps0 && a->delta == b->delta && a->draws == b->draws &&
           f->totals.releases == totals->releases &&
           f->totals.gaussian_releases == totals->gaussian_releases && f->delta == delta;
}

sbl_status __wrap_sbl_totals_epsilon(double *epsilon, const sbl_totals *totals, double delta, sbl_error *err)
{
    static found known[REMEMBERED];
    static size_t count, next;
    for (size_t i = 0; i < count; i++)
        if (same(&known[i], totals, delta)) {
            *epsilon = known[i].epsilon;
            return SBL_OK;
        }
    const sbl_status status = __real_sbl_totals_epsilon(epsilon, totals, delta, err);
    if (status != SBL_OK) return status;
    known[next] = (found){*totals, delta, *epsilon};
    next = (next + 1) % REMEMBERED;
    if (count < REMEMBERED) count++;
    return SBL_OK;
}
