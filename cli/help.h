/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as text for a terminal of 80 columns (help.c) and as a man page (manual.c). */
#ifndef SBL_CLI_HELP_H
#define SBL_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "command.h"

typedef struct sbl_cli_exit_code {
    int code;
    const char *meaning;
} sbl_cli_exit_code;

extern const sbl_cli_exit_code sbl_cli_exit_codes[];
extern const size_t sbl_cli_exit_code_count;

/* What the program is, in one sentence, and what it promises of itself; for both forms. */
extern const char sbl_cli_program_summary[];
extern const char sbl_cli_program_description[];

/* Headings of the library's options. */
#define SBL_CLI_OF_DATA "How the data is read"
#define SBL_CLI_OF_RUN "Options of the run"

/* Every command takes it. */
extern const sbl_cli_option sbl_cli_help_option;

/* What "semblance --help" prints. */
void sbl_cli_overview(FILE *out);

/* What "semblance COMMAND --help" prints: purpose, usage, the options that most people need and one example. all:
 * every option, the description and every example, as "semblance help COMMAND --all" prints. */
void sbl_cli_help(FILE *out, const sbl_cli_command *command, bool all);

/* What "semblance help METHOD" prints: the options that not every method has. */
void sbl_cli_method_help(FILE *out, const sbl_method_facts *method);

/* The same in the man(7) macros; command is NULL for semblance(1). The page of a subcommand is that of
 * its command. */
void sbl_cli_manual(FILE *out, const sbl_cli_command *command);

/* The names of all pages, one a line: semblance, semblance-synth, ..., semblance-ledger-init, ... */
void sbl_cli_manual_list(FILE *out);

/* The first way to use a command, out of its list; the rest of the list, NULL after the last. */
const char *sbl_cli_usage_line(char line[256], const char *usage);

#endif
