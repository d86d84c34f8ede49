/* SPDX-License-Identifier: Apache-2.0 */
/* A cell's answer to a probe (public/schema/probe.h): a total function of the cell's bytes. */
#ifndef SBL_ROWS_PROBE_CELL_H
#define SBL_ROWS_PROBE_CELL_H

#include "public/schema/probe.h"

/* text NULL: a cell that is not there or cannot be read, which is text of no kind. Blanks around a
 * cell count for nothing. Below sbl_probe_answers().
 * Privacy: as sensitive as the cell. */
uint32_t sbl_probe_cell(const sbl_probe *probe, const char *text, size_t length);

/* The part of a cell that can be a category that was not known beforehand, without the blanks around
 * it: 1 to longest bytes of UTF-8 without control characters that do not mean "missing". NULL: none.
 */
const char *sbl_key_of_cell(size_t *length, const char *text, size_t size, size_t longest);

#endif
