/* SPDX-License-Identifier: Apache-2.0 */
/* A first schema for a table that has none, read off its records.
 *
 * NOT PRIVATE: its bounds and categories are facts about the records, and using them declares them
 * public. For the owner, who edits it; touches no ledger, makes no release. */
#ifndef SBL_INSPECT_INSPECT_H
#define SBL_INSPECT_INSPECT_H

#include "base/error.h"
#include "base/text.h"
#include "owner/inspect/inspect_column.h"
#include "records/rows/table.h"

/* In:      given  the dialect, as far as the caller gave it; the rest is detected
 *          epsilon_of  for notes about people with several rows; NULL: no number is named
 * Out:     text   the schema as indented JSON, with a note where its facts came from, and proposals
 *                 (public/schema/proposals.h); sbl_free()
 *          notes  what the owner should look at, a line each
 * Returns: SBL_OK; SBL_EINPUT if the file is not a table; SBL_EIO; SBL_EMEM */
sbl_status sbl_table_inspect(char **text, sbl_text *notes, const sbl_table *table,
                             const sbl_data_options *given, sbl_inspect_epsilon epsilon_of, sbl_error *err);
/* The same for one of several linked tables: no rules are proposed, and an order is one of the rows with the same parent_key. parent_key: NULL
 * for the table of persons. key: the column that names its own rows, which orders nothing; NULL: none. */
sbl_status sbl_table_inspect_linked(char **text, sbl_text *notes, const sbl_table *table,
                                    const sbl_data_options *given, const char *parent_key, const char *key,
                                    sbl_error *err);

#endif
