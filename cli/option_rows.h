/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of options that several commands have, once; and the options of a command: its own, then
 * those that the library's table has for its steps (semblance/options.h). */
#ifndef SBL_CLI_ROWS_H
#define SBL_CLI_ROWS_H

#include "command.h"
#include "semblance/files.h"

extern const sbl_cli_range sbl_cli_positive;        /* (0, inf) */
extern const sbl_cli_range sbl_cli_positive_or_inf; /* (0, inf] */
extern const sbl_cli_range sbl_cli_fraction;        /* (0, 1) */
extern const sbl_cli_range sbl_cli_interval_draws;  /* 0, 2, ..., 1000 */
extern const sbl_cli_range sbl_cli_any_whole;       /* 0, 1, 2, ... */
extern const sbl_cli_range sbl_cli_count;           /* 1, 2, 3, ... */
extern const sbl_cli_range sbl_cli_to_billion;      /* 1 to 1e9 */
extern const char *const sbl_cli_relations[];       /* as sbl_neighbours */
extern const char *const sbl_cli_image_formats[];
extern const char *const sbl_cli_progress_modes[];

/* ---- tables and images ---- */

#define SBL_OPTION_SCHEMA_OR(standard) \
    SBL_FILE_ROW("schema", "the public facts about the columns (Table Schema JSON)", standard, SBL_OFTEN)
#define SBL_OPTION_SCHEMA SBL_OPTION_SCHEMA_OR(NULL)
#define SBL_OPTION_SCHEMA_OR_DISCOVER \
    SBL_OPTION_SCHEMA_OR("discovered with a part of the budget, OUTPUT" SBL_ENDING_SCHEMA)
#define SBL_OPTION_PACKAGE                                                                      \
    SBL_FILE_ROW("package",                                                                     \
                 "instead of one table, linked tables: a Data Package (JSON) that names their " \
                 "files, describes their columns and says which keys link them",                \
                 NULL, SBL_OFTEN)
#define SBL_OPTION_OUTPUT(help, standard) SBL_WRITES_ROW("output", 'o', help, standard, SBL_OFTEN)
#define SBL_OPTION_MODEL(help) SBL_WRITES_ROW("model", 'm', help, NULL, SBL_OFTEN)
#define SBL_OPTION_OVERWRITE(help) SBL_FLAG_ROW("overwrite", 'f', help, SBL_OFTEN)
#define SBL_OPTION_ROWS(help, standard) \
    SBL_WHOLE_ROW("rows", 'n', "N", help, standard, &sbl_cli_count, SBL_OFTEN)
#define SBL_OPTION_PERSONS                                                                         \
    SBL_WHOLE_ROW("persons", 0, "N",                                                               \
                  "for the method histories, instead of --rows: number of persons to write, each " \
                  "with all its rows in all tables; --rows writes exactly that number of rows, "   \
                  "and the last person may lack some",                                             \
                  NULL, &sbl_cli_count)
#define SBL_OPTION_REPLICATES                                                                            \
    SBL_WHOLE_ROW("replicates", 0, "M",                                                                  \
                  "M tables instead of one, in the folder of --output: 01.csv, 02.csv, ...; or all in "  \
                  "one file, with a column replicate, if --output ends in .csv. Each is drawn from the " \
                  "posterior given the releases, at no cost in privacy. Run an analysis on each, then "  \
                  "combine the results into one valid interval. 20 is usual. Methods pairs, forest, "    \
                  "histories, marginals",                                                                \
                  NULL, &sbl_cli_count)
#define SBL_OPTION_IMAGES                                                                                   \
    SBL_FILE_ROW("images",                                                                                  \
                 "instead of a table, private images: IDX, CIFAR binary, or a folder of PNG or JPEG files", \
                 NULL, SBL_OFTEN)
#define SBL_OPTIONS_IMAGE_OUTPUT                                                           \
    SBL_CHOICE_ROW("format", "F", "for synthetic images: idx (always gzip) or png", "idx", \
                   sbl_cli_image_formats),                                                 \
        SBL_WRITES_ROW("preview", 0, "also a PNG of some images of every class", NULL)

/* shown: in the short help, too. */
#define SBL_OPTIONS_QUESTIONS(shown)                                                                      \
    SBL_CLI_ROW("count", 0, "A,B", SBL_CLI_LINES,                                                         \
                "count the rows of each combination of these categories; may be given several times",     \
                .standard = NULL, .often = (shown)),                                                      \
        SBL_TEXT_ROW("sum", "X,Y", "sums of these numbers, one question each", NULL, .often = (shown)),   \
        SBL_TEXT_ROW("mean", "X,Y", "means of these numbers, one question each", NULL, .often = (shown)), \
        SBL_TEXT_ROW("by", "A,B", "divide each sum and mean by these categories", "over all rows",        \
                     .often = (shown)),                                                                   \
        SBL_CLI_ROW("regress", 0, "FORMULA", SBL_CLI_LINES,                                               \
                    "linear regression, 'cost ~ age + sex + ward'; may be given several times",           \
                    .standard = NULL, .often = (shown)),                                                  \
        SBL_TEXT_ROW("weight", "W,W",                                                                     \
                     "parts of the budget (mu^2), one number for each question in the order count, sum, " \
                     "mean, regress",                                                                     \
                     "equal parts"),                                                                      \
        SBL_FILE_ROW("questions",                                                                         \
                     "more questions, as JSON: {\"questions\": [{\"count\": [\"ward\"]}, ...]}", NULL)

/* ---- how a run reports, and what it was told ---- */

#define SBL_OPTION_QUIET SBL_FLAG_ROW("quiet", 'q', "print nothing but failures")
#define SBL_OPTION_PROGRESS                                                                                \
    SBL_CHOICE_ROW("progress", "WHEN",                                                                     \
                   "progress bar: never, auto (on a terminal), always; or lines, for programs: 'progress " \
                   "WHAT STEP STEPS', 'advice TEXT', 'error TEXT'",                                        \
                   "auto", sbl_cli_progress_modes)
#define SBL_OPTIONS_RUNNING SBL_OPTION_QUIET, SBL_OPTION_PROGRESS
#define SBL_OPTION_VERBOSE \
    SBL_FLAG_ROW("verbose", 'v', "print all that the certificate says, hashes included")
#define SBL_OPTIONS_JOB                                                                                      \
    SBL_FILE_ROW("job", "take options from this JSON file; what is typed beside it takes precedence", NULL), \
        SBL_WRITES_ROW("save-job", 0, "write the options that were typed to such a file", NULL)
/* Intervals of a public report. */
#define SBL_OPTION_INTERVALS                                                                             \
    SBL_WHOLE_ROW(                                                                                       \
        "intervals", 0, "N",                                                                             \
        "models to draw for the intervals on bars and cells of the public report; 0: no intervals", "6", \
        &sbl_cli_interval_draws)
#define SBL_OPTION_PICTURES                                                                               \
    SBL_WRITES_ROW("pictures", 0, "also write the shares and intervals of the report's pictures as JSON", \
                   NULL, 0)

#define SBL_OPTIONS_REPORT                                                                                \
    SBL_WRITES_ROW("report", 0,                                                                           \
                   "also write a report in HTML: pictures of the synthetic data and the guarantee "       \
                   "in words; it may be published",                                                       \
                   NULL, SBL_OFTEN),                                                                      \
        SBL_FILE_ROW("evaluate",                                                                          \
                     "held-out real rows or images: the report then compares, and is NOT PRIVATE", NULL), \
        SBL_FILE_ROW("evaluate-labels", "labels of held-out IDX images", NULL), SBL_OPTION_INTERVALS,     \
        SBL_OPTION_PICTURES

/* ---- the options of a command ---- */

/* Its own come first, in their places, then the library's, those of data last. One of its own hides the library's of
 * that name, whose field it fills. */
size_t sbl_cli_option_count(const sbl_cli_command *command);
sbl_cli_option sbl_cli_option_at(const sbl_cli_command *command, size_t index);
/* The place of the option whose name is the first length bytes of name; false: there is none. */
bool sbl_cli_find_option(size_t *place, const sbl_cli_command *command, const char *name, size_t length);
/* A row of the library's table as one of the program's. */
sbl_cli_option sbl_cli_as_option(const sbl_option *option);

/* Is it one that says how the data is read? */
bool sbl_cli_is_of_data(const sbl_cli_command *command, size_t index);
/* Is it one of some methods only, which 'semblance help METHOD' shows? */
bool sbl_cli_is_of_methods(const sbl_cli_command *command, size_t index);
/* Has the method this option, which not every method has? */
bool sbl_cli_method_has(const char *method, const sbl_option *option);

#endif
