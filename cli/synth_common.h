/* What the commands around a model share: option rows, reading them, the progress bar. */
#ifndef SBL_CLI_SYNTH_COMMON_H
#define SBL_CLI_SYNTH_COMMON_H

#include "command.h"
#include "semblance/synth.h"

extern const sbl_cli_range sbl_cli_any_whole; /* 0, 1, 2, ... */
extern const sbl_cli_range sbl_cli_count;     /* 1, 2, 3, ... */
extern const char *const sbl_cli_progress_modes[];

/* Rows of option tables, one per option name; those of a fit stand in the library's table. */
#define SBL_OPTION_SCHEMA                                                              \
    {                                                                                  \
        "schema", 0, "FILE", SBL_CLI_TEXT,                                             \
            "the public facts about the columns (Table Schema JSON)", NULL, NULL, NULL \
    }
#define SBL_OPTION_SCHEMA_OR_BUY                                                   \
    {                                                                              \
        "schema", 0, "FILE", SBL_CLI_TEXT,                                         \
            "the public facts about the columns (Table Schema JSON)",              \
            "discovered with a part of the budget, OUTPUT.schema.json", NULL, NULL \
    }
#define SBL_OPTION_OUTPUT(help, standard)                                 \
    {                                                                     \
        "output", 'o', "FILE", SBL_CLI_WRITES, help, standard, NULL, NULL \
    }
#define SBL_OPTION_ROWS                                                       \
    {                                                                         \
        "rows", 'n', "N", SBL_CLI_WHOLE, "number of rows or images to write", \
            "as many as were fitted", &sbl_cli_count, NULL                    \
    }
#define SBL_OPTION_QUIET                                                               \
    {                                                                                  \
        "quiet", 'q', NULL, SBL_CLI_FLAG, "say nothing but failures", NULL, NULL, NULL \
    }
#define SBL_OPTION_PROGRESS                                                    \
    {                                                                          \
        "progress", 0, "WHEN", SBL_CLI_CHOICE,                                 \
            "progress bar: never, auto (on a terminal), always", "auto", NULL, \
            sbl_cli_progress_modes                                             \
    }

/* Rows that always come together. */
#define SBL_OPTIONS_RUNNING SBL_OPTION_QUIET, SBL_OPTION_PROGRESS
#define SBL_OPTION_VERBOSE                                                                        \
    {                                                                                             \
        "verbose", 'v', NULL, SBL_CLI_FLAG, "say all that the certificate says, hashes included", \
            NULL, NULL, NULL                                                                      \
    }

/* Library options from what was typed, with notices to stderr and a progress bar where one is
 * wanted. Ctrl-C and SIGTERM during the work stop it cleanly; one that comes two seconds later, or
 * more, ends the program at once. */
sbl_status sbl_cli_synth_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                 sbl_error *err);
/* After a job: the promise, what was written, how long it took; all of the statement with --verbose,
 * nothing with --quiet. */
void sbl_cli_show_success(const sbl_cli_parsed *parsed, const char *statement);
/* Clear the bar's line. */
void sbl_cli_progress_end(void);

bool sbl_cli_is_quiet(const sbl_cli_parsed *parsed);

/* Of a table without --schema: say what discovered one and where it stands, in one line. */
void sbl_cli_say_discovered(const sbl_cli_parsed *parsed, const sbl_synth_options *synth);

#endif
