/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of numpy's .npz files, for values that were computed elsewhere: a zip of .npy files, stored or
 * deflated, in C order. For tests: what is not understood fails the test. */
#ifndef SBL_TEST_NPZ_H
#define SBL_TEST_NPZ_H

#include <stddef.h>

/* The array of that name as doubles (free()), from float32 or uint8; count: how many. NULL: the file
 * has none of that name. */
double *npz_read(const char *path, const char *name, size_t *count);

#endif
