/* SPDX-License-Identifier: Apache-2.0 */
/* Text that does not depend on the locale: numbers in and out, hex, a growing string. */
#ifndef SBL_BASE_TEXT_H
#define SBL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The whole of text as a finite or infinite double in C notation ("1e-5", "inf"); surrounding
 * space, an empty string, trailing characters and NaN are refused. */
bool sbl_text_to_double(double *value, const char *text);

/* The whole of text as a decimal number without sign. */
bool sbl_text_to_u64(uint64_t *value, const char *text);

/* Shortest of %.15g, %.16g, %.17g that reads back as the same double. */
#define SBL_DOUBLE_TEXT_SIZE 32
char *sbl_double_to_text(char text[SBL_DOUBLE_TEXT_SIZE], double value);

/* Lower-case hex; text needs 2 * size + 1 bytes. */
char *sbl_hex_encode(char *text, const uint8_t *bytes, size_t size);

/* Exactly 2 * size lower-case hex digits, then the end of the string. */
bool sbl_hex_decode(uint8_t *bytes, size_t size, const char *text);

/* Length of the valid UTF-8 sequence at text (RFC 3629: no surrogates, no overlong forms), of which
 * left >= 1 bytes may be read; 0 when it is not one. */
size_t sbl_utf8_length(const char *text, size_t left);

/* The whole of text is valid UTF-8. */
bool sbl_text_is_utf8(const char *text);

/* A copy, owned by the caller (sbl_free).   Returns: SBL_OK; SBL_EMEM, "out of memory for WHAT" */
sbl_status sbl_copy_text(char **copy, const char *text, const char *what, sbl_error *err);

/* A string that grows. Zero-initialise; clear with sbl_text_clear. A failed append leaves the
 * string usable and is remembered in `failed`, so that a writer checks once at the end. */
typedef struct sbl_text {
    char *data; /* NUL-terminated once anything was appended */
    size_t length;
    size_t capacity;
    bool failed;
} sbl_text;

void sbl_text_append(sbl_text *text, const char *bytes, size_t length);
void sbl_text_printf(sbl_text *text, const char *format, ...) SBL_PRINTF(2, 3);
void sbl_text_clear(sbl_text *text);

/* Was everything appended? Returns: SBL_OK; SBL_EMEM, "out of memory for WHAT" */
sbl_status sbl_text_check(const sbl_text *text, const char *what, sbl_error *err);

/* Text that came from a file, a user or data, made safe for a reader: a terminal obeys control
 * characters, and marks of direction turn the words around them. One rule for messages, pages and
 * the words of certificates. */

/* Is a code point shown as itself? Not so: C0 and C1 controls, DEL, line and paragraph separators,
 * marks, embeddings, overrides and isolates of direction, the byte order mark, noncharacters. */
bool sbl_is_plain(uint32_t point);

/* The code point at text, which ends with NUL, and its length in bytes; 0 when there is no valid
 * UTF-8. */
size_t sbl_utf8_decode(uint32_t *point, const char *text);

/* Text as it is, but what is not plain as JSON writes it (\u0085): nothing is lost, and a string of
 * JSON stays what it was. Line ends stay. */
void sbl_text_append_plain(sbl_text *out, const char *text);

/* Does text hold a C0 control or DEL? Names that do are refused where they are declared. */
bool sbl_text_has_control(const char *text);

/* Replaces, in place, each character that is not plain and each byte that is not UTF-8 by '?'; line ends
 * stay. sbl_plain_line() (semblance/status.h) replaces them too. Returns text, which may be NULL. */
char *sbl_plain_lines(char *text);
/* What is not printable ASCII becomes '?', byte by byte. Returns text. */
char *sbl_ascii_line(char *text);

#endif
