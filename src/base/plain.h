/* Text that came from a file, a user or data, made safe for a reader: a terminal obeys control
 * characters, and marks of direction turn the words around them. One rule for messages, pages and
 * the words of certificates. */
#ifndef SBL_BASE_PLAIN_H
#define SBL_BASE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

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

/* In place, each character that is not plain and each byte that is no UTF-8 becomes '?'; line ends
 * stay. sbl_plain_line() (semblance/status.h) replaces them too. Returns text, which may be NULL. */
char *sbl_plain_lines(char *text);

#endif
