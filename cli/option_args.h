/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines into values: --name value, --name=value, -o value, "--", "-" as an operand. */
#ifndef SBL_CLI_OPTIONS_H
#define SBL_CLI_OPTIONS_H

#include "command.h"

/* Check everything that can be checked without opening a file. The texts are borrowed from words.
 * Returns: SBL_OK; SBL_EARG naming the option and what it takes
 * Owner:   the caller; sbl_cli_parsed_clear(), also after a failure */
sbl_status sbl_cli_parse(sbl_cli_parsed *parsed, const sbl_cli_command *command, int count,
                         const char *const *words, sbl_error *err);
/* SBL_EARG where one is missing that must be there; a job file may have given it. */
sbl_status sbl_cli_check_operands(const sbl_cli_parsed *parsed, sbl_error *err);
/* One option by name, as if it had been typed after the rest; one that was typed stays as it is. text
 * NULL: a flag. Texts are copied. */
sbl_status sbl_cli_parse_one(sbl_cli_parsed *parsed, const char *name, const char *text, sbl_error *err);
void sbl_cli_parsed_clear(sbl_cli_parsed *parsed);

/* Fill what was typed into the library's options. */
sbl_status sbl_cli_fill_options(sbl_synth_options *options, const sbl_cli_parsed *parsed, sbl_error *err);

#endif
