/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a ledger's line: whatever characters a value has, up to the longest that is read, every kind of field is read within
 * its buffer and written within its field. */
#include "door/ledger/ledger_line.c"

#include "proof.h"

bool sbl_hex_decode(uint8_t *bytes, size_t size, const char *text)
{
    PROVE(__CPROVER_w_ok(bytes, size), "the bytes have room");
    for (size_t i = 0; i < 2 * size; i++)
        if (text[i] == '\0') return false; /* as base/text.c: the text has 2 size digits and ends there */
    return text[2 * size] == '\0';
}
static void any_value(char value[VALUE_SIZE])
{
    for (size_t i = 0; i + 1 < VALUE_SIZE; i++) value[i] = nondet_char();
    value[VALUE_SIZE - 1] = '\0';
}

void prove_read_time(void)
{
    char value[VALUE_SIZE], time[24];
    any_value(value);
    if (read_time(time, value)) PROVE(time[20] == '\0', "a time ends where it should");
}
void prove_read_id(void)
{
    char value[VALUE_SIZE], id[SBL_LEDGER_ID_TEXT_SIZE];
    any_value(value);
    if (read_id(id, value)) PROVE(id[SBL_LEDGER_ID_TEXT_SIZE - 1] == '\0', "an id ends where it should");
}
void prove_sbl_ledger_hash_parse(void)
{
    char text[SBL_SHA256_TEXT_SIZE + 8];
    uint8_t hash[SBL_SHA256_SIZE];
    const size_t length = nondet_size();
    GIVEN(length <= sizeof text);
    for (size_t i = 0; i < sizeof text; i++) text[i] = nondet_char();
    char *exact = text + (sizeof text - length); /* it ends where the buffer does */
    (void)sbl_ledger_hash_parse(hash, exact, length);
}

/* One step of the walk over a line, from any place of it: the field's key is there or not, its value ends at a space or at the end. */
void prove_next_is(void)
{
    static char line[80];
    for (size_t i = 0; i < sizeof line; i++) line[i] = nondet_char();
    const size_t at = nondet_size(), length = nondet_size();
    GIVEN(at <= length && length <= sizeof line);
    char *start = line + (sizeof line - length);
    const field_cursor cursor = {start + at, start + length, start};
    if (next_is(&cursor, "rows_per_unit"))
        PROVE(length - at > 13, "the key and its sign are within the line");
}
