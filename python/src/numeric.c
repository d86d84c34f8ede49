/* SPDX-License-Identifier: Apache-2.0 */
/* libsemblance-numeric.so of a wheel: it contains nothing and needs OpenBLAS and LIBLINEAR. The tool that completes a wheel
 * puts both into it, under names of its own, and the library finds their functions through this one (base/compute/lapack.h). */
extern const int sbl_numeric_version;
const int sbl_numeric_version = 1;
