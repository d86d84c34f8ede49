/* SPDX-License-Identifier: Apache-2.0 */
/* A text of a record that may be an undeclared category, on its way from a source to a tally.
 * Privacy: part of a record. */
#ifndef SBL_ROWS_TEXT_CELL_H
#define SBL_ROWS_TEXT_CELL_H

#include <stdint.h>

#define SBL_TEXT_LONGEST 64 /* bytes; a longer one does not count as text */

typedef struct sbl_text_cell {
    uint8_t length; /* 0: none */
    char text[SBL_TEXT_LONGEST];
} sbl_text_cell;

#endif
