/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/serve_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "semblance/data.h"
#include "semblance/synthesizer.h"
#include "serve/runs.h"
#include "support/json_text.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())
#define MOST_FILES 64

typedef struct kept_file {
    char path[256]; /* from "." on */
    bool is_folder;
    char *bytes;
    size_t size;
    struct timespec changed;
} kept_file;

static struct {
    char root[64]; /* holds outside.csv and data/ */
    kept_file files[MOST_FILES];
    size_t count;
    sbl_serve_jobs *jobs;
} here;

/* ---- making it ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void write_table(void)
{
    FILE *file = fopen(SERVE_TABLE, "w");
    CHECK(file != NULL);
    (void)fputs("age,town,paid\n", file);
    for (int i = 0; i < 60; i++)
        (void)fprintf(file, "%d,%s,%d.%d\n", 20 + i % 50, i % 3 == 0 ? "Bern" : "Aarau", 7 * i % 40, i % 10);
    CHECK(fclose(file) == 0);
}

/* Images of 4 x 4 pixels with labels, as IDX files. */
static void write_images(void)
{
    static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 12, 0, 0, 0, 4, 0, 0, 0, 4};
    static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 12};
    FILE *file = fopen(SERVE_IMAGES, "wb");
    CHECK(file != NULL && fwrite(images, 1, sizeof images, file) == sizeof images);
    for (int i = 0; i < 12 * 16; i++) (void)fputc(37 * i % 256, file);
    CHECK(fclose(file) == 0 && (file = fopen(SERVE_LABELS, "wb")) != NULL);
    CHECK(fwrite(labels, 1, sizeof labels, file) == sizeof labels);
    for (int i = 0; i < 12; i++) (void)fputc(i % 10, file);
    CHECK(fclose(file) == 0);
}

/* Persons, and what they bought. */
static void write_package(void)
{
    static const char package[] = JSON({"name": "shop", "resources": [{"name": "persons",
        "path": "persons.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}}]}},
        {"name": "orders", "path": "orders.csv", "schema": {"foreignKeys": [{"fields": "person",
        "reference": {"resource": "persons", "fields": "id"}}], "fields": [{"name": "person",
        "type": "integer"}, {"name": "paid", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}],
        "semblance": {"max_rows_per_unit": 4}}}]});
    CHECK(mkdir("shop", 0700) == 0);
    write_file(SERVE_PACKAGE, package);
    write_file("shop/persons.csv", "id,age\n1,30\n2,40\n3,50\n");
    write_file("shop/orders.csv", "person,paid\n1,3\n1,4\n2,5\n");
}

/* The work of jobs in a fuzzer: nothing, at once. */
static sbl_status no_work(const sbl_serve_place *place, const char *run, sbl_progress progress,
                          sbl_advice advice, void *context, sbl_error *err)
{
    (void)place;
    (void)run;
    (void)progress;
    (void)advice;
    (void)context;
    (void)err;
    return SBL_OK;
}

/* What the process of a run would leave in its folder. */
static void fill_run(void)
{
    static const char folder[] = SERVE_TABLE ".runs/1/";
    sbl_synth_options options;
    sbl_output output;
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_data *data = NULL;
    char paths[4][256];
    static const char *const names[] = {SBL_RUN_TABLE, SBL_RUN_MODEL, SBL_RUN_REPORT, SBL_RUN_SCHEMA};
    for (size_t i = 0; i < 4; i++) (void)snprintf(paths[i], sizeof paths[i], "%s%s", folder, names[i]);
    sbl_synth_options_init(&options);
    sbl_output_init(&output);
    options.epsilon = 2;
    output.records = paths[0];
    output.model = paths[1];
    output.schema = paths[3];
    CHECK(sbl_schema_from_file(&schema, paths[3], false, NULL) == SBL_OK);
    CHECK(sbl_data_open(&data, SERVE_TABLE, NULL, NULL) == SBL_OK);
    CHECK(sbl_synthesizer_new(&synth, NULL) == SBL_OK);
    CHECK(sbl_synthesizer_write_to(synth, &output, NULL) == SBL_OK);
    CHECK(sbl_synthesizer_fit(synth, data, schema, &options, NULL) == SBL_OK);
    write_file(paths[2], "<!DOCTYPE html><title>a report</title>\n");
    sbl_synthesizer_free(synth);
    sbl_data_free(data);
    sbl_schema_free(schema);
}

/* One run to its end. */
static void make_run(sbl_serve_server *server)
{
    static const char body[] = "{\"path\": \"" SERVE_TABLE "\", \"epsilon\": 2}";
    sbl_serve_request request = {0};
    sbl_serve_answer answer = {.fd = -1};
    sbl_error err = {0};
    CHECK(sbl_serve_body_read(&request.body, body, strlen(body), &err) == SBL_OK);
    CHECK(sbl_serve_api_run(server, &request, &answer, &err) == SBL_OK);
    fill_run();
    json_decref(answer.json);
    json_decref(request.body);
}

static int keep_file(const char *path, const struct stat *seen, int kind, struct FTW *where)
{
    (void)where;
    kept_file *file = &here.files[here.count];
    CHECK(here.count < MOST_FILES && strlen(path) < sizeof file->path);
    (void)strcpy(file->path, path);
    file->is_folder = kind == FTW_D;
    file->size = (size_t)seen->st_size;
    file->changed = seen->st_mtim;
    here.count++;
    if (file->is_folder) return 0;
    FILE *stream = fopen(path, "rb");
    file->bytes = malloc(file->size + 1);
    CHECK(stream != NULL && file->bytes != NULL && fread(file->bytes, 1, file->size, stream) == file->size);
    return fclose(stream);
}

static int remove_one(const char *path, const struct stat *seen, int kind, struct FTW *where)
{
    (void)seen;
    (void)kind;
    (void)where;
    return remove(path);
}

static void end(void)
{
    if (here.jobs != NULL) sbl_serve_jobs_free(here.jobs);
    (void)nftw(here.root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void serve_folder_begin(sbl_serve_server *server)
{
    static const char schema[] = JSON({"fields": [{"name": "age", "type": "integer",
        "constraints": {"minimum": 0, "maximum": 110}},
        {"name": "town", "type": "string", "constraints": {"enum": ["Aarau", "Bern"]}},
        {"name": "paid", "type": "number", "constraints": {"minimum": 0, "maximum": 100}}]});
    sbl_error err = {0};
    /* In memory, where that is: whoever waits for a disk after every request sees few of them. */
    (void)strcpy(here.root, access("/dev/shm", W_OK) == 0 ? "/dev/shm/sbl-fuzz-serve-XXXXXX"
                                                          : "/tmp/sbl-fuzz-serve-XXXXXX");
    CHECK(mkdtemp(here.root) != NULL && chdir(here.root) == 0);
    (void)atexit(end);
    write_file("outside.csv", "name,value\n" SERVE_SECRET ",1\nx,2\ny,3\n");
    CHECK(mkdir("data", 0700) == 0 && chdir("data") == 0);
    CHECK(symlink("../outside.csv", "link.csv") == 0);
    write_table();
    write_images();
    write_package();
    write_file(SERVE_TABLE ".schema.json", schema);
    server->root = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    server->folder_name = "data";
    server->port = 4000;
    (void)pthread_mutex_init(&server->heavy, NULL);
    CHECK(sbl_serve_jobs_new(&server->jobs, (sbl_serve_place){server->root, NULL, NULL}, no_work, &err) ==
          SBL_OK);
    here.jobs = server->jobs;
    make_run(server);
    CHECK(nftw(".", keep_file, 16, FTW_PHYS) == 0);
}

/* ---- holding it ---- */

static kept_file *find(const char *path)
{
    for (size_t i = 0; i < here.count; i++)
        if (strcmp(here.files[i].path, path) == 0) return &here.files[i];
    return NULL;
}

static bool begins_as_kept(const kept_file *file, bool may_grow)
{
    struct stat seen;
    if (stat(file->path, &seen) != 0 || (size_t)seen.st_size < file->size) return false;
    if (!may_grow && (size_t)seen.st_size != file->size) return false;
    char *bytes = malloc(file->size + 1);
    FILE *stream = fopen(file->path, "rb");
    const bool same = stream != NULL && bytes != NULL && fread(bytes, 1, file->size, stream) == file->size &&
                      memcmp(bytes, file->bytes, file->size) == 0;
    if (stream != NULL) (void)fclose(stream);
    free(bytes);
    return same;
}

void serve_folder_check(void)
{
    size_t outside = 0;
    DIR *folder = opendir("..");
    CHECK(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) outside++;
    (void)closedir(folder);
    CHECK(outside == 4); /* ., .., outside.csv, data */
    CHECK(begins_as_kept(find("./" SERVE_TABLE), false));
    CHECK(begins_as_kept(find("./" SERVE_TABLE ".ledger"), true));
}

static int undo_one(const char *path, const struct stat *seen, int kind, struct FTW *where)
{
    (void)where;
    const kept_file *file = find(path);
    if (file == NULL) return remove(path);
    if (file->is_folder || kind == FTW_SL ||
        ((size_t)seen->st_size == file->size && seen->st_mtim.tv_sec == file->changed.tv_sec &&
         seen->st_mtim.tv_nsec == file->changed.tv_nsec))
        return 0;
    (void)remove(path);
    return 0;
}

void serve_folder_restore(void)
{
    CHECK(nftw(".", undo_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
    for (size_t i = 0; i < here.count; i++) {
        kept_file *file = &here.files[i];
        struct stat seen;
        if (lstat(file->path, &seen) == 0) continue;
        FILE *stream = fopen(file->path, "wb");
        CHECK(stream != NULL && fwrite(file->bytes, 1, file->size, stream) == file->size &&
              fclose(stream) == 0);
        CHECK(lstat(file->path, &seen) == 0);
        file->changed = seen.st_mtim;
    }
}
