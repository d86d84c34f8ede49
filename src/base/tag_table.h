/* SPDX-License-Identifier: Apache-2.0 */
/* A number for each tag (base/kinds.h), that is, for each person. Tags are as secret as the cells they were
 * made from, so they are kept in locked pages that are wiped. 24 bytes a slot, at most half of the slots
 * used: memory grows with the number of different tags and with nothing else. */
#ifndef SBL_BASE_TAG_TABLE_H
#define SBL_BASE_TAG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"

/* Zero-initialise. */
typedef struct sbl_tag_table {
    struct sbl_tag_place *places; /* (capacity) */
    size_t capacity;              /* a power of two, or 0 */
    size_t count;                 /* tags that were asked for */
} sbl_tag_table;

/* The number of this tag, 0 on its first use; valid until the next call. NULL: out of memory. The tag must
 * name a person. */
uint64_t *sbl_tag_table_at(sbl_tag_table *table, sbl_unit_tag tag);
/* The same of a tag that was asked for before; else NULL, and nothing is kept. */
uint64_t *sbl_tag_table_find(const sbl_tag_table *table, sbl_unit_tag tag);
/* The number of some tag from place *at on, which is moved past it; NULL: there are no more. From *at = 0
 * every tag's comes once, in no order that means anything. */
uint64_t *sbl_tag_table_next(const sbl_tag_table *table, size_t *at);
void sbl_tag_table_clear(sbl_tag_table *table);

static inline bool sbl_tag_is_nobody(sbl_unit_tag tag) { return (tag.low | tag.high) == 0; }

#endif
