/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables of an audit: rows as text, which the real reader of CSV reads, keys included. persons <- visits <-
 * drugs is a chain, cards refer to persons as well. */
#ifndef SBL_AUDIT_LINKED_RECORDS_H
#define SBL_AUDIT_LINKED_RECORDS_H

#include "base/text.h"
#include "public/plan/facts.h"
#include "records/rows/table.h"
#include "records/source/data_source.h"
#include "records/source/source.h"

typedef enum sbl_package_table {
    SBL_PACKAGE_PERSONS,
    SBL_PACKAGE_VISITS,
    SBL_PACKAGE_DRUGS,
    SBL_PACKAGE_CARDS,
    SBL_PACKAGE_TABLES
} sbl_package_table;

/* What the cells of a row hold that are not keys. */
typedef enum sbl_package_cells {
    SBL_CELLS_LOW,
    SBL_CELLS_HIGH,
    SBL_CELLS_MIDDLE,
    SBL_CELLS_EMPTY,
    SBL_CELLS_ODD,
    SBL_CELLS_KINDS
} sbl_package_cells;

#define SBL_PACKAGE_KEY_SIZE 16

typedef struct sbl_package_row {
    sbl_package_table table;
    sbl_package_cells cells;
    unsigned in;  /* bits: the packages that have it */
    double place; /* rows are written in this order */
    char key[SBL_PACKAGE_KEY_SIZE];
    char named[SBL_PACKAGE_KEY_SIZE]; /* the key that it refers to; of the root not used */
} sbl_package_row;

/* Begins as zero. A row that found no memory is remembered in `failed`. */
typedef struct sbl_package_rows {
    sbl_package_row *items;
    size_t count, capacity;
    bool failed;
} sbl_package_rows;

void sbl_package_rows_add(sbl_package_rows *rows, const sbl_package_row *row);
void sbl_package_rows_sort(sbl_package_rows *rows);
void sbl_package_rows_clear(sbl_package_rows *rows);

/* Files in memory, and their handle. */
typedef struct sbl_package sbl_package;

/* The rows that are in all packages of the bits `in`. lone: of the root only the rows that are in no other package.
 * Owner: the caller; sbl_package_free() */
sbl_status sbl_package_write(sbl_package **package, const sbl_package_rows *rows, unsigned in, bool lone,
                             sbl_error *err);
void sbl_package_free(sbl_package *package); /* NULL is fine */

/* What is public of such packages. */
sbl_status sbl_package_facts(sbl_facts *facts, sbl_error *err);
/* Its whole persons. package: until the source is closed. */
sbl_status sbl_package_open(sbl_source **source, const sbl_package *package, const sbl_facts *facts,
                            sbl_error *err);

#endif
