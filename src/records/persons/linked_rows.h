/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the rows of linked tables by person: a person is a root row with all rows that refer to it.
 *
 *   root        its key identifies the person; without a key it is a person of its own. A person's first root row counts
 *   a child     belongs to the person whose root row has the key that it names
 *   further on  belongs to each person who has a row, in the table above, with the key that it names
 *   orphans     a row that names no key, or a key that no person has, is not kept and adds nothing
 *
 * For each person and table the first rows_per_unit rows in the order of reading are kept; a row whose
 * parent row is not kept is not kept either. So what is kept for a person follows from the person's own
 * rows, whatever others have (docs/mechanisms/histories.md). Privacy: records; wiped when cleared. */
#ifndef SBL_PERSONS_LINKED_ROWS_H
#define SBL_PERSONS_LINKED_ROWS_H

#include "base/tag_table.h"
#include "records/persons/person_batch.h"
#include "records/persons/person_rows.h"

typedef struct sbl_linked_rows sbl_linked_rows;

/* facts: of linked tables; borrowed.   Owner: the caller; sbl_linked_rows_free() */
sbl_status sbl_linked_rows_new(sbl_linked_rows **rows, const sbl_facts *facts, sbl_error *err);
void sbl_linked_rows_free(sbl_linked_rows *rows); /* wipes; NULL is fine */

/* The next table is about to be read: parents before children, each once. The root is first without this call. */
void sbl_linked_rows_begin(sbl_linked_rows *rows, size_t table);
/* Adds all rows of a batch of that table, with units (the root's own key, otherwise the key that a row
 * names) and, if other tables refer to it and it is not the root, keys. */
sbl_status sbl_linked_rows_take(sbl_linked_rows *rows, const sbl_records *batch, sbl_error *err);

/* Persons are numbered from 0 in the order in which they came. */
size_t sbl_linked_rows_persons(const sbl_linked_rows *rows);
/* One person into the batch: of each table its rows in the order of their parents, among them by the column of
 * order and by reading. Each person has one row of the root. */
void sbl_linked_rows_give(sbl_linked_rows *rows, sbl_person_batch *batch, size_t number);

/* The most bytes for each person, and for each row that is kept. */
size_t sbl_linked_person_bytes(const sbl_facts *facts);
size_t sbl_linked_row_bytes(const sbl_facts *facts);

#endif
