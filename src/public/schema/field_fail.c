/* SPDX-License-Identifier: Apache-2.0 */
/* The two prefixes of the schema reader's messages, "FILE: " and "FILE: column 'NAME' ". */
#include "public/schema/field_fail.h"

#include <stdarg.h>
#include <stdio.h>

sbl_status sbl_fail_schema(sbl_error *err, const char *where, const char *format, ...)
{
    char text[SBL_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sbl_fail(err, SBL_EINPUT, "%s: %s", where, text);
}

sbl_status sbl_fail_column(const sbl_field_place *at, const char *format, ...)
{
    char text[SBL_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sbl_fail(at->err, SBL_EINPUT, "%s: column '%s' %s", at->where, at->name, text);
}

sbl_status sbl_fail_column_memory(const sbl_field_place *at) { return sbl_no_memory(at->err, at->where); }
