/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the server know of each other: the state that all requests share, a request, its answer, and the
 * list of endpoints. docs/SERVE.md is the reference of the endpoints. */
#ifndef SBL_SERVE_SERVER_H
#define SBL_SERVE_SERVER_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admit.h"
#include "dataset.h"
#include "jobs.h"
#include "semblance/status.h"
#include "served_folder.h"

/* Limits. A client without the token holds no more than the first lines of its request. */
#define SBL_SERVE_MOST_JSON ((size_t)4 << 20)      /* of a request's body */
#define SBL_SERVE_MOST_UPLOAD ((uint64_t)16 << 30) /* of a file that is dropped on the page */
#define SBL_SERVE_MOST_SCHEMA SBL_SERVE_MOST_JSON

typedef struct sbl_serve_server {
    int root;                /* the folder that is served */
    const char *folder_name; /* the last part of its path, for the page */
    char token[SBL_TOKEN_SIZE];
    unsigned port;
    const char *engine; /* DuckDB's library; NULL: found where libraries are */
    const char *policy; /* that every run keeps; NULL: none */
    sbl_serve_jobs *jobs;
    pthread_mutex_t heavy;      /* one call at a time that reads a whole table or makes a plan */
    atomic_bool ending;         /* requests that read a table stop */
    atomic_bool reads;          /* a table is being read for an answer (watch.h), */
    _Atomic uint64_t rows_read; /* the rows that were read so far: NOT PRIVATE */
} sbl_serve_server;

/* One request that was admitted. */
typedef struct sbl_serve_request {
    void *connection; /* of libmicrohttpd */
    json_t *body;     /* of a POST with JSON: an object; else NULL */
    uint64_t bytes;   /* of an upload, that were received */
} sbl_serve_request;

/* The body of a POST: one JSON object, without a name twice.   Out: body  json_decref() */
sbl_status sbl_serve_body_read(json_t **body, const char *bytes, size_t length, sbl_error *err);
/* A parameter of the address; NULL where it is missing or holds a NUL. */
const char *sbl_serve_request_query(const sbl_serve_request *request, const char *name);
/* Did the client go away? One that has closed its side of the connection counts as gone. */
bool sbl_serve_request_is_gone(const sbl_serve_request *request);
/* Members of the body.   Returns: SBL_EARG naming the member that is missing or of another type */
sbl_status sbl_serve_request_text(const char **text, const sbl_serve_request *request, const char *name,
                                  sbl_error *err);
/* NULL where it is not there. */
const char *sbl_serve_request_text_or_null(const sbl_serve_request *request, const char *name);
/* 0 where it is not there or no number. */
double sbl_serve_request_number(const sbl_serve_request *request, const char *name);

/* What goes back: JSON, or a file, or bytes. All of it is the server's to free. */
typedef struct sbl_serve_answer {
    json_t *json;
    int fd; /* -1: none */
    uint64_t size;
    char *bytes; /* malloc() */
    size_t length;
    const char *type;
    char file_name[256]; /* "": shown by the browser; else it is saved under this name */
} sbl_serve_answer;

/* The first `most` bytes of an open file, or all of it, as the answer's. fd is closed. name: for the refusal. */
sbl_status sbl_serve_answer_head(sbl_serve_answer *answer, int fd, size_t most, const char *name,
                                 sbl_error *err);

typedef sbl_status (*sbl_serve_endpoint)(sbl_serve_server *server, const sbl_serve_request *request,
                                         sbl_serve_answer *answer, sbl_error *err);

typedef struct sbl_serve_route {
    const char *method; /* "GET" or "POST" */
    const char *path;   /* behind the token */
    sbl_serve_endpoint run;
    bool heavy;
    bool upload; /* the body is a file */
} sbl_serve_route;

/* Ends with a NULL path. */
extern const sbl_serve_route sbl_serve_routes[];

/* A file of the page, compiled in; NULL when there is none of this name. */
typedef struct sbl_serve_page_file {
    const char *name; /* "" is the page itself */
    const char *type;
    const unsigned char *bytes;
    const unsigned char *end;
} sbl_serve_page_file;
const sbl_serve_page_file *sbl_serve_page_find(const char *name);

/* ---- endpoints, a file for each step ---- */

sbl_status sbl_serve_api_files(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_demo(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_upload(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_data(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_data_save(sbl_serve_server *server, const sbl_serve_request *request,
                                   sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_tables(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_methods(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_inspect(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
/* The same of several files, which become a package. */
sbl_status sbl_serve_api_inspect_files(sbl_serve_server *server, const sbl_serve_request *request,
                                       sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_package(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_package_save(sbl_serve_server *server, const sbl_serve_request *request,
                                      sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_dialect(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_histograms(sbl_serve_server *server, const sbl_serve_request *request,
                                    sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_schema(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_schema_save(sbl_serve_server *server, const sbl_serve_request *request,
                                     sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_progress(sbl_serve_server *server, const sbl_serve_request *request,
                                  sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_check(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_promise(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_plan(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_ledger(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_limit(sbl_serve_server *server, const sbl_serve_request *request,
                               sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_verify(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_runs(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_run(sbl_serve_server *server, const sbl_serve_request *request,
                             sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_resume(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_stop(sbl_serve_server *server, const sbl_serve_request *request,
                              sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_compare(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_sample(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_result(sbl_serve_server *server, const sbl_serve_request *request,
                                sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_results(sbl_serve_server *server, const sbl_serve_request *request,
                                 sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_real_images(sbl_serve_server *server, const sbl_serve_request *request,
                                     sbl_serve_answer *answer, sbl_error *err);
sbl_status sbl_serve_api_real_rows(sbl_serve_server *server, const sbl_serve_request *request,
                                   sbl_serve_answer *answer, sbl_error *err);

/* Where an upload goes: NAME.upload.part, locked, which becomes NAME at its end (sbl_serve_api_upload).
 * Out: fd  the caller's */
sbl_status sbl_serve_upload_begin(int *fd, sbl_serve_server *server, const sbl_serve_request *request,
                                  sbl_error *err);
void sbl_serve_upload_drop(sbl_serve_server *server, const sbl_serve_request *request);
/* Removes what uploads left in the folder when their server was killed. */
void sbl_serve_upload_sweep(int root);

/* ---- what endpoints share ---- */

/* A schema that a request holds as a JSON object. Linked tables and what was read from the records and not accepted are refused where
 * they would be used.
 * Out: text  free() */
sbl_status sbl_serve_request_schema(char **text, const sbl_serve_request *request, sbl_error *err);
/* Was a schema read from the records, without approval of the owner yet? */
bool sbl_serve_schema_is_inspected(const json_t *schema);
/* Lines that the owner has not accepted yet keep a list of the facts that were read from the records.
 * Returns: SBL_OK: there is none; SBL_EARG */
sbl_status sbl_serve_check_accepted(const json_t *schema, sbl_error *err);

/* INPUT + ending. SBL_EARG where it gets too long. */
sbl_status sbl_serve_name_beside(char path[SBL_FOLDER_PATH_SIZE], const char *input, const char *ending,
                                 sbl_error *err);
/* Does it end so? */
bool sbl_serve_ends_with(const char *text, const char *ending);
/* What the container of images or linked tables says, which is public; NULL of a table. Fails where they could not be
 * read. */
sbl_status sbl_serve_dataset_facts(json_t **facts, sbl_serve_server *server, const sbl_serve_dataset *set,
                                   sbl_error *err);
/* The spent and the limit of a ledger as JSON; null where there is no such file. */
sbl_status sbl_serve_ledger_facts(json_t **facts, sbl_serve_server *server, const char *path, sbl_error *err);

#endif
