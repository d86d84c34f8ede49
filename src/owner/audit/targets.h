/* SPDX-License-Identifier: Apache-2.0 */
/* What is audited: every way in which a method releases sums of a data set. */
#ifndef SBL_AUDIT_TARGETS_H
#define SBL_AUDIT_TARGETS_H

#include "door/ledger/ledger_book.h"
#include "owner/audit/audit_records.h"
#include "run/methods/method.h"
#include "semblance/audit.h"

typedef struct sbl_subject {
    const sbl_audit_data *data;
    sbl_synth_options options; /* method, relation, budget */
    bool attacked;             /* a small layout, whose releases are told apart; else all else is tested */
} sbl_subject;

/* Called for each round of each subject, right after its release: its plan, features and release,
 * and the line of the ledger. */
typedef sbl_status (*sbl_subject_visit)(void *context, const sbl_subject *subject, const sbl_round *round,
                                        const sbl_ledger_entry *entry, sbl_error *err);

/* A new, empty ledger without a limit, since an attack charges the same sums again and again, in place
 * of any that is there: of the relation and the unit of the release that is tested. rows_per_unit: of
 * one person that count; 0: a row is a person. No ledger of anyone's data is ever touched. */
sbl_status sbl_audit_ledger(sbl_store_entry ledger, sbl_neighbours neighbours, uint64_t rows_per_unit,
                            double delta, sbl_error *err);

/* All rounds of one subject through the real door, charged to a ledger in the store. */
sbl_status sbl_subject_release(const sbl_subject *subject, const sbl_store *store, sbl_subject_visit visit,
                               void *context, sbl_error *err);

/* Every subject that the options ask for, over one data set.
 * Returns: what visit returns; SBL_EARG for a method that is none for such data */
sbl_status sbl_subjects_of(const sbl_audit_data *data, const sbl_audit_options *options,
                           const sbl_store *store, sbl_subject_visit visit, void *context, sbl_error *err);

#endif
