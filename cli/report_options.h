/* synth --report and --evaluate. */
#ifndef SBL_CLI_REPORT_OPTIONS_H
#define SBL_CLI_REPORT_OPTIONS_H

#include "command.h"
#include "semblance/synth.h"

#define SBL_OPTIONS_REPORT                                                                       \
    {"report",                                                                                   \
     0,                                                                                          \
     "FILE",                                                                                     \
     SBL_CLI_WRITES,                                                                             \
     "also write a report in HTML: pictures of the synthetic data and the guarantee in words; "  \
     "it may be published",                                                                      \
     NULL,                                                                                       \
     NULL,                                                                                       \
     NULL},                                                                                      \
        {"evaluate",                                                                             \
         0,                                                                                      \
         "FILE",                                                                                 \
         SBL_CLI_TEXT,                                                                           \
         "held-out real rows or images: the report then compares, and is NOT PRIVATE",           \
         NULL,                                                                                   \
         NULL,                                                                                   \
         NULL},                                                                                  \
    {                                                                                            \
        "evaluate-labels", 0, "FILE", SBL_CLI_TEXT, "labels of held-out IDX images", NULL, NULL, \
            NULL                                                                                 \
    }

/* Before the run: would the report be refused? */
sbl_status sbl_cli_report_check(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_error *err);

/* After it: the public report, and with --evaluate the comparison in its place. */
sbl_status sbl_cli_report_write(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_error *err);

#endif
