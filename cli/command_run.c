/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands around a model share: the progress bar, signals, the words after a run, and
 * library options from what was typed. Nothing shown may depend on private records: while they are
 * read the bar is not redrawn, and the time that is reported begins after the last reading. */
#include "command_run.h"

#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "option_args.h"
#include "output.h"

#define BAR_WIDTH 30
#define SAME_WISH_MS 2000 /* between signals that ask for one thing */

void sbl_cli_say_discovered(const sbl_cli_parsed *parsed, const sbl_synth_options *synth)
{
    const char *output = sbl_cli_text(parsed, "output");
    const double share = synth->discover_share != 0.0 ? synth->discover_share : 0.1;
    if (output == NULL) output = sbl_cli_text(parsed, "model");
    if (sbl_cli_text(parsed, "schema") != NULL || sbl_cli_wants_images(parsed) ||
        sbl_cli_wants_package(parsed) || sbl_cli_is_quiet(parsed) || sbl_cli_speaks_in_lines())
        return;
    if (strcmp(output, "-") == 0) output = sbl_cli_text(parsed, "release");
    sbl_cli_say(stderr,
                "semblance: no --schema: %g %% of the budget was spent on discovering one, %s.schema.json; a "
                "schema that you write costs nothing",
                100.0 * share, output != NULL ? output : "OUTPUT");
}

/* ---- progress ---- */

/* When the first signal came, in milliseconds; 0: none has. The handler sets it from any thread. */
static atomic_llong interrupted;
static bool is_shown; /* how far it is */
static bool bar_is_shown;
static uint64_t drawn_rows; /* of the run at hand */
static double last_read;    /* when a record was read last */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first asks for a clean end. timeout(1) and shells send one signal twice, to the process and to
 * its group: what comes soon after is the same wish. A later one ends the program at once. */
static void on_interrupt(int signal_number)
{
    long long first = 0;
    const long long time = (long long)(1e3 * now()) + 1;
    if (atomic_compare_exchange_strong(&interrupted, &first, time) || time - first < SAME_WISH_MS) return;
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

/* One line that is written over: what, how far, the loss, the time left. */
static void draw_bar(const char *what, uint64_t step, uint64_t steps, double loss, double elapsed)
{
    char bar[BAR_WIDTH + 1];
    if (steps == 0) {
        (void)fprintf(stderr, "\r\033[K%s", what);
        if (step != 0) (void)fprintf(stderr, " %llu rows", (unsigned long long)step);
        return;
    }
    const size_t filled = (size_t)(BAR_WIDTH * step / steps);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', filled);
    bar[BAR_WIDTH] = '\0';
    const double left = step > 0 ? elapsed * (double)(steps - step) / (double)step : 0.0;
    (void)fprintf(stderr, "\r\033[K%s [%s] %3d %%", what, bar, (int)(100 * step / steps));
    if (loss != 0.0) (void)fprintf(stderr, "  loss %.4g", loss);
    (void)fprintf(stderr, "  %.0f s left", left);
}

/* A line for a program. Without steps, step counts records, and is not told. */
static void write_line(const char *what, uint64_t step, uint64_t steps)
{
    (void)fprintf(stderr, "progress %s %llu %llu\n", what, (unsigned long long)(steps != 0 ? step : 0),
                  (unsigned long long)steps);
}

static int show_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    static double started;
    static double drawn;
    static const char *stage;
    const bool bar = is_shown;
    (void)context;
    if (atomic_load(&interrupted) != 0) return 1;
    if (strcmp(what, "sampling") == 0) drawn_rows = steps;
    if (strcmp(what, "reading") == 0) last_read = now();
    if (!bar) return 0;
    const double t = now();
    const bool begins = stage != what;
    if (begins) {
        stage = what;
        started = t;
        drawn = 0.0;
    }
    /* Nothing is known of how far it is: drawing it again would count the batches, and so the
     * records where their number is private. */
    const bool lines = sbl_cli_speaks_in_lines();
    if (!begins && steps == 0 && (step == 0 || lines)) return 0;
    if (!(begins && lines) && t - drawn < 0.1 && step != steps) return 0;
    drawn = t;
    if (lines)
        write_line(what, step, steps);
    else
        draw_bar(what, step, steps, loss, t - started);
    (void)fflush(stderr);
    bar_is_shown = !lines;
    return 0;
}

void sbl_cli_progress_end(void)
{
    if (bar_is_shown) (void)fputs("\r\033[K", stderr);
    bar_is_shown = false;
}

static void show_notice(void *context, const char *name)
{
    (void)context;
    sbl_cli_progress_end();
    sbl_cli_say(stderr, "semblance: column '%s' is not in the schema and is left out", name);
}

static void show_advice(void *context, sbl_advice_kind kind, const char *line)
{
    static const char *const words[] = {
        [SBL_ADVICE_PLAN] = "",
        [SBL_ADVICE_SCHEMA] = "; see 'semblance schema check SCHEMA INPUT'",
        [SBL_ADVICE_LEDGER] = "; --ledger names one for all",
        [SBL_ADVICE_INSPECTED] = " with 'semblance schema accept SCHEMA'",
        [SBL_ADVICE_ESTIMATE] = "",
    };
    (void)context;
    sbl_cli_progress_end();
    if (sbl_cli_speaks_in_lines())
        sbl_cli_say(stderr, "advice %s", line);
    else
        sbl_cli_say(stderr, "semblance: %s%s", line, (size_t)kind < SBL_CLI_COUNT(words) ? words[kind] : "");
}

static void no_notice(void *context, const char *name)
{
    (void)context;
    (void)name;
}

/* ---- after success ---- */

void sbl_cli_show_success(const sbl_cli_parsed *parsed, const char *statement)
{
    const char *output = sbl_cli_text(parsed, "output");
    const char *model = sbl_cli_text(parsed, "model");
    const bool persons = sbl_cli_whole(parsed, "persons", 0) != 0 || sbl_cli_wants_package(parsed);
    char drawn[48] = "";
    sbl_cli_progress_end();
    if (sbl_cli_is_quiet(parsed) || sbl_cli_speaks_in_lines()) return;
    (void)fputs(statement, stderr);
    if (drawn_rows != 0)
        (void)snprintf(drawn, sizeof drawn, " (%llu %s)", (unsigned long long)drawn_rows,
                       persons ? "persons" : "records");
    sbl_cli_say(stderr, "WRITTEN: %s%s, its releases and its certificate, which has the details",
                output != NULL ? output : model, drawn);
    if (sbl_cli_given(parsed, "replicates") != NULL)
        (void)fprintf(
            stderr,
            "REPLICATES: %llu tables for confidence intervals. Run the same analysis on each and combine the "
            "results;\n  the interval of one table alone is too short.\n",
            (unsigned long long)sbl_cli_whole(parsed, "replicates", 0));
    /* How long records were read and summed would tell of them; the rest follows from releases. */
    (void)fprintf(stderr, "TIME: fitting and drawing took %.1f s\n", now() - last_read);
}

void sbl_cli_show_release(const sbl_cli_parsed *parsed, const char *statement)
{
    if (sbl_cli_is_quiet(parsed)) return;
    (void)fputs(statement, stderr);
    sbl_cli_say(stderr, "WRITTEN: %s and its certificate, which has the details",
                sbl_cli_text(parsed, "output"));
}

/* ---- options ---- */

static bool wants_progress(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *when = sbl_cli_given(parsed, "progress");
    const uint64_t mode = when != NULL ? when->whole : 1;
    if (mode == 3) {
        sbl_cli_speak_in_lines();
        return true;
    }
    const char *output = sbl_cli_text(parsed, "output");
    const bool to_stdout = output != NULL ? strcmp(output, "-") == 0 : sbl_cli_text(parsed, "model") == NULL;
    const bool data_on_screen = to_stdout && isatty(STDOUT_FILENO) == 1;
    if (sbl_cli_is_quiet(parsed) || mode == 0 || data_on_screen) return false;
    return mode == 2 || isatty(STDERR_FILENO) == 1;
}

static void catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

sbl_progress sbl_cli_progress_begin(const sbl_cli_parsed *parsed)
{
    is_shown = wants_progress(parsed);
    catch_interrupt();
    return show_progress;
}

/* Of the process, where the system knows one that a ledger can hold. */
static const char *user_name(void)
{
    const struct passwd *user = getpwuid(geteuid());
    const char *name = user != NULL ? user->pw_name : NULL;
    return name != NULL && name[0] != '\0' && strlen(name) <= 200 ? name : NULL;
}

sbl_status sbl_cli_synth_options(sbl_synth_options *options, const sbl_cli_parsed *parsed, sbl_error *err)
{
    last_read = now();
    sbl_synth_options_init(options);
    options->progress = sbl_cli_progress_begin(parsed);
    const bool quiet = sbl_cli_is_quiet(parsed) || sbl_cli_speaks_in_lines();
    options->notice = quiet ? no_notice : show_notice;
    if (!sbl_cli_is_quiet(parsed)) options->advice = show_advice;
    const sbl_status status = sbl_cli_fill_options(options, parsed, err);
    if (options->who == NULL) options->who = user_name();
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (status == SBL_OK && processors > 0 && options->threads > (unsigned long)processors)
        return sbl_cli_misuse(err, parsed->command,
                              "--threads %u: this machine runs only %ld at the same time", options->threads,
                              processors);
    return status;
}
