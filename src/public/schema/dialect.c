/* SPDX-License-Identifier: Apache-2.0 */
/* The members `dialect` and `encoding` of a schema file, read and written. A member that would
 * change how cells are read and that we do not support is refused; those that say what is the case
 * anyway are passed over. */
#include "public/schema/dialect.h"

#include <string.h>

#include "base/encoding.h"
#include "public/schema/field_fail.h"

const char *sbl_delimiter_words(char delimiter)
{
    switch (delimiter) {
    case ',':
        return "commas";
    case ';':
        return "semicolons";
    case '\t':
        return "tabs";
    case '|':
        return "bars";
    default:
        return "another sign";
    }
}

/* One ASCII character, or SBL_EINPUT. */
static sbl_status read_sign(char *sign, const json_t *value, const char *allowed, const char *name,
                            const char *where, sbl_error *err)
{
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) != 1 || strchr(allowed, text[0]) == NULL)
        return sbl_fail_schema(err, where, "dialect.%s is not one of %s", name,
                               strcmp(name, "delimiter") == 0   ? "comma, semicolon, tab, |, :, ~ and ^"
                               : strcmp(name, "quoteChar") == 0 ? "\" and '"
                                                                : "#, %, ; and !");
    *sign = text[0];
    return SBL_OK;
}

/* "headerRows": [3]: the names of the columns are in line 3. */
static sbl_status read_titles(unsigned *titles, const json_t *value, const char *where, sbl_error *err)
{
    const json_int_t line = json_integer_value(json_array_get(value, 0)); /* 0: no whole number */
    if (json_array_size(value) != 1 || line < 1 || line > SBL_MOST_TITLES + 1)
        return sbl_fail_schema(err, where, "dialect.headerRows is not a list of one line from 1 to %d",
                               SBL_MOST_TITLES + 1);
    *titles = (unsigned)(line - 1);
    return SBL_OK;
}

static sbl_status read_line_end(bool *crlf, const json_t *value, const char *where, sbl_error *err)
{
    const char *text = json_string_value(value);
    *crlf = text != NULL && strcmp(text, "\r\n") == 0;
    if (*crlf || (text != NULL && strcmp(text, "\n") == 0)) return SBL_OK;
    return sbl_fail_schema(err, where, "dialect.lineTerminator is not one of \\n and \\r\\n");
}

static sbl_status read_member(sbl_dialect *dialect, const char *key, const json_t *value, const char *where,
                              sbl_error *err)
{
    if (strcmp(key, "delimiter") == 0)
        return read_sign(&dialect->delimiter, value, ",;\t|:~^", key, where, err);
    if (strcmp(key, "quoteChar") == 0) return read_sign(&dialect->quote, value, "\"'", key, where, err);
    if (strcmp(key, "commentChar") == 0) return read_sign(&dialect->comment, value, "#%;!", key, where, err);
    if (strcmp(key, "header") == 0 && json_is_boolean(value)) {
        dialect->header = json_is_true(value);
        return SBL_OK;
    }
    if (strcmp(key, "headerRows") == 0) return read_titles(&dialect->titles, value, where, err);
    if (strcmp(key, "lineTerminator") == 0) return read_line_end(&dialect->crlf, value, where, err);
    /* Members that say what is the case anyway. */
    if (strcmp(key, "doubleQuote") == 0 && json_is_true(value)) return SBL_OK;
    if (strcmp(key, "skipInitialSpace") == 0 && json_is_boolean(value)) return SBL_OK;
    if (strcmp(key, "csvddfVersion") == 0 || strcmp(key, "$schema") == 0) return SBL_OK;
    return sbl_fail_schema(err, where,
                           "dialect.%s is not supported: delimiter, quoteChar, commentChar, "
                           "header, headerRows and lineTerminator are known",
                           key);
}

sbl_status sbl_dialect_read(sbl_dialect *dialect, const json_t *schema, const char *where, sbl_error *err)
{
    json_t *object = json_object_get(schema, "dialect");
    const json_t *encoding = json_object_get(schema, "encoding");
    const char *key;
    json_t *value;
    *dialect = SBL_DIALECT_USUAL;
    if (encoding != NULL) dialect->encoding = sbl_encoding_name(json_string_value(encoding));
    if (dialect->encoding == NULL) {
        *dialect = SBL_DIALECT_USUAL;
        return sbl_fail_schema(err, where,
                               "encoding is not one of utf-8, utf-8-sig, utf-16, utf-16le, "
                               "utf-16be, iso-8859-1, iso-8859-15 and windows-1252");
    }
    if (object == NULL) return SBL_OK;
    if (!json_is_object(object)) return sbl_fail_schema(err, where, "'dialect' is not an object");
    json_object_foreach(object, key, value)
    {
        const sbl_status status = read_member(dialect, key, value, where, err);
        if (status != SBL_OK) return status;
    }
    if (dialect->comment == dialect->delimiter)
        return sbl_fail_schema(err, where,
                               "dialect.commentChar is also the delimiter: choose another character");
    if (dialect->titles > 0 && !dialect->header)
        return sbl_fail_schema(err, where, "dialect.headerRows is given, but there is no header");
    return SBL_OK;
}

static void put(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value) == 0) return;
    json_decref(*object);
    *object = NULL;
}

void sbl_dialect_write(json_t **schema, const sbl_dialect *dialect)
{
    const sbl_dialect usual = SBL_DIALECT_USUAL;
    json_t *object = json_object();
    if (dialect->delimiter != usual.delimiter)
        put(&object, "delimiter", json_stringn(&dialect->delimiter, 1));
    if (dialect->quote != usual.quote) put(&object, "quoteChar", json_stringn(&dialect->quote, 1));
    if (dialect->comment != 0) put(&object, "commentChar", json_stringn(&dialect->comment, 1));
    if (!dialect->header) put(&object, "header", json_false());
    if (dialect->titles > 0) put(&object, "headerRows", json_pack("[I]", (json_int_t)dialect->titles + 1));
    if (dialect->crlf) put(&object, "lineTerminator", json_string("\r\n"));
    if (object == NULL || json_object_size(object) > 0)
        put(schema, "dialect", object);
    else
        json_decref(object);
    if (strcmp(dialect->encoding, usual.encoding) != 0)
        put(schema, "encoding", json_string(dialect->encoding));
}

/* Options such as a delimiter or a decimal sign, put over what a schema or the defaults say, and
 * checked for one sign that would mean two things. */

/* The sign that an option says, which was checked: itself, or its name. */
static void take_sign(char *sign, const char *text)
{
    if (text == NULL) return;
    *sign = text[0];
    if (strcmp(text, "none") == 0) *sign = 0;
    if (strcmp(text, "tab") == 0) *sign = '\t';
    if (strcmp(text, "space") == 0) *sign = ' ';
}

sbl_status sbl_dialect_apply(sbl_dialect *dialect, const sbl_data_options *given, sbl_error *err)
{
    take_sign(&dialect->delimiter, given->delimiter);
    take_sign(&dialect->quote, given->quote);
    take_sign(&dialect->comment, given->comment);
    if (given->header != NULL) dialect->header = strcmp(given->header, "yes") == 0;
    if (given->encoding != NULL) {
        const char *encoding = sbl_encoding_name(given->encoding);
        if (encoding == NULL)
            return sbl_fail(err, SBL_EARG,
                            "encoding must be utf-8, utf-8-sig, utf-16, utf-16le, utf-16be, iso-8859-1, "
                            "iso-8859-15 or windows-1252");
        dialect->encoding = encoding;
    }
    if (dialect->comment == dialect->delimiter)
        return sbl_fail(err, SBL_EARG, "comment and delimiter are the same character: choose another");
    return SBL_OK;
}

void sbl_marks_apply(char *decimal, char *group, const sbl_data_options *given)
{
    take_sign(decimal, given->decimal);
    take_sign(group, given->thousands);
}

sbl_status sbl_written_apply(sbl_written *written, const sbl_data_options *given, sbl_error *err)
{
    SBL_CHECK(sbl_dialect_apply(&written->dialect, given, err));
    sbl_marks_apply(&written->decimal_char, &written->group_char, given);
    if (written->decimal_char == written->group_char)
        return sbl_fail(err, SBL_EARG, "decimal and thousands are the same character: choose another");
    return SBL_OK;
}
