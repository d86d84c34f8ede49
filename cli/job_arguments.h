/* SPDX-License-Identifier: Apache-2.0 */
/* Job files: what was typed, kept for the next time. */
#ifndef SBL_CLI_JOB_FILE_H
#define SBL_CLI_JOB_FILE_H

#include "command.h"

/* The options of the job file, where one was named. */
sbl_status sbl_cli_take_job(sbl_cli_parsed *parsed, sbl_error *err);
/* The job file that was asked for, if one was. */
sbl_status sbl_cli_save_job(const sbl_cli_parsed *parsed, sbl_error *err);

#endif
