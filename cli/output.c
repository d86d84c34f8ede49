/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as one line with a hint, colours only where a terminal wants them, and standard streams
 * that were closed by the caller kept from being reused. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HINT_SIZE (SBL_ERROR_FILE_SIZE + 64)

static void fill(sbl_error *err, const char *format, va_list arguments)
{
    err->status = SBL_EARG;
    err->hint = SBL_HINT_NONE;
    (void)vsnprintf(err->message, sizeof err->message, format, arguments);
}

sbl_status sbl_cli_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    va_list arguments;
    if (err == NULL) return status;
    va_start(arguments, format);
    fill(err, format, arguments);
    va_end(arguments);
    err->status = status;
    return status;
}

sbl_status sbl_cli_misuse(sbl_error *err, const sbl_cli_command *command, const char *format, ...)
{
    char hint[64];
    va_list arguments;
    va_start(arguments, format);
    fill(err, format, arguments);
    va_end(arguments);
    (void)snprintf(hint, sizeof hint, "; see 'semblance %s --help'", command->name);
    /* The hint is kept whole, the message gives way. */
    const size_t room = sizeof err->message - strlen(hint) - 1;
    const size_t length = strlen(err->message);
    memcpy(err->message + (length < room ? length : room), hint, strlen(hint) + 1);
    return SBL_EARG;
}

const char *sbl_cli_style_on(FILE *stream, sbl_cli_style style)
{
    static const char *const sequences[] = {
        [SBL_CLI_PLAIN] = "\033[0m",
        [SBL_CLI_BOLD] = "\033[1m",
        [SBL_CLI_RED] = "\033[1;31m",
        [SBL_CLI_GREEN] = "\033[32m",
    };
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0') return "";
    if (terminal == NULL || strcmp(terminal, "dumb") == 0) return "";
    return isatty(fileno(stream)) ? sequences[style] : "";
}

static void say(FILE *stream, const char *format, va_list arguments)
{
    char line[2 * PATH_MAX];
    (void)vsnprintf(line, sizeof line, format, arguments);
    (void)fprintf(stream, "%s\n", sbl_plain_line(line));
}

void sbl_cli_say(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(stream, format, arguments);
    va_end(arguments);
}

void sbl_cli_verified(const char *format, ...)
{
    va_list arguments;
    (void)printf("%sverified%s  ", sbl_cli_style_on(stdout, SBL_CLI_GREEN),
                 sbl_cli_style_on(stdout, SBL_CLI_PLAIN));
    va_start(arguments, format);
    say(stdout, format, arguments);
    va_end(arguments);
}

/* The one place where a hint of the library becomes an option or a command. */
static const char *hint_of(char text[HINT_SIZE], const sbl_error *err)
{
    /* A question mark stands for the file. */
    static const char *const words[] = {
        [SBL_HINT_OVERWRITE] = "; choose another name or use --overwrite",
        [SBL_HINT_LEDGER_SHARE] = " (--ledger)",
        [SBL_HINT_LEDGER_MAKE] = "; make it with 'semblance ledger init'",
        [SBL_HINT_TRAIN] = ": 'semblance train ? --model MODEL'",
        [SBL_HINT_HEALTH] = (": 'semblance schema check SCHEMA INPUT' shows what is wrong in a "
                             "table; of images look at --size and --resize; the same command with "
                             "'resume' and --health tell continues anyway"),
        [SBL_HINT_RESUME] = ": the same command with 'resume' continues",
        [SBL_HINT_WHERE] = " (--where)",
        [SBL_HINT_ROWS] = " (--rows)",
        [SBL_HINT_CLASSES] = " (--classes)",
        [SBL_HINT_REAL_LABELS] = " (--real-labels)",
        [SBL_HINT_SYNTHETIC_LABELS] = " (--synthetic-labels)",
        [SBL_HINT_TRAIN_LABELS] = " (--train-labels)",
        [SBL_HINT_NO_MODELS] = " (--models none)",
        [SBL_HINT_TRAIN_SET] = " (--train)",
        [SBL_HINT_SCHEMA] = " (--epsilon, --discover-share, --schema)",
        [SBL_HINT_FILES] = " (--release FILE --certificate FILE)",
        [SBL_HINT_DELIMITER] = " (--delimiter; ',' if it does not)",
        [SBL_HINT_DELTA] = " (--delta; the rows of a stream are not known beforehand)",
        [SBL_HINT_TAKE] = " (--take 1,3, all or none); 'semblance schema check ?' lists them",
        [SBL_HINT_LEDGER_UNIT] =
            (" (--ledger; 'semblance ledger init --rows-per-person K' makes one for persons); "
             "'semblance ledger total' adds both up"),
        [SBL_HINT_ROWS_PER_PERSON] = " (--rows-per-person)",
        [SBL_HINT_PERSONS] = " (--persons)",
        [SBL_HINT_DUCKDB] = ": 'make engines' fetches it, --duckdb names it",
        [SBL_HINT_COLUMNS] = " (--columns A,B,..., or --schema)",
        [SBL_HINT_ONE_SITE] = " (--persons-at-one-site)",
        [SBL_HINT_ADBC_DRIVER] = ": install it, or name it by --adbc-driver",
        [SBL_HINT_TABLE] = " (--table NAME)",
        [SBL_HINT_ADD_REMOVE] = " (--neighbours add-remove)",
        [SBL_HINT_ONE_ROW] = " (--one-row-per-person, or a unit in the schema)",
        [SBL_HINT_LEDGER] = " (--ledger)",
        [SBL_HINT_OUTSIDE] = " (--allow-outside)",
        [SBL_HINT_DEVICE] = " (--device cpu, or auto)",
        [SBL_HINT_DECIMAL] = " (--decimal , or --decimal .)",
        [SBL_HINT_COMMAS] = (" (begin anew with --decimal , or --thousands , and other names; the "
                             "same command with 'resume' and --decimal . continues)"),
    };
    const size_t place = (size_t)err->hint;
    const char *found = place < SBL_CLI_COUNT(words) && words[place] != NULL ? words[place] : "";
    const char *mark = strchr(found, '?');
    if (mark == NULL) return found;
    (void)snprintf(text, HINT_SIZE, "%.*s%s%s", (int)(mark - found), found,
                   err->file[0] != '\0' ? err->file : "FILE", mark + 1);
    return text;
}

static bool in_lines;

void sbl_cli_speak_in_lines(void)
{
    in_lines = true;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* what it has released is on disk, and paid for */
}

bool sbl_cli_speaks_in_lines(void) { return in_lines; }

void sbl_cli_print_error(const sbl_error *err)
{
    char hint[HINT_SIZE];
    const char *message = err->message[0] != '\0' ? err->message : sbl_status_text(err->status);
    if (in_lines) {
        sbl_cli_say(stderr, "error %s", message);
        return;
    }
    (void)fprintf(stderr, "%ssemblance:%s ", sbl_cli_style_on(stderr, SBL_CLI_RED),
                  sbl_cli_style_on(stderr, SBL_CLI_PLAIN));
    sbl_cli_say(stderr, "%s%s", message, hint_of(hint, err));
}

sbl_status sbl_cli_flush(sbl_error *err)
{
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed) return SBL_OK;
    return sbl_cli_fail(err, SBL_EIO, "standard output: cannot write: %s",
                        errno != 0 ? strerror(errno) : "an earlier write failed");
}

void sbl_cli_occupy_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}
