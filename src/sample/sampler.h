/* [7] Draw encoded records from a generator.
 *
 * Row i of seed k is a pure function of the generator, k, i and the options: any chunking, order or
 * number of threads gives the same rows, and so does any platform, for nothing here is contracted,
 * reordered or left to libm. Batch normalisation uses its running statistics, folded into the
 * weights once. */
#ifndef SBL_SAMPLE_SAMPLER_H
#define SBL_SAMPLE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/generator.h"

typedef struct sbl_sampler sbl_sampler;

#define SBL_ANY_CLASS ((size_t)-1)

/* Keeps nothing of the generator: all is copied. */
sbl_status sbl_sampler_new(sbl_sampler **sampler, const sbl_generator *generator, uint64_t seed,
                           sbl_error *err);
void sbl_sampler_free(sbl_sampler *sampler);

/* Rows first .. first + rows - 1. wanted: a class, or SBL_ANY_CLASS for the class shares.
 * Out: numbers  (rows, d) in [0,1];  codes  (rows, K);  labels  (rows), may be NULL
 * A wanted class of share 0 is drawn all the same. Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_sampler_draw(const sbl_sampler *sampler, double *numbers, uint32_t *codes,
                            uint32_t *labels, uint64_t first, size_t rows, size_t wanted,
                            sbl_error *err);

#endif
