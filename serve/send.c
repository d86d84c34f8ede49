/* SPDX-License-Identifier: Apache-2.0 */
/* Answers, with their headers. */
#include "send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char page_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
    "'script'";
/* Every other answer is sandboxed: a browser that shows it gives it an origin of its own, so that nothing in it can use
 * the address, and the token, that it came from. */
#define SANDBOX "sandbox; default-src 'none'; "
#define NOTHING "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
static const char closed_policy[] = SANDBOX NOTHING;
/* A report brings its styles and pictures with it, and has no script. */
static const char report_policy[] = SANDBOX "style-src 'unsafe-inline'; img-src data:; " NOTHING;

static const char *policy_of(const char *type)
{
    return strncmp(type, "text/html", 9) == 0 ? report_policy : closed_policy;
}

static void add_headers(struct MHD_Response *response, const char *type, const char *policy)
{
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", policy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"}, /* the address holds the token */
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned code,
                                     struct MHD_Response *response, const char *type, const char *policy)
{
    if (response == NULL) return MHD_NO;
    add_headers(response, type, policy);
    const enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result sbl_serve_send_words(struct MHD_Connection *connection, unsigned code, const char *words)
{
    return send_response(
        connection, code,
        MHD_create_response_from_buffer(strlen(words), (void *)(uintptr_t)words, MHD_RESPMEM_PERSISTENT),
        "text/plain; charset=utf-8", closed_policy);
}

static enum MHD_Result send_json(struct MHD_Connection *connection, unsigned code, json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    if (text == NULL) return sbl_serve_send_words(connection, 500, "out of memory\n");
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) free(text);
    return send_response(connection, code, response, "application/json", closed_policy);
}

static unsigned code_of(sbl_status status)
{
    switch (status) {
    case SBL_EARG:
        return 400;
    case SBL_EINPUT:
        return 422;
    case SBL_EBUDGET:
    case SBL_EBUSY:
        return 409;
    case SBL_EIO:
        return 404;
    case SBL_EMEM:
        return 503;
    default:
        return 500;
    }
}

enum MHD_Result sbl_serve_send_failure(struct MHD_Connection *connection, sbl_error *err)
{
    (void)sbl_plain_line(err->message); /* bytes that are not UTF-8 would make invalid JSON */
    json_t *json = json_pack("{s:s, s:i}", "error", err->message, "status", (int)err->status);
    const enum MHD_Result result = send_json(connection, code_of(err->status), json);
    json_decref(json);
    return result;
}

/* The name that a browser saves a file under: any other byte than a plain letter, digit or sign becomes '_'. */
static void add_file_name(struct MHD_Response *response, const char *name)
{
    char header[320], plain[256];
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < sizeof plain; i++) {
        const char c = name[i];
        const bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          c == '.' || c == '-';
        plain[i] = '_';
        if (fine) plain[i] = c;
    }
    plain[i] = '\0';
    (void)snprintf(header, sizeof header, "attachment; filename=\"%s\"", plain);
    (void)MHD_add_response_header(response, "Content-Disposition", header);
}

/* Takes what the answer holds. */
enum MHD_Result sbl_serve_send_answer(struct MHD_Connection *connection, sbl_serve_answer *answer)
{
    struct MHD_Response *response = NULL;
    if (answer->json != NULL) {
        const enum MHD_Result result = send_json(connection, 200, answer->json);
        json_decref(answer->json);
        return result;
    }
    if (answer->fd >= 0) {
        response = MHD_create_response_from_fd64(answer->size, answer->fd);
        if (response == NULL) (void)close(answer->fd);
    } else {
        response = MHD_create_response_from_buffer(answer->length, answer->bytes, MHD_RESPMEM_MUST_FREE);
        if (response == NULL) free(answer->bytes);
    }
    if (response != NULL && answer->file_name[0] != '\0') add_file_name(response, answer->file_name);
    return send_response(connection, 200, response, answer->type, policy_of(answer->type));
}

enum MHD_Result sbl_serve_send_page_file(struct MHD_Connection *connection, const char *name,
                                         const char *method)
{
    const sbl_serve_page_file *file = sbl_serve_page_find(name);
    if (file == NULL) return sbl_serve_send_words(connection, 404, "there is no such page\n");
    if (strcmp(method, "GET") != 0) return sbl_serve_send_words(connection, 405, "a page is only read\n");
    return send_response(
        connection, 200,
        MHD_create_response_from_buffer((size_t)(file->end - file->bytes), (void *)(uintptr_t)file->bytes,
                                        MHD_RESPMEM_PERSISTENT),
        file->type, page_policy);
}
