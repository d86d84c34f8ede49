/* SPDX-License-Identifier: Apache-2.0 */
/* A schema that is discovered and paid for, as a method: each step of after/discover/discovery.h is a round.
 * It is not in the list of methods, since it makes no model: for a table without a schema its rounds run before
 * those of the requested method, or alone (run/pipeline/job.h). */
#ifndef SBL_METHODS_DISCOVER_H
#define SBL_METHODS_DISCOVER_H

#include "base/json.h"
#include "base/text.h"
#include "run/methods/method.h"

/* The part of delta that is kept for the names of categories (privacy of keys). */
#define SBL_DISCOVER_KEYS_PART 0.01

/* options: delta is that of the run, and discover_share the part of the budget that all rounds of the
 * method may spend. */
extern const sbl_method sbl_method_discover;

/* The facts that its rounds begin with: the names of the columns, which the header says, and how the
 * table is written. */
sbl_status sbl_discover_header(sbl_facts *header, const sbl_strings *names, const sbl_written *written,
                               sbl_error *err);

/* Stops a discovery after its first release where columns seem to hold numbers with a decimal comma, and it was not told
 * which mark they have. From that release alone. where: the table, for the message.
 * Returns: SBL_OK; SBL_EINPUT with SBL_HINT_COMMAS; SBL_EMEM */
sbl_status sbl_discover_check_commas(const sbl_facts *header, const sbl_round *votes, const char *where,
                                     sbl_error *err);

/* The schema that follows from the releases of all rounds, and its file's text (sbl_schema_free,
 * sbl_free); remarks grows by lines for people. Takes origin: where the facts came from; NULL is
 * SBL_EMEM. */
sbl_status sbl_discover_conclude(char **text, sbl_schema **schema, sbl_text *remarks, const sbl_facts *header,
                                 const sbl_round *rounds, size_t count, json_t *origin, sbl_error *err);

#endif
