/* Job files: what was typed, kept for the next time. */
#ifndef SBL_CLI_JOB_FILE_H
#define SBL_CLI_JOB_FILE_H

#include "command.h"

/* Rows of option tables. */
#define SBL_OPTIONS_JOB                                                                           \
    {"job",                                                                                       \
     0,                                                                                           \
     "FILE",                                                                                      \
     SBL_CLI_TEXT,                                                                                \
     "take options from this JSON file; what is typed beside it counts",                          \
     NULL,                                                                                        \
     NULL,                                                                                        \
     NULL},                                                                                       \
    {                                                                                             \
        "save-job", 0, "FILE", SBL_CLI_WRITES, "write what was typed to such a file", NULL, NULL, \
            NULL                                                                                  \
    }

/* The options of the job file, where one was named. */
sbl_status sbl_cli_take_job(sbl_cli_parsed *parsed, sbl_error *err);
/* The job file that was asked for, if one was. */
sbl_status sbl_cli_save_job(const sbl_cli_parsed *parsed, sbl_error *err);

#endif
