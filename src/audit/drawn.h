/* Encoded records in memory of one's own: room, slices, copies. */
#ifndef SBL_AUDIT_DRAWN_H
#define SBL_AUDIT_DRAWN_H

#include "base/status.h"
#include "plan/records.h"
#include "random/model_rng.h"

/* Room for rows records of these facts, zeroed; a table with classes has labels too. */
sbl_status sbl_drawn_make(sbl_drawn *drawn, const sbl_facts *facts, size_t rows, sbl_error *err);
void sbl_drawn_clear(sbl_drawn *drawn, const sbl_facts *facts, size_t rows); /* wipes */

/* rows records from `first` on; borrowed. */
sbl_records sbl_drawn_records(const sbl_drawn *drawn, const sbl_facts *facts, size_t first,
                              size_t rows);
/* Record `from` of records becomes record `to` of drawn. */
void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts);
/* Record `row` becomes one drawn evenly from all there are; a table's label is among its codes. */
void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng);
/* Its label, in both places where a table has one; any number. */
void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label);

#endif
