/* Columns that name people or things: ids of rows, and a column whose values repeat and that may say whose
 * row it is. NOT PRIVATE, as all of a guess. */
#ifndef SBL_TABLE_GUESS_IDS_H
#define SBL_TABLE_GUESS_IDS_H

#include "table/guess_column.h"

/* Propose one column as the unit and others as ids, and note each whose values repeat.
 * In:  columns  (count), decided; epsilon_of  may be NULL
 * Out: named    (count): true where a proposal makes it an id */
sbl_status sbl_guess_ids_propose(sbl_schema_writer *writer, const sbl_guess_column *columns,
                                 size_t count, sbl_guess_epsilon epsilon_of, bool *named,
                                 sbl_text *notes, sbl_error *err);

#endif
