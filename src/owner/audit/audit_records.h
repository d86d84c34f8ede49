/* SPDX-License-Identifier: Apache-2.0 */
/* The data sets of an audit, and single records among those in memory of one's own (public/rows/encoded_records.h). */
#ifndef SBL_AUDIT_AUDIT_RECORDS_H
#define SBL_AUDIT_AUDIT_RECORDS_H

#include "base/error.h"
#include "base/random/model_rng.h"
#include "owner/audit/linked_records.h"
#include "public/plan/facts.h"
#include "public/rows/encoded_records.h"
#include "records/features/features.h"
#include "records/source/source.h"

/* Record `from` of records becomes record `to` of drawn. */
void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts);
/* Record `row` becomes one drawn evenly from all there are; a table's label is among its codes. */
void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng);
/* Its label, in both places where a table has one; any number. */
void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label);

#define SBL_AUDIT_MOST_ROWS 1000 /* of a table that is given */

typedef struct sbl_audit_data {
    const char *name; /* for people */
    sbl_facts facts;
    sbl_drawn columns;    /* of one table, or of images */
    sbl_package *package; /* of linked tables; NULL: it is none */
    size_t rows;
    /* Are releases of it attacked? Not of images: they go the same way, and their sums are long. With
     * Laplace noise only a table of one column, where a record moves few values by much: over many
     * values no guess comes near the bound. */
    bool attacked, attacked_pure;
    bool whole_units; /* only methods of whole persons: a person may have more rows than others allow */
} sbl_audit_data;

/* Those made here: tables with classes, with a target and of one column, images with labels and
 * balanced ones, and tables in which persons own several rows, of which few count or a thousand. */
#define SBL_AUDIT_GENERATED 7
sbl_status sbl_audit_data_generate(sbl_audit_data *data, size_t which, sbl_error *err);
/* Linked tables. */
sbl_status sbl_audit_data_link(sbl_audit_data *data, sbl_error *err);
/* Privacy: reads records. */
sbl_status sbl_audit_data_read(sbl_audit_data *data, sbl_data *table, const sbl_schema *schema,
                               sbl_error *err);
void sbl_audit_data_clear(sbl_audit_data *data); /* wipes */

/* Records in memory as features take them: rows or, of whole persons, persons. */
sbl_status sbl_audit_source(sbl_source **source, const sbl_records *records, const char *name,
                            const sbl_facts *facts, const sbl_features *features, sbl_error *err);
/* The same of a whole data set. */
sbl_status sbl_audit_data_open(sbl_source **source, const sbl_audit_data *data, const sbl_features *features,
                               sbl_error *err);

#endif
