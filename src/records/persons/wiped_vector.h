/* SPDX-License-Identifier: Apache-2.0 */
/* A list that grows without leaving copies behind: its capacity doubles, and the old memory is wiped. */
#ifndef SBL_PERSONS_WIPED_VECTOR_H
#define SBL_PERSONS_WIPED_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as {.size}. */
typedef struct sbl_growing {
    void *items;
    size_t size; /* of one */
    size_t count, capacity;
} sbl_growing;

/* While it grows there are the old places and twice as many new ones; just after, half of these are used. */
#define SBL_GROWING_PLACES 3

/* Makes room for this number of further items, which are zero; the caller keeps the count. false: out of
 * memory */
bool sbl_growing_reserve(sbl_growing *list, size_t more);
/* One more, zero, whose number from 1 on is given; there are fewer than 2^32. 0: out of memory */
unsigned sbl_growing_add(sbl_growing *list);
void sbl_growing_clear(sbl_growing *list); /* wipes */

#endif
