/* Single records among those in memory of one's own (plan/records.h). */
#ifndef SBL_AUDIT_DRAWN_H
#define SBL_AUDIT_DRAWN_H

#include "base/status.h"
#include "plan/records.h"
#include "random/model_rng.h"

/* Record `from` of records becomes record `to` of drawn. */
void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts);
/* Record `row` becomes one drawn evenly from all there are; a table's label is among its codes. */
void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng);
/* Its label, in both places where a table has one; any number. */
void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label);

#endif
