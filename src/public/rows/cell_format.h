/* SPDX-License-Identifier: Apache-2.0 */
/* Text of one cell, independent of the locale. */
#ifndef SBL_ROWS_CELL_FORMAT_H
#define SBL_ROWS_CELL_FORMAT_H

#include "public/schema/schema_type.h"

/* Room for any number with its marks, date or datetime. */
#define SBL_CELL_TEXT_SIZE (48 + 2 * SBL_AFFIX_MOST)

/* The text of a number, date or datetime after sbl_column_snap; returns its length. No final NUL.
 */
size_t sbl_cell_format(char text[SBL_CELL_TEXT_SIZE], const sbl_column *column, double value);

/* Append a cell of text, which may hold any byte, quoted where RFC 4180 or a careful reader needs it.
 * alone: it is the only cell of its row, so that an empty one must not look like an empty line. */
void sbl_cell_quote(sbl_text *line, const char *cell, size_t length, bool alone, const sbl_dialect *dialect);

#endif
