/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a ledger as text. One table of fields per kind of line drives writing and reading, so both
 * always agree (docs/FORMATS.md). No floating point. */
#ifndef SBL_LEDGER_LEDGER_LINE_H
#define SBL_LEDGER_LEDGER_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "door/ledger/ledger_book.h"

#define SBL_LEDGER_LINE_LIMIT 4096 /* bytes of a line, LF included */

/* Append the line's fields, without h= and LF. version: of the ledger. */
void sbl_ledger_first_format(sbl_text *text, const sbl_ledger_view *view);
void sbl_ledger_line_format(sbl_text *text, const sbl_ledger_line *line, unsigned version);

/* Read the fields before h=. Out: *body is the number of bytes they take.
 * Returns: NULL, or the name of the first field that is missing or malformed */
const char *sbl_ledger_first_parse(sbl_ledger_view *view, size_t *body, const char *text, size_t length);
const char *sbl_ledger_line_parse(sbl_ledger_line *line, size_t *body, const char *text, size_t length,
                                  unsigned version);

/* A new id; and the first line of a new ledger with its hash and LF, as a reader accepts it. The view has id and
 * facts, and is filled. */
sbl_status sbl_ledger_make_id(char text[SBL_LEDGER_ID_TEXT_SIZE], sbl_error *err);
sbl_status sbl_ledger_format_first(sbl_text *text, sbl_ledger_view *view, const char *path, sbl_error *err);

/* Exactly " h=" and 64 hex digits. */
bool sbl_ledger_hash_parse(uint8_t hash[SBL_SHA256_SIZE], const char *text, size_t length);

/* SHA-256 over previous (as hex) and body. */
sbl_status sbl_ledger_hash(uint8_t hash[SBL_SHA256_SIZE], const uint8_t previous[SBL_SHA256_SIZE],
                           const char *body, size_t length, sbl_error *err);

/* "RESERVE", "COMMIT", "VOID", "LIMIT", "REPAIR", "SUCCEED". */
const char *sbl_ledger_op_name(sbl_ledger_op op);

/* "line", "stated", "rest". */
const char *sbl_repair_basis_name(sbl_repair_basis basis);

#endif
