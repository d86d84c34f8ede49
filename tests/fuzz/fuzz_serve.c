/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to `semblance serve` behind its sockets: a line "METHOD api/NAME?QUERY", and the body. Each is refused with one
 * line or answered with something that can be sent; nothing outside the folder is read or made, the table stays as it is,
 * and the ledger only grows. Lines "HOST", "ORIGIN" and "URL" go to who decides whom to admit. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/serve_folder.h"
#include "output.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())
#define MOST_PARAMETERS 8
#define MOST_ROWS 300  /* that are drawn */
#define MOST_SECONDS 1 /* that a client of ours waits */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of libmicrohttpd's connection. */
typedef struct client {
    char *names[MOST_PARAMETERS], *values[MOST_PARAMETERS];
    size_t count;
    time_t began;
} client;

const char *sbl_serve_request_query(const sbl_serve_request *request, const char *name)
{
    const client *own = request->connection;
    for (size_t i = 0; i < own->count; i++)
        if (strcmp(own->names[i], name) == 0) return own->values[i];
    return NULL;
}

bool sbl_serve_request_is_gone(const sbl_serve_request *request)
{
    const client *own = request->connection;
    return time(NULL) - own->began > MOST_SECONDS;
}

/* %41 and +, in place. A NUL is refused before any endpoint sees it (http.c). */
static bool decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++, to++) {
        *to = *from == '+' ? ' ' : *from;
        if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2])) {
            const char digits[3] = {from[1], from[2], '\0'};
            *to = (char)strtol(digits, NULL, 16);
            if (*to == '\0') return false;
            from += 2;
        }
    }
    *to = '\0';
    return true;
}

static bool read_query(client *own, char *query)
{
    for (char *rest = NULL, *part = strtok_r(query, "&", &rest); part != NULL && own->count < MOST_PARAMETERS;
         part = strtok_r(NULL, "&", &rest)) {
        char *value = strchr(part, '=');
        if (value == NULL) continue;
        *value++ = '\0';
        own->names[own->count] = part;
        own->values[own->count++] = value;
        if (!decode(part) || !decode(value)) return false;
    }
    return true;
}

/* ---- who is admitted ---- */

static void admit(const char *line)
{
    static const char token[SBL_TOKEN_SIZE] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    if (strncmp(line, "HOST ", 5) == 0)
        CHECK(sbl_serve_host_is_ours(line + 5, 4000) ==
              (strcmp(line + 5, "127.0.0.1:4000") == 0 || strcmp(line + 5, "localhost:4000") == 0));
    if (strncmp(line, "ORIGIN ", 7) == 0)
        CHECK(sbl_serve_origin_is_ours(line + 7, 4000) == (strcmp(line + 7, "http://127.0.0.1:4000") == 0 ||
                                                           strcmp(line + 7, "http://localhost:4000") == 0));
    if (strncmp(line, "URL ", 4) == 0) {
        const char *behind = sbl_serve_path_behind_token(line + 4, token);
        const bool ours = line[4] == '/' && strncmp(line + 5, token, 64) == 0 && line[69] == '/';
        CHECK((behind != NULL) == ours && (behind == NULL || behind == line + 70));
    }
}

/* ---- requests ---- */

/* Larger work of the same code is no use to a fuzzer. */
static bool is_too_much(const sbl_serve_route *route, const sbl_serve_request *request)
{
    return strcmp(route->path, "api/sample") == 0 && sbl_serve_request_number(request, "rows") > MOST_ROWS;
}

static void check_answer(const sbl_serve_answer *answer)
{
    CHECK((answer->json != NULL) + (answer->fd >= 0) + (answer->bytes != NULL) == 1);
    CHECK(answer->type != NULL);
    CHECK(answer->bytes == NULL ||
          memmem(answer->bytes, answer->length, SERVE_SECRET, strlen(SERVE_SECRET)) == NULL);
    if (answer->json == NULL) return;
    char *text = json_dumps(answer->json, JSON_COMPACT);
    CHECK(text != NULL && strstr(text, SERVE_SECRET) == NULL);
    free(text);
}

/* As send.c does it: a name of the request that stands in it may hold anything. */
static void check_refusal(sbl_status status, sbl_error *err)
{
    (void)sbl_plain_line(err->message);
    CHECK(status != SBL_EINTERNAL);
    CHECK(err->message[0] != '\0' && strchr(err->message, '\n') == NULL);
    CHECK(strstr(err->message, SERVE_SECRET) == NULL);
}

/* As http.c does it. */
static sbl_status receive(int *file, sbl_serve_server *server, sbl_serve_request *request, const char *bytes,
                          size_t length, sbl_error *err)
{
    const sbl_status status = sbl_serve_upload_begin(file, server, request, err);
    if (status == SBL_OK) CHECK(write(*file, bytes, length) == (ssize_t)length);
    request->bytes = length;
    return status;
}

static void call(sbl_serve_server *server, const sbl_serve_route *route, client *own, const char *bytes,
                 size_t length)
{
    sbl_serve_request request = {.connection = own};
    sbl_serve_answer answer = {.fd = -1, .type = "application/octet-stream"};
    sbl_error err = {0};
    int file = -1;
    sbl_status status = SBL_OK;
    if (route->upload)
        status = receive(&file, server, &request, bytes, length, &err);
    else if (strcmp(route->method, "POST") == 0)
        status = sbl_serve_body_read(&request.body, bytes, length, &err);
    if (status == SBL_OK && !is_too_much(route, &request)) {
        status = route->run(server, &request, &answer, &err);
        if (status == SBL_OK) check_answer(&answer);
    }
    if (status != SBL_OK) check_refusal(status, &err);
    if (file >= 0) {
        (void)close(file);
        if (status != SBL_OK) sbl_serve_upload_drop(server, &request);
    }
    json_decref(answer.json);
    json_decref(request.body);
    free(answer.bytes);
    if (answer.fd >= 0) (void)close(answer.fd);
}

static const sbl_serve_route *find_route(const char *method, const char *path)
{
    for (const sbl_serve_route *route = sbl_serve_routes; route->path != NULL; route++)
        if (strcmp(route->method, method) == 0 && strcmp(route->path, path) == 0) return route;
    return NULL;
}

static void take_line(sbl_serve_server *server, char *line, const char *bytes, size_t length)
{
    client own = {.began = time(NULL)};
    char *path = strchr(line, ' ');
    admit(line);
    if (path == NULL) return;
    *path++ = '\0';
    char *query = strchr(path, '?');
    if (query != NULL) *query++ = '\0';
    const sbl_serve_route *route = find_route(line, path);
    if (route == NULL || (query != NULL && !read_query(&own, query))) return;
    call(server, route, &own, bytes, length);
    serve_folder_check();
    serve_folder_restore();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sbl_serve_server server;
    if (server.jobs == NULL) serve_folder_begin(&server);
    const uint8_t *end = memchr(data, '\n', size);
    const size_t length = end != NULL ? (size_t)(end - data) : size;
    /* A fuzzer learns the secret from our looking for it: who knows it already learns nothing. */
    if (memchr(data, '\0', length) != NULL || memmem(data, size, SERVE_SECRET, strlen(SERVE_SECRET)) != NULL)
        return 0;
    char *line = malloc(length + 1), *body = malloc(size - length + 1);
    CHECK(line != NULL && body != NULL);
    memcpy(line, data, length);
    line[length] = '\0';
    const size_t rest = end != NULL ? size - length - 1 : 0;
    if (rest > 0) memcpy(body, end + 1, rest);
    take_line(&server, line, body, rest);
    free(line);
    free(body);
    return 0;
}
