/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in encodings other than UTF-8: streams in, lines out. */
#ifndef SBL_BASE_ENCODING_H
#define SBL_BASE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The one name that we use for an encoding, whatever its case, or NULL where it is not known: utf-8,
 * utf-8-sig (with a byte order mark), utf-16 (its first two bytes say which), utf-16le, utf-16be, iso-8859-1 (latin-1), iso-8859-15,
 * windows-1252 (cp1252). */
const char *sbl_encoding_name(const char *text);
bool sbl_encoding_is_utf8(const char *name);
/* Is it UTF-8 with a byte order mark, which is written first? It is passed over where it is read. */
bool sbl_encoding_has_mark(const char *name);

typedef struct sbl_decoder sbl_decoder;

/* From the encoding to UTF-8; name is one of sbl_encoding_name(). */
sbl_status sbl_decoder_open(sbl_decoder **decoder, const char *name, sbl_error *err);
void sbl_decoder_close(sbl_decoder *decoder); /* NULL is fine */

/* Decode some of the input. Bytes that mean nothing become U+FFFD one by one: a record's fault, not
 * the file's. last: no more input follows.
 * In:  capacity >= 8
 * Out: used, made  bytes taken and written; both 0: more input is needed */
void sbl_decoder_decode(sbl_decoder *decoder, const uint8_t *input, size_t size, bool last, uint8_t *output,
                        size_t capacity, size_t *used, size_t *made);

/* Append UTF-8 text in this encoding; begin: the first of a file (utf-16 starts with its mark).
 * Returns: SBL_OK; SBL_EINPUT where the encoding has no such character; SBL_EMEM */
sbl_status sbl_encoding_append(sbl_text *output, const char *name, const char *text, size_t length,
                               bool begin, sbl_error *err);

#endif
