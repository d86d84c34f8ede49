#include "synth_common.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "library_options.h"
#include "output.h"

#define BAR_WIDTH 30

const sbl_cli_range sbl_cli_any_whole = {0, 9007199254740992.0, false, "a whole number, 0 or more"};
const sbl_cli_range sbl_cli_count = {1, 9007199254740992.0, false, "a whole number, 1 or more"};
const char *const sbl_cli_progress_modes[] = {"never", "auto", "always", NULL};

bool sbl_cli_is_quiet(const sbl_cli_parsed *parsed)
{
    return sbl_cli_given(parsed, "quiet") != NULL;
}

/* ---- progress ---- */

static volatile sig_atomic_t interrupted;
static bool bar_is_shown;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static int show_progress(void *context, const char *what, uint64_t step, uint64_t steps,
                         double loss)
{
    static double started;
    static double drawn;
    static const char *stage;
    const bool bar = *(const bool *)context;
    if (interrupted) return 1;
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
    if (!begins && step == 0 && steps == 0) return 0;
    if (t - drawn < 0.1 && step != steps) return 0;
    drawn = t;
    draw_bar(what, step, steps, loss, t - started);
    (void)fflush(stderr);
    bar_is_shown = true;
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
    (void)fprintf(stderr, "semblance: column '%s' is not in the schema and is left out\n", name);
}

static void no_notice(void *context, const char *name)
{
    (void)context;
    (void)name;
}

/* ---- options ---- */

static bool wants_bar(const sbl_cli_parsed *parsed)
{
    const sbl_cli_value *when = sbl_cli_given(parsed, "progress");
    const uint64_t mode = when != NULL ? when->whole : 1;
    if (sbl_cli_is_quiet(parsed) || mode == 0) return false;
    return mode == 2 || isatty(STDERR_FILENO) == 1;
}

static void catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

sbl_status sbl_cli_synth_options(sbl_synth_options *options, const sbl_cli_parsed *parsed,
                                 sbl_error *err)
{
    static bool bar;
    sbl_synth_options_init(options);
    bar = wants_bar(parsed);
    options->progress = show_progress;
    options->notice = sbl_cli_is_quiet(parsed) ? no_notice : show_notice;
    options->context = &bar;
    catch_interrupt();
    return sbl_cli_fill_options(options, parsed, err);
}
