/* SPDX-License-Identifier: Apache-2.0 */
/* The program: find the command, run it, turn its status into an exit code.
 *
 * Data goes to stdout, talk to stderr. The program never calls setlocale(), so numbers are written
 * and read the same way everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "file_check.h"
#include "help.h"
#include "job_arguments.h"
#include "option_args.h"
#include "output.h"

static bool is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/* --help counts wherever it stands before "--". */
static bool asks_for_help(int count, const char *const *words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (is_help(words[i])) return true;
    return false;
}

static sbl_status needs_child(const sbl_cli_command *command, int count, const char *const *words,
                              sbl_error *err)
{
    if (count > 0)
        return sbl_cli_misuse(err, command, "'%s' needs a command before '%s'", command->name, words[0]);
    return sbl_cli_misuse(err, command, "'%s' needs one of its commands", command->name);
}

static sbl_status run_command(int count, const char *const *words, sbl_error *err)
{
    const sbl_cli_command *command = NULL;
    sbl_cli_parsed parsed;
    int used = 0;
    sbl_status status = sbl_cli_find(&command, &used, count, words, err);
    if (status != SBL_OK) return status;
    if (asks_for_help(count - used, words + used)) {
        sbl_cli_help(stdout, command, false);
        return SBL_OK;
    }
    if (command->run == NULL) return needs_child(command, count - used, words + used, err);
    status = sbl_cli_parse(&parsed, command, count - used, words + used, err);
    if (status == SBL_OK) status = sbl_cli_take_job(&parsed, err);
    if (status == SBL_OK) status = sbl_cli_check_operands(&parsed, err);
    if (status == SBL_OK) status = sbl_cli_check_files(&parsed, err);
    if (status == SBL_OK) status = command->run(&parsed, err);
    sbl_cli_parsed_clear(&parsed);
    return status;
}

static sbl_status run(int count, const char *const *words, sbl_error *err)
{
    if (is_help(words[0])) {
        sbl_cli_overview(stdout);
        return SBL_OK;
    }
    if (words[0][0] == '-')
        return sbl_cli_fail(err, SBL_EARG, "a command must come before '%s'; see 'semblance --help'",
                            words[0]);
    return run_command(count, words, err);
}

/* Threads that wait for each other by spinning, for milliseconds as OpenMP has it, stand still when other
 * programs want the cores too: a training of half a minute was seen to take seven. To sleep at once costs
 * a wake-up of each thread some fifty times in a step. So they spin for less than a turn of the scheduler
 * (libgomp; others do not know such a number, and sleep).
 * OpenMP reads this wish once, before main(), so the program starts itself again with it, unless the user
 * has one. */
#define SPINS "1000" /* some fifty microseconds */

static void wait_briefly(char **argv)
{
    static const char *const busy[] = {"ask",   "plan",   "synth",    "fit",   "resume", "sum",
                                       "train", "sample", "evaluate", "audit", "serve"};
    bool is_busy = false;
    for (size_t i = 0; i < SBL_CLI_COUNT(busy); i++)
        if (strcmp(argv[1], busy[i]) == 0) is_busy = true;
    if (!is_busy || getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", SPINS, 1) == 0)
        (void)execv("/proc/self/exe", argv);
    /* Not on this system: it works as it is, only slower in company. */
}

int main(int argc, char **argv)
{
    sbl_error err = {.status = SBL_OK};
    sbl_error flush_err = {.status = SBL_OK};
    char version[] = "version"; /* the command, for who spells it as other programs do */
    sbl_cli_occupy_standard_streams();
    if (argc < 2) { /* misuse, but a newcomer's: show what there is */
        sbl_cli_overview(stderr);
        return sbl_status_exit_code(SBL_EARG);
    }
    if (strcmp(argv[1], "--version") == 0) argv[1] = version;
    wait_briefly(argv);
    sbl_status status = run(argc - 1, (const char *const *)(argv + 1), &err);
    if (status != SBL_OK) {
        err.status = status;
        sbl_cli_print_error(&err);
    }
    if (sbl_cli_flush(&flush_err) != SBL_OK && status == SBL_OK) {
        status = SBL_EIO;
        sbl_cli_print_error(&flush_err);
    }
    return sbl_status_exit_code(status);
}
