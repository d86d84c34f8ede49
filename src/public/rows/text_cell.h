/* A text of a record that may be a category nobody has declared: on its way from a source to a tally.
 * Privacy: a record's. */
#ifndef SBL_ROWS_TEXT_CELL_H
#define SBL_ROWS_TEXT_CELL_H

#include <stdint.h>

#define SBL_TEXT_LONGEST 64 /* bytes; a longer one is no text */

typedef struct sbl_text_cell {
    uint8_t length; /* 0: none */
    char text[SBL_TEXT_LONGEST];
} sbl_text_cell;

#endif
