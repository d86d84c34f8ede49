/* Constraints that hold in every row of a table: an order, a sum, a difference of days, a category that
 * follows from another. Those that hold because of how single columns lie are left out: they must fail
 * where the cells of two rows are mixed. NOT PRIVATE, as all of a guess. */
#ifndef SBL_TABLE_GUESS_RULES_H
#define SBL_TABLE_GUESS_RULES_H

#include "schema/schema_writer.h"
#include "table/table.h"

/* Read the table with the schema that was guessed, and propose what holds.
 * In: named  (columns of the schema): true where a column is proposed as an id, and has no values then */
sbl_status sbl_guess_rules_propose(sbl_schema_writer *writer, const sbl_table *table,
                                   const sbl_schema *schema, const bool *named, sbl_error *err);

#endif
