/* The functions themselves, in double: in float the recursion leaves its bound from order 150 on,
 * where phi_0 is subnormal and everything after it is scaled by its rounding error. */
#include <math.h>

#include "features/hermite.h"

double sbl_hermite_rho(double s2)
{
    /* sqrt(s2^2 + 1) - s2 without cancellation */
    return 1.0 / (sqrt(s2 * s2 + 1.0) + s2);
}

/* Where phi_0 is below 2^-960 it is lifted by 2^900 and the sequence is let down by the same as soon
 * as it has grown: no digit is lost, at any |u| that a range of reach 100 can have. */
#define LIFT 0x1p900
#define SMALL 0x1p-60

void sbl_hermite_values(double *phi, double u, double rho, size_t order)
{
    const double start = 0.25 * log1p(-rho * rho) - rho * u * u / (1.0 + rho);
    const bool lifted = start < -660.0;
    double down = lifted ? 1.0 / LIFT : 1.0;
    const double up = sqrt(2.0 * rho) * u;
    double last_root = 0.0; /* sqrt(c) */
    double before = 0.0;
    double now = exp(lifted ? start + 900.0 * 0.693147180559945309417 : start);
    for (size_t c = 0;; c++) {
        phi[c] = now * down;
        if (c == order) return;
        /* phi_{c+1} sqrt(c+1) = sqrt(2 rho) u phi_c - rho sqrt(c) phi_{c-1} */
        const double root = sqrt((double)c + 1.0);
        const double next = (up * now - rho * last_root * before) / root;
        last_root = root;
        before = now;
        now = next;
        if (down != 1.0 && fabs(now) > LIFT * SMALL) {
            now *= down;
            before *= down;
            down = 1.0;
        }
    }
}

double sbl_hermite_held(const sbl_hermite_function *function)
{
    double phi[SBL_HERMITE_MOST_ORDER + 1];
    double least = 1.0;
    const double s = function->length * function->reach;
    const double rho = sbl_hermite_rho(s * s);
    for (int i = 0; i <= 16; i++) {
        double norm2 = 0.0;
        sbl_hermite_values(phi, function->reach * (double)i / 32.0, rho, function->order);
        for (size_t c = 0; c <= function->order; c++) norm2 += phi[c] * phi[c];
        least = fmin(least, norm2);
    }
    return least;
}

double sbl_hermite_reach(double length, size_t order)
{
    sbl_hermite_function function = {length, order, 1.0};
    double best = 1.0;
    double most = -1.0;
    for (int i = 0; i <= 80; i++) { /* 0.1 .. 40, by about 8 % */
        function.reach = 0.1 * pow(400.0, (double)i / 80.0);
        const double held = sbl_hermite_held(&function);
        if (held > most + 1e-9) {
            most = held;
            best = function.reach;
        }
    }
    /* three digits: what stands in a plan */
    const double unit = pow(10.0, floor(log10(best)) - 2.0);
    return rint(best / unit) * unit;
}
