/* SPDX-License-Identifier: Apache-2.0 */
/* What one person of linked tables can change: hostile packages (linked_neighbours.h), whole, through the real reader and
 * the round's own features. The change between the exact sums of two neighbours is held against the charge, and each
 * sum must be, in every bit, that of the package without the person plus that of the person alone: a package in
 * which every other root row is gone, so that all rows of the others are orphans. */
#ifndef SBL_AUDIT_LINKED_CHANGE_H
#define SBL_AUDIT_LINKED_CHANGE_H

#include "owner/audit/additivity.h"
#include "owner/audit/change.h"
#include "run/methods/method.h"

typedef struct sbl_linked_change {
    sbl_change change; /* first: the number of the pair that moves most */
    size_t packages;
    sbl_additivity additivity;
} sbl_linked_change;

sbl_status sbl_linked_change_find(sbl_linked_change *found, const sbl_round *round, const sbl_facts *facts,
                                  const sbl_ledger_entry *entry, sbl_error *err);

#endif
