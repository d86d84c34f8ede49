/* SPDX-License-Identifier: Apache-2.0 */
/* A model of every kind, filled by hand, on the data of tests/support/data_kit.h. */
#ifndef SBL_TESTS_SUPPORT_MODEL_KIT_H
#define SBL_TESTS_SUPPORT_MODEL_KIT_H

#include "after/model/model.h"
#include "support/data_kit.h"

/* Uneven, so that no two of its tensors could be confused. NULL: such data has no model of this
 * kind. A kind that the kit has not heard of fails the test. */
sbl_model *model_make(const char *kind, data_case which);

/* Room for what a model draws. */
typedef struct drawn_room {
    sbl_drawn out;
    size_t numeric, codes, pixels, labels; /* values of each in all */
} drawn_room;
void drawn_make(drawn_room *room, const sbl_facts *facts, size_t rows);
void drawn_clear(drawn_room *room);
/* From its row `first` on. */
sbl_drawn drawn_at(const drawn_room *room, const sbl_facts *facts, size_t first);
bool drawn_same(const drawn_room *a, const drawn_room *b);

#endif
