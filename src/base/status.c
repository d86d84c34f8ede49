#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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

sbl_status sbl_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list arguments;
        err->status = status;
        va_start(arguments, format);
        (void)vsnprintf(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char *sbl_version(void) { return SBL_VERSION_STRING; }
