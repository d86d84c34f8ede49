/* What the program says after a message of the library, which speaks no words of the program. */
#ifndef SBL_CLI_HINTS_H
#define SBL_CLI_HINTS_H

#include "semblance/status.h"

#define SBL_CLI_HINT_SIZE (SBL_ERROR_FILE_SIZE + 64)

/* "; ..." to follow the message, or "". Returns text. */
const char *sbl_cli_hint(char text[SBL_CLI_HINT_SIZE], const sbl_error *err);

#endif
