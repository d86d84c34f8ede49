/* SPDX-License-Identifier: Apache-2.0 */
/* What a command writes is none of what it reads, and no ledger: one check for all commands. */
#ifndef SBL_CLI_FILE_CHECK_H
#define SBL_CLI_FILE_CHECK_H

#include <limits.h>

#include "command.h"

/* Where the library puts the files of a run: as given, or named after the output. */
typedef struct sbl_cli_run_files {
    char release[PATH_MAX];
    char certificate[PATH_MAX];
    char schema[PATH_MAX]; /* the one that was given or discovered */
} sbl_cli_run_files;
void sbl_cli_name_run_files(sbl_cli_run_files *files, const sbl_cli_parsed *parsed);

/* Options of the kind SBL_CLI_WRITES, and the files that a run names after its output, against each
 * other, all operands, and all options that name a FILE. */
sbl_status sbl_cli_check_files(const sbl_cli_parsed *parsed, sbl_error *err);

#endif
