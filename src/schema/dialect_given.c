/* Options such as a delimiter or a decimal sign, put over what a schema or the defaults say, and
 * checked for one sign that would mean two things. */
#include "schema/dialect_given.h"

#include <string.h>

#include "base/encoding.h"

/* A sign as it was said; false where it is none of those that are allowed. */
static bool take_sign(char *sign, const char *text, const char *allowed, bool may_be_none)
{
    if (text == NULL) return true;
    if (may_be_none && strcmp(text, "none") == 0) {
        *sign = 0;
        return true;
    }
    if (strcmp(text, "tab") == 0) text = "\t";
    if (strcmp(text, "space") == 0) text = " ";
    if (strlen(text) != 1 || strchr(allowed, text[0]) == NULL) return false;
    *sign = text[0];
    return true;
}

sbl_status sbl_dialect_apply(sbl_dialect *dialect, const sbl_dialect_given *given, sbl_error *err)
{
    if (!take_sign(&dialect->delimiter, given->delimiter, ",;\t|:~^", false))
        return sbl_fail(err, SBL_EARG, "delimiter must be , or ; or tab or | or : or ~ or ^");
    if (!take_sign(&dialect->quote, given->quote, "\"'", false))
        return sbl_fail(err, SBL_EARG, "quote must be \" or '");
    if (!take_sign(&dialect->comment, given->comment, "#%;!", true))
        return sbl_fail(err, SBL_EARG, "comment must be none or # or %% or ; or !");
    if (given->header != NULL) dialect->header = strcmp(given->header, "no") != 0;
    if (given->encoding != NULL) {
        const char *encoding = sbl_encoding_name(given->encoding);
        if (encoding == NULL)
            return sbl_fail(err, SBL_EARG,
                            "encoding must be utf-8, utf-16, utf-16le, utf-16be, iso-8859-1, "
                            "iso-8859-15 or windows-1252");
        dialect->encoding = encoding;
    }
    if (dialect->comment == dialect->delimiter)
        return sbl_fail(err, SBL_EARG, "comment and delimiter are one sign: say another");
    return SBL_OK;
}

static sbl_status take_marks(char *decimal, char *group, const sbl_dialect_given *given,
                             sbl_error *err)
{
    if (!take_sign(decimal, given->decimal, ".,", false))
        return sbl_fail(err, SBL_EARG, "decimal must be . or ,");
    if (!take_sign(group, given->thousands, ".,'_ ", true))
        return sbl_fail(err, SBL_EARG, "thousands must be none or . or , or ' or _ or space");
    return SBL_OK;
}

sbl_status sbl_written_apply(sbl_written *written, const sbl_dialect_given *given, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_dialect_apply(&written->dialect, given, err));
    SBL_TRY(take_marks(&written->decimal_char, &written->group_char, given, err));
    if (written->decimal_char == written->group_char)
        SBL_FAIL(err, SBL_EARG, "decimal and thousands are one sign: say another");
done:
    return status;
}

sbl_status sbl_schema_apply_dialect(sbl_schema *schema, const sbl_dialect_given *given,
                                    sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_dialect_apply(&schema->dialect, given, err));
    for (size_t i = 0; i < schema->column_count; i++) {
        sbl_column *column = &schema->columns[i];
        if (column->type != SBL_TYPE_INTEGER && column->type != SBL_TYPE_NUMBER) continue;
        SBL_TRY(take_marks(&column->decimal_char, &column->group_char, given, err));
        if (column->decimal_char == column->group_char)
            SBL_FAIL(err, SBL_EARG, "decimal and thousands are one sign in column '%s': say both",
                     column->name);
    }
done:
    return status;
}
