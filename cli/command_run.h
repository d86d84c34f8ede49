/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands around a model share: reading their options, the progress bar, image sets, the
 * report. */
#ifndef SBL_CLI_RUN_H
#define SBL_CLI_RUN_H

#include "command.h"
#include "option_rows.h"
#include "semblance/data.h"
#include "semblance/synthesizer.h"

/* Library options from what was typed, with notices to stderr and a progress bar where one is
 * wanted. Ctrl-C and SIGTERM during the work stop it cleanly; one that comes two seconds later, or
 * more, ends the program at once. */
sbl_status sbl_cli_synth_options(sbl_synth_options *options, const sbl_cli_parsed *parsed, sbl_error *err);
/* Begin to show how far the work is, and to catch signals: for the progress of any options. */
sbl_progress sbl_cli_progress_begin(const sbl_cli_parsed *parsed);
/* After a job: the statement, what was written, how long it took; nothing with --quiet. */
void sbl_cli_show_success(const sbl_cli_parsed *parsed, const char *statement);
/* After a release of a run in parts: the same of the promise, and what was written. */
void sbl_cli_show_release(const sbl_cli_parsed *parsed, const char *statement);
/* Clear the bar's line. */
void sbl_cli_progress_end(void);

/* For a table without --schema: say in one line what discovered one and where it is. */
void sbl_cli_say_discovered(const sbl_cli_parsed *parsed, const sbl_synth_options *synth);

/* ---- records ---- */

/* SBL_EARG: an option of data that was given does not go with --images, --package, or a table. */
sbl_status sbl_cli_check_data_options(const sbl_cli_parsed *parsed, sbl_error *err);

/* Was --images given? And --package? */
bool sbl_cli_wants_images(const sbl_cli_parsed *parsed);
bool sbl_cli_wants_package(const sbl_cli_parsed *parsed);
sbl_images_format sbl_cli_image_format(const sbl_cli_parsed *parsed);

/* How records are read, as was typed: a table or an image set. */
sbl_data_options sbl_cli_data_options(const sbl_cli_parsed *parsed);
/* The same for a table that this program wrote, or for none (NULL): how it is written, not where it is in a
 * database. */
sbl_data_options sbl_cli_written_options(const sbl_cli_parsed *parsed, const char *path);
/* The records at a path; NULL where the path is. */
sbl_status sbl_cli_open(sbl_data **data, const char *path, const sbl_data_options *options, sbl_error *err);
/* The same of a package, or of a folder that holds one as datapackage.json. */
sbl_status sbl_cli_open_package(sbl_data **data, const char *path, const sbl_data_options *options,
                                sbl_error *err);

/* A command takes a table, its operand with --schema, or --images, or --package: one of them. */
sbl_status sbl_cli_check_input(const sbl_cli_parsed *parsed, sbl_error *err);
/* Where its records are, after that. */
const char *sbl_cli_input(const sbl_cli_parsed *parsed);

/* ---- runs into files ---- */

/* Fit what the command names, or go on with such a fit.
 * Out: synth   what it left; the caller's, also on failure
 * In:  output  its schema is set here */
sbl_status sbl_cli_fit_files(sbl_synthesizer **synth, const sbl_cli_parsed *parsed, bool resume,
                             sbl_output *output, const sbl_synth_options *options, sbl_error *err);
/* Out: text  sbl_free() */
sbl_status sbl_cli_plan(char **text, const sbl_cli_parsed *parsed, uint64_t n, bool json,
                        const sbl_synth_options *options, sbl_error *err);

/* The plan of a run in parts, of which the schema and the number of rows were typed. */
sbl_status sbl_cli_save_plan(const sbl_cli_parsed *parsed, const sbl_synth_options *options, sbl_error *err);

/* ---- questions (cmd_ask.c) ---- */

/* Was a question asked, or something about one? */
bool sbl_cli_has_questions(const sbl_cli_parsed *parsed);
/* Make the options ask what was typed. text: which options borrow; sbl_free(). */
sbl_status sbl_cli_ask(sbl_synth_options *synth, char **text, const sbl_cli_parsed *parsed, sbl_error *err);

/* ---- the report of synth ---- */

/* Before the run: would the report be refused? */
sbl_status sbl_cli_report_check(const sbl_cli_parsed *parsed, const sbl_synth_options *synth, sbl_error *err);

/* Of --intervals, as sbl_report_options.draws. */
sbl_status sbl_cli_report_draws(uint64_t *draws, const sbl_cli_parsed *parsed, sbl_error *err);

/* After it: the public report, and with --evaluate the comparison in its place. */
sbl_status sbl_cli_report_write(const sbl_cli_parsed *parsed, const sbl_synth_options *synth,
                                sbl_synthesizer *made, sbl_error *err);

#endif
