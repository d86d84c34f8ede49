/* SPDX-License-Identifier: Apache-2.0 */
/* Cells inside the classes of mepf (docs/mechanisms/mepf.md#cells): the first release is fitted, what that generator draws
 * is clustered, and a second release has the means of each cell. The first plan says what is to come:
 *     "later_cells":{"batch":B, "features":F, "images":I, "number":K, "space":{...}, "steps":S}
 * with the steps and batch of the first fit and how many images of each class are clustered. */
#ifndef SBL_METHODS_MEPF_CELLS_H
#define SBL_METHODS_MEPF_CELLS_H

#include "run/methods/mepf_defaults.h"
#include "run/methods/method.h"

extern const sbl_option sbl_option_cells;
extern const sbl_option sbl_option_first_share;

/* Cells of a class by the options; 1: classes are not divided; 0: auto, by sbl_mepf_cells_of_noise. */
size_t sbl_mepf_cells_given(const sbl_synth_options *options);
/* The part of mu^2 that the first release of two has. */
double sbl_mepf_first_share(const sbl_synth_options *options);

/* Puts what is to come into the first plan. ask: how the encoder's points are taken; number: of cells, at least 2. */
sbl_status sbl_mepf_cells_announce(sbl_plan *first, const sbl_facts *facts, const sbl_synth_options *options,
                                   const sbl_encoded_ask *ask, size_t number, size_t features,
                                   sbl_error *err);
/* Is a second release to come, by the first plan? */
bool sbl_mepf_cells_follow(const sbl_round *first);
/* What dividing classes adds to a run: the first fit, and what of it is clustered. */
typedef struct sbl_mepf_cells_cost {
    size_t number;       /* cells of a class; 1: classes are not divided, and the others are 0 */
    size_t steps, batch; /* of the first fit */
    size_t images;       /* of each class that are clustered */
} sbl_mepf_cells_cost;
/* By the first plan. */
sbl_mepf_cells_cost sbl_mepf_cells_add(const sbl_round *first);
/* The line of a certificate on them (assume of run/methods/method.h). */
void sbl_mepf_cells_assume(sbl_text *text, const sbl_round *first);
/* The second plan but for its features: the first fit, unless it is kept, and the cells. features: of each block. */
sbl_status sbl_mepf_cells_plan(sbl_plan *second, size_t *features, const sbl_facts *facts,
                               const sbl_synth_options *options, const sbl_round *first, sbl_error *err);
/* The model of the first release; first->kept owns it. */
sbl_status sbl_mepf_first_fit(const sbl_model **model, const sbl_facts *facts,
                              const sbl_synth_options *options, const sbl_round *first, sbl_error *err);

#endif
