/* SPDX-License-Identifier: Apache-2.0 */
/* Charges are rounded up, and sums of charges are exact or refused. */
#include "public/account/charge.c"

#include "proof.h"

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    (void)err, (void)format;
    return status;
}
uint64_t sbl_u128_sqrt_floor(sbl_u128 value) { return (void)value, nondet_u64(); }
sbl_u128 sbl_u128_sqrt_ceil(sbl_u128 value) { return (void)value, nondet_u128(); }
sbl_u128 sbl_u128_mul_div_up(sbl_u128 a, sbl_u128 b, sbl_u128 c)
{
    return (void)a, (void)b, (void)c, nondet_u128();
}

typedef unsigned __CPROVER_bitvector[192] wide;

void prove_sbl_charge_from_joint(void)
{
    const sbl_u128 joint = nondet_u128();
    const uint64_t draws = nondet_u64();
    const bool laplace = nondet_bool();
    sbl_charge charge;
    const sbl_status status = sbl_charge_from_joint(
        &charge, laplace ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN, joint, draws, NULL);
    PROVE(laplace || status == SBL_OK, "every Gaussian charge fits");
    PROVE(laplace || (wide)charge.mu2 << 16 >= joint, "mu^2 is at least joint / 2^16");
    PROVE(laplace || (wide)charge.mu2 << 16 < (wide)joint + ((wide)1 << 16), "and less than one unit more");
    PROVE(laplace || (charge.draws == draws && charge.eps0 == 0), "every draw counts");
    PROVE(!laplace || status != SBL_OK || (wide)charge.eps0 == (wide)joint << 40,
          "a Laplace charge is exact");
    PROVE(!laplace || (status == SBL_OK) == ((wide)joint << 40 < (wide)1 << 128),
          "or refused where it does not fit");
}

void prove_sbl_charge_add(void)
{
    sbl_charge sum = {
        .mu2 = nondet_u128(), .eps0 = nondet_u128(), .delta = nondet_u128(), .draws = nondet_u64()};
    const sbl_charge part = {
        .mu2 = nondet_u128(), .eps0 = nondet_u128(), .delta = nondet_u128(), .draws = nondet_u64()};
    const sbl_charge before = sum;
    if (sbl_charge_add(&sum, &part, NULL) != SBL_OK) return;
    PROVE((wide)sum.mu2 == (wide)before.mu2 + part.mu2, "mu^2 adds up");
    PROVE((wide)sum.eps0 == (wide)before.eps0 + part.eps0, "epsilon adds up");
    PROVE((wide)sum.delta == (wide)before.delta + part.delta, "delta adds up");
    PROVE((wide)sum.draws == (wide)before.draws + part.draws, "draws add up");
}
