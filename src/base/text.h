/* Text that does not depend on the locale: numbers in and out, hex, a growing string. */
#ifndef SBL_BASE_TEXT_H
#define SBL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

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

#endif
