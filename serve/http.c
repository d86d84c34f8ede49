/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: admitted or refused by their first lines, gathered within limits, handed to their endpoint. */
#include "http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "../cli/output.h"
#include "connections.h"
#include "listen.h"
#include "send.h"

#define IDLE_SECONDS 120u /* of a connection that is kept open between requests */
#define FIRST_SECONDS 20  /* until the first lines and a body of JSON are there */
#define UPLOAD_SECONDS 60 /* without a byte of an upload */
#define HEADER_BYTES ((size_t)32 << 10)
#define STACK_BYTES ((size_t)2 << 20)

struct sbl_serve_http {
    struct MHD_Daemon *daemon;
    sbl_serve_server *server;
    sbl_serve_connections connections;
};

/* A request that is being received. */
typedef struct exchange {
    const sbl_serve_route *route;
    sbl_serve_request request;
    char *body;
    size_t length;
    uint64_t announced; /* by Content-Length; UINT64_MAX: not */
    int upload;         /* -1: none */
    bool kept;          /* the upload got its name */
    sbl_error refused;  /* of an upload, while the rest of it comes */
} exchange;

/* ---- time ---- */

static time_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

/* Its next piece must come within this number of seconds. */
static void await(sbl_serve_http *http, struct MHD_Connection *connection, int seconds)
{
    sbl_serve_connection_await(&http->connections, socket_of(connection), now() + seconds);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **own,
                          enum MHD_ConnectionNotificationCode code)
{
    sbl_serve_http *http = context;
    const int socket = socket_of(connection);
    (void)own;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        sbl_serve_connection_add(&http->connections, socket, now() + FIRST_SECONDS);
    else
        sbl_serve_connection_remove(&http->connections, socket);
}

void sbl_serve_http_sweep(sbl_serve_http *http) { sbl_serve_connections_sweep(&http->connections, now()); }

/* ---- receiving ---- */

bool sbl_serve_request_is_gone(const sbl_serve_request *request)
{
    char byte;
    const int socket = socket_of(request->connection);
    return socket >= 0 && recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

typedef struct header_count {
    const char *name;
    unsigned count;
} header_count;

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    header_count *counted = context;
    (void)kind;
    (void)value;
    if (strcasecmp(key, counted->name) == 0) counted->count++;
    return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* By the name of this machine, and from no page but ours? A browser says by Origin and Sec-Fetch-Site where a request
 * comes from; the page itself may be opened from anywhere by who knows the token (a link in a terminal or a file). */
static bool is_admitted(struct MHD_Connection *connection, unsigned port, bool is_page)
{
    header_count hosts = {"Host", 0};
    const char *host = header(connection, "Host");
    const char *origin = header(connection, "Origin");
    const char *site = header(connection, "Sec-Fetch-Site");
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &hosts);
    if (host == NULL || hosts.count != 1 || !sbl_serve_host_is_ours(host, port)) return false;
    if (origin != NULL && !sbl_serve_origin_is_ours(origin, port)) return false;
    return is_page || site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

static const sbl_serve_route *find_route(const char *path, const char *method, bool *known)
{
    *known = false;
    for (const sbl_serve_route *route = sbl_serve_routes; route->path != NULL; route++) {
        if (strcmp(route->path, path) != 0) continue;
        *known = true;
        if (strcmp(route->method, method) == 0) return route;
    }
    return NULL;
}

/* UINT64_MAX: not said. */
static uint64_t announced_length(struct MHD_Connection *connection)
{
    const char *text = header(connection, "Content-Length");
    char *end = NULL;
    if (text == NULL) return UINT64_MAX;
    errno = 0;
    const unsigned long long length = strtoull(text, &end, 10);
    return errno != 0 || *end != '\0' ? UINT64_MAX - 1 : length;
}

/* A place for the file, and room: neither a name that is taken nor a disk that is too small shall be noticed at the end. */
static sbl_status begin_upload(sbl_serve_http *http, exchange *x)
{
    struct statvfs disk;
    sbl_status status = sbl_serve_upload_begin(&x->upload, http->server, &x->request, &x->refused);
    if (status == SBL_OK && x->announced < SBL_SERVE_MOST_UPLOAD && fstatvfs(x->upload, &disk) == 0 &&
        x->announced > (uint64_t)disk.f_bavail * (uint64_t)disk.f_frsize)
        status = sbl_cli_fail(&x->refused, SBL_EIO, "the disk has too little free space for this file");
    x->refused.status = status;
    return status;
}

/* The first lines are there: may the rest come? */
static enum MHD_Result begin(sbl_serve_http *http, struct MHD_Connection *connection, const char *url,
                             const char *method, void **own)
{
    bool known = false;
    const char *path = sbl_serve_path_behind_token(url, http->server->token);
    const bool is_page = path != NULL && sbl_serve_page_find(path) != NULL;
    if (!is_admitted(connection, http->server->port, is_page))
        return sbl_serve_send_words(connection, 403, "this address is for this machine's own page\n");
    if (path == NULL) return sbl_serve_send_words(connection, 403, "the address lacks its token\n");
    const sbl_serve_route *route = find_route(path, method, &known);
    if (route == NULL && known) return sbl_serve_send_words(connection, 405, "not by this method\n");
    if (route == NULL) return sbl_serve_send_page_file(connection, path, method);
    exchange *x = calloc(1, sizeof *x);
    if (x == NULL) return sbl_serve_send_words(connection, 503, "out of memory\n");
    await(http, connection, FIRST_SECONDS);
    *own = x;
    x->route = route;
    x->upload = -1;
    x->request.connection = connection;
    x->announced = announced_length(connection);
    if (x->announced != UINT64_MAX &&
        x->announced > (route->upload ? SBL_SERVE_MOST_UPLOAD : SBL_SERVE_MOST_JSON))
        return sbl_serve_send_words(connection, 413, "this is too large\n");
    if (!route->upload || begin_upload(http, x) == SBL_OK) return MHD_YES;
    /* Who waits for a word before sending is told now. A browser sends on whatever comes, and hears nothing until it has
     * sent all: it is told then, and what it sends is dropped. */
    if (header(connection, "Expect") != NULL) return sbl_serve_send_failure(connection, &x->refused);
    return MHD_YES;
}

static void write_upload(exchange *x, const char *bytes, size_t length)
{
    while (length > 0 && x->refused.status == SBL_OK) {
        const ssize_t done = write(x->upload, bytes, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            x->refused.status =
                sbl_cli_fail(&x->refused, SBL_EIO, "the file was not kept: %s", strerror(errno));
            return;
        }
        bytes += done;
        length -= (size_t)done;
    }
}

/* False: it got too large, or there is no memory. */
static bool take_bytes(exchange *x, const char *bytes, size_t length)
{
    if (x->route->upload) {
        if (length > SBL_SERVE_MOST_UPLOAD - x->request.bytes) return false;
        x->request.bytes += length;
        write_upload(x, bytes, length);
        return true;
    }
    if (length > SBL_SERVE_MOST_JSON - x->length) return false;
    char *body = realloc(x->body, x->length + length);
    if (body == NULL) return false;
    memcpy(body + x->length, bytes, length);
    x->body = body;
    x->length += length;
    return true;
}

static enum MHD_Result count_cut(void *context, enum MHD_ValueKind kind, const char *key, size_t key_size,
                                 const char *value, size_t value_size)
{
    unsigned *count = context;
    (void)kind;
    if (strlen(key) != key_size || (value != NULL && strlen(value) != value_size)) (*count)++;
    return MHD_YES;
}

/* A NUL inside a parameter would end it for some who read it, and not for others. */
static sbl_status check_query(const exchange *x, sbl_error *err)
{
    unsigned cut = 0;
    (void)MHD_get_connection_values_n(x->request.connection, MHD_GET_ARGUMENT_KIND, count_cut, &cut);
    return cut == 0 ? SBL_OK : sbl_cli_fail(err, SBL_EARG, "a parameter holds a NUL");
}

static sbl_status read_body(exchange *x, sbl_error *err)
{
    if (x->route->upload || strcmp(x->route->method, "POST") != 0) return SBL_OK;
    const char *type = header(x->request.connection, "Content-Type");
    if (type == NULL || strncmp(type, "application/json", 16) != 0)
        return sbl_cli_fail(err, SBL_EARG, "the body must be application/json");
    return sbl_serve_body_read(&x->request.body, x->body, x->length, err);
}

static enum MHD_Result finish(sbl_serve_http *http, struct MHD_Connection *connection, exchange *x)
{
    sbl_error err = {.status = SBL_OK};
    sbl_serve_answer answer = {.fd = -1, .type = "application/octet-stream"};
    sbl_serve_connection_work(&http->connections, socket_of(connection));
    sbl_status status = x->refused.status;
    if (status != SBL_OK) err = x->refused;
    if (status == SBL_OK) status = check_query(x, &err);
    if (status == SBL_OK) status = read_body(x, &err);
    if (status == SBL_OK && x->upload >= 0) {
        if (fsync(x->upload) != 0) status = sbl_cli_fail(&err, SBL_EIO, "the file was not kept");
    }
    if (status == SBL_OK && x->route->heavy) (void)pthread_mutex_lock(&http->server->heavy);
    if (status == SBL_OK) {
        status = x->route->run(http->server, &x->request, &answer, &err);
        x->kept = status == SBL_OK;
        if (x->route->heavy) (void)pthread_mutex_unlock(&http->server->heavy);
    }
    err.status = status;
    if (status == SBL_OK) return sbl_serve_send_answer(connection, &answer);
    json_decref(answer.json);
    (void)sbl_serve_folder_shorten(err.message, http->server->root);
    return sbl_serve_send_failure(connection, &err);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **own)
{
    sbl_serve_http *http = context;
    exchange *x = *own;
    (void)version;
    if (x == NULL) return begin(http, connection, url, method, own);
    if (*upload_size > 0) {
        if (x->route->upload) await(http, connection, UPLOAD_SECONDS);
        if (!take_bytes(x, upload, *upload_size)) return MHD_NO; /* the connection is cut */
        *upload_size = 0;
        return MHD_YES;
    }
    if (x->announced != UINT64_MAX &&
        x->announced != (x->route->upload ? x->request.bytes : (uint64_t)x->length))
        return MHD_NO;
    return finish(http, connection, x);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **own,
                         enum MHD_RequestTerminationCode code)
{
    sbl_serve_http *http = context;
    exchange *x = *own;
    (void)code;
    await(http, connection, (int)IDLE_SECONDS);
    if (x == NULL) return;
    if (x->upload >= 0) {
        (void)close(x->upload);
        if (!x->kept) sbl_serve_upload_drop(http->server, &x->request);
    }
    json_decref(x->request.body);
    free(x->body);
    free(x);
    *own = NULL;
}

static void say_nothing(void *context, const char *format, va_list list)
{
    (void)context;
    (void)format;
    (void)list;
}

/* ---- life ---- */

static struct MHD_Daemon *start_daemon(sbl_serve_http *http, int listening)
{
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL, MHD_OPTION_LISTEN_SOCKET,
        listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SBL_SERVE_MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEADER_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
        MHD_OPTION_THREAD_STACK_SIZE, STACK_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
        MHD_OPTION_END);
}

sbl_status sbl_serve_http_start(sbl_serve_http **http, sbl_serve_server *server, sbl_error *err)
{
    int listening = -1;
    *http = NULL;
    sbl_status status = sbl_serve_listen(&listening, &server->port, err);
    if (status != SBL_OK) return status;
    *http = calloc(1, sizeof **http);
    if (*http != NULL) {
        (*http)->server = server;
        sbl_serve_connections_init(&(*http)->connections);
        (*http)->daemon = start_daemon(*http, listening); /* the socket is its own from here on */
        if ((*http)->daemon != NULL) return SBL_OK;
    } else {
        (void)close(listening);
    }
    sbl_serve_http_stop(*http);
    *http = NULL;
    return sbl_cli_fail(err, SBL_EMEM, "out of memory for the server");
}

void sbl_serve_http_stop(sbl_serve_http *http)
{
    if (http == NULL) return;
    if (http->daemon != NULL) MHD_stop_daemon(http->daemon);
    sbl_serve_connections_clear(&http->connections);
    free(http);
}
