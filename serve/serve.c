/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the server: it opens its folder, prints its address, and waits for a signal. */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../cli/output.h"
#include "http.h"
#include "runs.h"

/* Signals that end the server; blocked in every thread and taken by the first one alone. */
static void block_signals(sigset_t *ends)
{
    (void)sigemptyset(ends);
    (void)sigaddset(ends, SIGINT);
    (void)sigaddset(ends, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, ends, NULL);
    (void)signal(SIGPIPE, SIG_IGN); /* a client that went away */
}

/* ---- the browser ---- */

/* A page that leads to ours, for this user alone: an address in a command line could be read by others of this machine.
 * Out: path  of the file; false: there is no place for it */
static bool write_door(char path[512], const char *address)
{
    const char *place = getenv("XDG_RUNTIME_DIR");
    if (place == NULL || place[0] != '/') return false;
    const int length = snprintf(path, 512, "%s/semblance-XXXXXX.html", place);
    if (length < 0 || length >= 512) return false;
    const int fd = mkostemps(path, 5, O_CLOEXEC); /* mode 0600 */
    if (fd < 0) return false;
    const bool written = dprintf(fd,
                                 "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">"
                                 "<meta name=\"referrer\" content=\"no-referrer\">"
                                 "<meta http-equiv=\"refresh\" content=\"0;url=%s\">"
                                 "<title>Semblance</title><a href=\"%s\">Semblance</a></html>\n",
                                 address, address) > 0;
    return close(fd) == 0 && written;
}

static void open_browser(const char *path)
{
    const pid_t child = fork();
    if (child != 0) {
        if (child > 0) (void)waitpid(child, NULL, 0);
        return;
    }
    if (fork() == 0) { /* twice: this process need not wait for it */
        sigset_t none;
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        (void)sigemptyset(&none);
        (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
        for (int i = 0; i <= 2; i++) (void)dup2(null, i);
        (void)execlp("xdg-open", "xdg-open", path, (char *)NULL);
    }
    _exit(0);
}

/* ---- life ---- */

static sbl_status open_folder(sbl_serve_server *server, const char *folder, sbl_error *err)
{
    server->root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (server->root < 0)
        return sbl_cli_fail(err, SBL_EIO, "%s: cannot be served: %s", folder, strerror(errno));
    if (faccessat(server->root, ".", W_OK, 0) != 0)
        return sbl_cli_fail(err, SBL_EIO, "%s: the folder is not writable, and runs are kept there", folder);
    return SBL_OK;
}

static void wait_for_end(sbl_serve_http *http, const sigset_t *ends)
{
    const struct timespec second = {.tv_sec = 1};
    while (sigtimedwait(ends, NULL, &second) < 0) sbl_serve_http_sweep(http);
    /* Another signal ends the program at once. */
    (void)pthread_sigmask(SIG_UNBLOCK, ends, NULL);
}

static void say_address(const sbl_serve_server *server, const char *folder, bool open_it, char door[512])
{
    char address[160];
    (void)snprintf(address, sizeof address, "http://127.0.0.1:%u/%s/", server->port, server->token);
    (void)printf("%s\n", address);
    (void)fflush(stdout);
    sbl_cli_say(stderr,
                "semblance: serving %s on this machine only. Keep the address above secret: it opens the "
                "page. Ctrl-C ends the server",
                folder);
    door[0] = '\0';
    if (!open_it || (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)) return;
    if (write_door(door, address)) open_browser(door);
}

static sbl_status serve(sbl_serve_server *server, const char *folder, bool open_it, const sigset_t *ends,
                        sbl_error *err)
{
    sbl_serve_http *http = NULL;
    char door[512];
    sbl_status status = sbl_serve_token_make(server->token, err);
    if (status == SBL_OK)
        status =
            sbl_serve_jobs_new(&server->jobs, (sbl_serve_place){server->root, server->engine, server->policy},
                               sbl_serve_run_work, err);
    if (status == SBL_OK) sbl_serve_upload_sweep(server->root);
    if (status == SBL_OK) status = sbl_serve_http_start(&http, server, err);
    if (status == SBL_OK) {
        say_address(server, folder, open_it, door);
        wait_for_end(http, ends);
        if (door[0] != '\0') (void)unlink(door);
        (void)fputs("semblance: ending; unfinished runs can be resumed\n", stderr);
    }
    atomic_store(&server->ending, true);
    sbl_serve_http_stop(http); /* first: requests look at jobs */
    sbl_serve_jobs_free(server->jobs);
    return status;
}

sbl_status sbl_serve(const char *folder, unsigned port, bool open, const char *engine, const char *policy,
                     sbl_error *err)
{
    sbl_serve_server server = {.root = -1, .port = port, .folder_name = folder};
    sigset_t ends;
    char *library = engine != NULL ? realpath(engine, NULL) : NULL;
    char *rules = policy != NULL ? realpath(policy, NULL) : NULL; /* runs work in the folder of the data */
    char *name = realpath(folder, NULL);
    if (name != NULL)
        (void)sbl_plain_line(name); /* only shown; bytes that are not text would make invalid JSON */
    if (name != NULL && strcmp(name, "/") != 0) server.folder_name = strrchr(name, '/') + 1;
    block_signals(&ends);
    (void)pthread_mutex_init(&server.heavy, NULL);
    server.engine = library;
    server.policy = rules;
    sbl_status status = SBL_OK;
    if (engine != NULL && library == NULL)
        status = sbl_cli_fail(err, SBL_EIO, "--duckdb %s: no such file", engine);
    if (policy != NULL && rules == NULL)
        status = sbl_cli_fail(err, SBL_EIO, "--policy %s: no such file", policy);
    if (status == SBL_OK) status = open_folder(&server, folder, err);
    if (status == SBL_OK) status = serve(&server, name != NULL ? name : folder, open, &ends, err);
    if (server.root >= 0) (void)close(server.root);
    (void)pthread_mutex_destroy(&server.heavy);
    explicit_bzero(server.token, sizeof server.token);
    free(name);
    free(library);
    free(rules);
    return status;
}
