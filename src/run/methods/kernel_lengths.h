/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of kernel lengths, as options give them: "0.05,0.2,age=0.1". A length is in units of a column's range, so
 * nothing of it comes from the data. */
#ifndef SBL_METHODS_KERNEL_LENGTHS_H
#define SBL_METHODS_KERNEL_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/plan/facts.h"

#define SBL_LENGTH_LEAST 1e-3
#define SBL_LENGTH_MOST 1e2
#define SBL_EVERY_COLUMN ((size_t)-1)

/* One item: LENGTH, or COLUMN=LENGTH; LENGTH:ORDER where orders are allowed. */
typedef struct sbl_kernel_length {
    size_t column; /* place among the numbers of a record, or SBL_EVERY_COLUMN */
    double length;
    uint64_t order; /* 0: not given */
} sbl_kernel_length;

typedef struct sbl_kernel_lengths {
    sbl_kernel_length *items; /* owned: sbl_free() */
    size_t count;
} sbl_kernel_lengths;

/* The items of text, in their order. option: its name, for messages.
 * Returns: SBL_OK; SBL_EARG: a length out of range, an order that is not 1 to 500 or not allowed, a name that is not
 *          a column of numbers; SBL_EMEM. lengths are cleared then */
sbl_status sbl_kernel_lengths_read(sbl_kernel_lengths *lengths, const char *text, bool orders,
                                   const char *option, const sbl_facts *facts, sbl_error *err);
void sbl_kernel_lengths_clear(sbl_kernel_lengths *lengths);
/* How many items are for every column? */
size_t sbl_kernel_lengths_general(const sbl_kernel_lengths *lengths);
/* Refuses a list that names a column twice. */
sbl_status sbl_kernel_lengths_once(const sbl_kernel_lengths *lengths, const char *option, sbl_error *err);

/* The place of a column among the numbers of a record; false: it is not a column of numbers. */
bool sbl_number_column(size_t *place, const sbl_facts *facts, const char *name, size_t length);

#endif
