/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says: one line per failure on stderr, style only on a terminal. */
#ifndef SBL_CLI_OUTPUT_H
#define SBL_CLI_OUTPUT_H

#include <stdio.h>

#include "command.h"

/* Fill err, which may be NULL, and return status. */
sbl_status sbl_cli_fail(sbl_error *err, sbl_status status, const char *format, ...) SBL_PRINTF(3, 4);

/* SBL_EARG, with "see 'semblance COMMAND --help'" after the message. */
sbl_status sbl_cli_misuse(sbl_error *err, const sbl_cli_command *command, const char *format, ...)
    SBL_PRINTF(3, 4);

typedef enum sbl_cli_style { SBL_CLI_PLAIN, SBL_CLI_BOLD, SBL_CLI_RED, SBL_CLI_GREEN } sbl_cli_style;

/* The escape sequence for a style on a stream: empty unless the stream is a terminal that can show
 * it and NO_COLOR is not set (no-color.org). */
const char *sbl_cli_style_on(FILE *stream, sbl_cli_style style);

/* From now on a program reads our messages: one per line, beginning with its kind. Errors are printed without the
 * program's name. If the thread that started us ends, so do we. */
void sbl_cli_speak_in_lines(void);
bool sbl_cli_speaks_in_lines(void);
/* One line, plain (sbl_plain_line), and its end: for all that names a file or a column. */
void sbl_cli_say(FILE *stream, const char *format, ...) SBL_PRINTF(2, 3);

/* "verified  CLAIM" as such a line on stdout. */
void sbl_cli_verified(const char *format, ...) SBL_PRINTF(1, 2);

/* "semblance: MESSAGE" as exactly one plain line on stderr. */
void sbl_cli_print_error(const sbl_error *err);

/* Flush stdout: data that did not arrive is a failure, whatever happened before. */
sbl_status sbl_cli_flush(sbl_error *err);

/* A descriptor 0, 1 or 2 that the caller closed would be given to the next file opened, and talk
 * would be written into it: occupy it with /dev/null, in the direction in which use fails. */
void sbl_cli_occupy_standard_streams(void);

#endif
