/* SPDX-License-Identifier: Apache-2.0 */
/* The texts and exit codes of every sbl_status, expanded from the one list in semblance/status.h,
 * and the functions that fill an sbl_error. Each message passes through sbl_plain_line(), so that
 * no caller has to think of control characters in names and paths. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "semblance/version.h"

const char *sbl_status_text(sbl_status status)
{
    switch (status) {
#define SBL_STATUS_CASE(name, value, text, exit_code) \
    case name:                                        \
        return text;
        SBL_STATUS_LIST(SBL_STATUS_CASE)
#undef SBL_STATUS_CASE
    }
    return "unknown status";
}

int sbl_status_exit_code(sbl_status status)
{
    switch (status) {
#define SBL_STATUS_CASE(name, value, text, exit_code) \
    case name:                                        \
        return exit_code;
        SBL_STATUS_LIST(SBL_STATUS_CASE)
#undef SBL_STATUS_CASE
    }
    return 1;
}

static void fill(sbl_error *err, sbl_status status, const char *format, va_list arguments)
{
    _Static_assert(sizeof *err == 1024, "an sbl_error has one size in all versions");
    err->status = status;
    err->hint = SBL_HINT_NONE;
    err->file[0] = '\0';
    (void)vsnprintf(err->message, sizeof err->message, format, arguments);
    (void)sbl_plain_line(err->message);
}

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, status, format, arguments);
        va_end(arguments);
    }
    return status;
}

sbl_status sbl_fail_hint(sbl_error *err, sbl_status status, sbl_hint hint, const char *file,
                         const char *format, ...)
{
    if (err != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(err, status, format, arguments);
        va_end(arguments);
        err->hint = hint;
        if (file != NULL && strlen(file) < sizeof err->file)
            (void)snprintf(err->file, sizeof err->file, "%s", file);
    }
    return status;
}

sbl_status sbl_need(const void *pointer, const char *name, sbl_error *err)
{
    return pointer != NULL ? SBL_OK : sbl_fail(err, SBL_EARG, "argument '%s' is NULL", name);
}

const char *sbl_version(void) { return SBL_VERSION_STRING; }

sbl_status sbl_no_memory(sbl_error *err, const char *what)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for %.160s", what);
}
