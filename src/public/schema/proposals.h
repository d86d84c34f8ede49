/* SPDX-License-Identifier: Apache-2.0 */
/* What `schema inspect` saw and leaves to the owner: semblance.proposals, a list of pieces of a schema with
 * words for each, to be taken or struck.
 *
 *   {"kind": "unit", "words": "up to 12 rows hold the same value ...",
 *    "fields": [{"name": "patient", "semblance": {"role": "id", "id": "P-####"}}],
 *    "semblance": {"unit": "patient", "max_rows_per_unit": 12}}
 *
 * In a package, all proposals are in semblance.proposals of the package, and `resource` names the table. One that
 * makes a table public has it in `resources`, and the keys that refer to it in `foreignKeys`.
 *
 * A proposal has no effect on the schema until it is accepted. */
#ifndef SBL_SCHEMA_PROPOSALS_H
#define SBL_SCHEMA_PROPOSALS_H

#include "base/error.h"
#include "base/json.h"
#include "public/schema/schema_type.h"

#define SBL_MOST_PROPOSALS 200

/* The words of each, with its kind before them. options: the schema's semblance object, or NULL.
 * Returns: SBL_OK; SBL_EINPUT if one is not a proposal; SBL_EMEM */
sbl_status sbl_proposals_parse(sbl_strings *words, const json_t *options, const char *where, sbl_error *err);

/* Take some proposals of a schema, strike the others, and say that the owner has accepted what was
 * read from the records: its origin does not say "inspected" any more. What becomes of it is for the parser to judge.
 * In:      take  "all", "none", or numbers (from 1) and kinds, separated by commas; NULL: there must be
 *                no proposals
 * Out:     taken, struck  how many
 * Returns: SBL_OK; SBL_EARG for a choice that cannot be; SBL_EINPUT; SBL_EMEM */
sbl_status sbl_proposals_accept(json_t *schema, const char *take, size_t *taken, size_t *struck,
                                const char *where, sbl_error *err);

#endif
