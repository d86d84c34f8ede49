/* SPDX-License-Identifier: Apache-2.0 */
/* A process of a run: this program again, in the folder that is served. It is started without a shell, with an environment of a few
 * known names and with no file of the server but the lock of its run. It says how far it is in lines (--progress lines), ends by
 * itself after SIGTERM, and a crash of it is a failure of the run alone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cli/output.h"
#include "runs.h"

#define LOCK 3        /* the descriptor by which a child holds the lock of its run */
#define LOOK_MS 100   /* between two looks at whether to stop */
#define MOST_NAMES 64 /* of the environment that are kept */

extern char **environ;

/* What is known of a process while it runs. */
typedef struct talk {
    sbl_progress progress;
    sbl_advice advice;
    void *context;
    char what[32];
    unsigned long long step, steps;
    char error[SBL_ERROR_MESSAGE_SIZE]; /* the last one that it said; "": none */
    char line[2048];
    size_t length; /* of the line so far */
    bool asked;    /* it was asked to stop */
} talk;

/* Would it be a search path of libraries with a relative or an empty element? The child works in the folder of the data. */
static bool searches_folder(const char *variable)
{
    static const char name[] = "LD_LIBRARY_PATH=";
    if (strncmp(variable, name, sizeof name - 1) != 0) return false;
    for (const char *part = variable + sizeof name - 1;; part += strcspn(part, ":") + 1) {
        if (*part != '/') return true;
        if (part[strcspn(part, ":")] == '\0') return false;
    }
}

/* Where libraries and caches are, and how threads and sanitizers are set: nothing else of ours concerns a run. */
static void keep_environment(char *kept[MOST_NAMES + 1])
{
    static const char *const names[] = {"HOME=",          "TMPDIR=", "XDG_CACHE_HOME=", "LD_LIBRARY_PATH=",
                                        "OMP_",           "GOMP_",   "CUDA_",           "ASAN_OPTIONS=",
                                        "UBSAN_OPTIONS=", "GCOV_",   "LSAN_OPTIONS=",   "TSAN_OPTIONS="};
    size_t count = 0;
    for (char **one = environ; *one != NULL; one++)
        for (size_t i = 0; count < MOST_NAMES && i < sizeof names / sizeof names[0]; i++)
            if (strncmp(*one, names[i], strlen(names[i])) == 0 && !searches_folder(*one))
                kept[count++] = *one;
    kept[count] = NULL;
}

/* In the folder, with nothing to read, its lines into the pipe and nothing else of ours open; signals as a program finds them. */
static bool start(pid_t *child, int root, int lock, int lines, const char *const *words)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    char *kept[MOST_NAMES + 1];
    keep_environment(kept);
    (void)sigemptyset(&none);
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    const bool good =
        posix_spawn_file_actions_addfchdir_np(&files, root) == 0 &&
        posix_spawn_file_actions_adddup2(&files, lines, STDERR_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&files, lock, LOCK) == 0 &&
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawn_file_actions_addclosefrom_np(&files, LOCK + 1) == 0 &&
        posix_spawn(child, "/proc/self/exe", &files, &attributes, (char *const *)(uintptr_t)words, kept) == 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&files);
    return good;
}

static void take_line(talk *t, const char *line)
{
    static const char advice[] = "advice ", error[] = "error ", misuse[] = "semblance: ";
    char what[sizeof t->what];
    unsigned long long step, steps;
    if (sscanf(line, "progress %31s %llu %llu", what, &step, &steps) == 3) {
        memcpy(t->what, what, sizeof what);
        t->step = step;
        t->steps = steps;
    } else if (strncmp(line, advice, sizeof advice - 1) == 0) {
        if (t->advice != NULL) t->advice(t->context, SBL_ADVICE_PLAN, line + sizeof advice - 1);
    } else {
        const size_t start = strncmp(line, error, sizeof error - 1) == 0     ? sizeof error - 1
                             : strncmp(line, misuse, sizeof misuse - 1) == 0 ? sizeof misuse - 1
                                                                             : 0;
        if (start != 0)
            (void)snprintf(t->error, sizeof t->error, "%.*s", (int)sizeof t->error - 1, line + start);
    }
}

/* What does not fit into a line is left out. */
static void take_bytes(talk *t, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool ends = bytes[i] == '\n';
        if (!ends && t->length + 1 < sizeof t->line) t->line[t->length++] = bytes[i];
        if (!ends) continue;
        t->line[t->length] = '\0';
        t->length = 0;
        take_line(t, t->line);
    }
}

/* To the end of what it says. It is asked to stop once. */
static void listen_to(talk *t, int lines, pid_t child)
{
    char bytes[4096];
    struct pollfd ready = {.fd = lines, .events = POLLIN};
    for (;;) {
        const ssize_t got = poll(&ready, 1, LOOK_MS) > 0 ? read(lines, bytes, sizeof bytes) : -1;
        if (got == 0) return;
        if (got > 0) take_bytes(t, bytes, (size_t)got);
        if (!t->asked && t->progress != NULL &&
            t->progress(t->context, t->what, t->step, t->steps, 0.0) != 0) {
            t->asked = true;
            (void)kill(child, SIGTERM);
        }
    }
}

/* A process that is asked to stop before it listens for SIGTERM ends by that signal: it has read and released nothing yet. */
static bool was_stopped(const talk *t, int ended)
{
    if (WIFEXITED(ended)) return WEXITSTATUS(ended) == sbl_status_exit_code(SBL_ESTOPPED);
    return t->asked && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM;
}

/* The status that a program ends with by this exit code. */
static sbl_status status_of(int code)
{
    for (int status = 1; status <= SBL_EIO; status++)
        if (sbl_status_exit_code((sbl_status)status) == code) return (sbl_status)status;
    return SBL_EINTERNAL;
}

static sbl_status judge(const talk *t, int ended, sbl_error *err)
{
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return SBL_OK;
    if (was_stopped(t, ended)) return sbl_cli_fail(err, SBL_ESTOPPED, "it was stopped");
    if (WIFSIGNALED(ended))
        return sbl_cli_fail(
            err, SBL_EINTERNAL,
            "the process of this run ended unexpectedly (signal %d); what it released is kept, and "
            "the run can be resumed",
            WTERMSIG(ended));
    return sbl_cli_fail(err, status_of(WEXITSTATUS(ended)), "%s",
                        t->error[0] != '\0' ? t->error : "the process of this run failed without a message");
}

sbl_status sbl_serve_child_run(const sbl_serve_place *place, const char *const *words, int lock,
                               sbl_progress progress, sbl_advice advice, void *context, sbl_error *err)
{
    talk t = {.progress = progress, .advice = advice, .context = context};
    int ends[2], ended = 0;
    pid_t child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sbl_cli_fail(err, SBL_EIO, "the run cannot be started: the system has no free pipe");
    const bool started = start(&child, place->root, lock, ends[1], words);
    (void)close(ends[1]);
    if (started) listen_to(&t, ends[0], child);
    (void)close(ends[0]);
    if (!started)
        return sbl_cli_fail(err, SBL_EIO, "the run cannot be started: the system has no free process");
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
    return judge(&t, ended, err);
}
