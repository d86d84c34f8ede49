/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a run and of its comparison, which are what a person would type in the folder that is served. Every file that
 * they read is one of the folder, through no link: that is checked here, before the program opens it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../cli/output.h"
#include "comparison.h"
#include "runs.h"
#include "semblance/data.h"
#include "semblance/files.h"
#include "server.h"

#define MOST_WORDS 64
#define FILES 7          /* of a run that are named to the program */
#define SHOWN_ROWS "100" /* of a table that the page cannot read */

/* A command and the run that it is of. */
typedef struct command {
    const sbl_serve_place *place;
    sbl_serve_run run;
    int lock;
    const char *words[MOST_WORDS + 1]; /* borrowed; NULL behind the last */
    size_t count;
} command;

static void add(command *c, const char *word)
{
    if (c->count < MOST_WORDS) c->words[c->count++] = word;
    c->words[c->count] = NULL;
}

static void add_option(command *c, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0') return;
    add(c, name);
    add(c, value);
}

/* How it talks, and where DuckDB's library is. */
static void begin(command *c, const char *name)
{
    c->count = 0;
    add(c, "semblance");
    add(c, name);
    add_option(c, "--progress", "lines");
    add_option(c, "--duckdb", c->place->engine);
}

/* One process at a time works on a run, whichever server started it: the child holds the lock, too. */
static sbl_status lock_run(command *c, sbl_error *err)
{
    char path[SBL_FOLDER_PATH_SIZE];
    sbl_status status = sbl_serve_run_file(path, c->run.folder, SBL_RUN_JOB, err);
    if (status == SBL_OK) status = sbl_serve_folder_file(&c->lock, NULL, c->place->root, path, err);
    if (status == SBL_OK && flock(c->lock, LOCK_EX | LOCK_NB) != 0)
        status = sbl_cli_fail(err, SBL_EBUSY, "%s: another process is working on it; wait until it ends",
                              c->run.folder);
    return status;
}

/* Can the program read it, and is all of it in the folder? */
static sbl_status check_set(const command *c, const sbl_serve_dataset *set, sbl_error *err)
{
    sbl_data *data = NULL;
    const sbl_status status = sbl_serve_dataset_open(&data, set, c->place->root, c->place->engine, err);
    sbl_data_free(data);
    return status;
}

/* Is it a file of the folder, and not a link? */
static sbl_status check_file(const command *c, const char *path, sbl_error *err)
{
    return sbl_serve_folder_has(c->place->root, path)
               ? SBL_OK
               : sbl_cli_fail(err, SBL_EIO, "%s: no such file in the folder", path);
}

/* ---- a run ---- */

/* The files of a run have the names that its folder gives them, whatever its job file says: what is typed takes precedence. */
static sbl_status add_files(command *c, char paths[FILES][SBL_FOLDER_PATH_SIZE], sbl_error *err)
{
    const bool images = c->run.data.kind == SBL_KIND_IMAGES;
    const struct {
        const char *option, *name;
        bool used;
    } files[FILES] = {{"--job", SBL_RUN_JOB, true},
                      {"--output", c->run.records, true},
                      {"--model", SBL_RUN_MODEL, true},
                      {"--report", SBL_RUN_REPORT, true},
                      {"--preview", SBL_RUN_PREVIEW, images},
                      {"--pictures", SBL_RUN_PICTURES, !images},
                      {"--schema", SBL_RUN_SCHEMA, c->run.has_schema}};
    sbl_status status = SBL_OK;
    for (size_t i = 0; status == SBL_OK && i < FILES; i++) {
        status = sbl_serve_run_file(paths[i], c->run.folder, files[i].name, err);
        if (status == SBL_OK && files[i].used) add_option(c, files[i].option, paths[i]);
    }
    return status == SBL_OK && c->run.has_schema ? check_file(c, paths[FILES - 1], err) : status;
}

/* From the beginning, or from the releases that are there. What was drawn without a report is drawn again. */
static sbl_status fit(command *c, sbl_progress progress, sbl_advice advice, void *context, sbl_error *err)
{
    char paths[FILES][SBL_FOLDER_PATH_SIZE], release[SBL_FOLDER_PATH_SIZE], report[SBL_FOLDER_PATH_SIZE];
    const int root = c->place->root;
    sbl_serve_dataset there;
    sbl_status status = sbl_serve_run_file(report, c->run.folder, SBL_RUN_REPORT, err);
    if (status != SBL_OK || sbl_serve_folder_has(root, report)) return status;
    status = sbl_serve_run_records(release, &c->run, SBL_ENDING_RELEASE, err);
    if (status == SBL_OK) status = sbl_serve_dataset_begin(&there, root, c->run.data.name, err);
    if (status == SBL_OK) status = check_set(c, &c->run.data, err);
    begin(c, sbl_serve_folder_has(root, release) ? "resume" : "synth");
    if (status == SBL_OK) status = add_files(c, paths, err);
    if (status != SBL_OK) return status;
    add_option(c, "--policy", c->place->policy);
    if (sbl_serve_run_has_records(&c->run, root)) add(c, "--overwrite");
    return sbl_serve_child_run(c->place, c->words, c->lock, progress, advice, context, err);
}

/* Some rows that the page can show, where it cannot read what was drawn. */
static sbl_status draw_some(command *c, sbl_progress progress, void *context, sbl_error *err)
{
    char model[SBL_FOLDER_PATH_SIZE], rows[SBL_FOLDER_PATH_SIZE];
    sbl_status status = sbl_serve_run_file(model, c->run.folder, SBL_RUN_MODEL, err);
    if (status == SBL_OK) status = sbl_serve_run_file(rows, c->run.folder, SBL_RUN_ROWS "1.csv", err);
    if (status != SBL_OK || sbl_serve_folder_has(c->place->root, rows)) return status;
    begin(c, "sample");
    add(c, model);
    add_option(c, "--rows", SHOWN_ROWS);
    add_option(c, "--output", rows);
    return sbl_serve_child_run(c->place, c->words, c->lock, progress, NULL, context, err);
}

/* ---- a comparison: NOT PRIVATE, and it touches no ledger ---- */

/* Records that were held out are read as those of the run are, but for where they and their labels stand. */
static sbl_status check_held_out(const command *c, sbl_serve_dataset *set, const sbl_serve_question *asked,
                                 sbl_error *err)
{
    const sbl_serve_dataset *own = &c->run.data;
    const sbl_option *option;
    sbl_status status = sbl_serve_dataset_begin(set, c->place->root, asked->held_out, err);
    set->kind = own->kind;
    for (size_t i = 0; status == SBL_OK && (option = sbl_serve_reading_at(i)) != NULL; i++)
        if (strcmp(option->name, "table") != 0 && strcmp(option->name, "labels") != 0 &&
            own->readings[i][0] != '\0')
            status = sbl_serve_reading_set(set, option->name, own->readings[i], err);
    if (status == SBL_OK && asked->labels[0] != '\0')
        status = sbl_serve_reading_set(set, "labels", asked->labels, err);
    return status == SBL_OK ? check_set(c, set, err) : status;
}

/* How real records are read; options of the program are called as what is said of reading. */
static void add_reading(command *c, char names[SBL_MOST_READINGS][24])
{
    static const char *const others[] = {"table", "labels", "balanced"};
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_serve_reading_at(i)) != NULL; i++) {
        const char *name = option->name, *value = sbl_serve_reading(&c->run.data, name);
        bool left_out = value == NULL;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            left_out = left_out || strcmp(name, others[k]) == 0;
        if (left_out) continue;
        (void)snprintf(names[i], sizeof names[i], "--%s", name);
        add(c, names[i]);
        if (option->type != SBL_OPTION_FLAG) add(c, value);
    }
}

static void add_sets(command *c, const sbl_serve_dataset *real, bool held_out)
{
    const sbl_serve_dataset *own = &c->run.data;
    add_option(c, "--real", real->path);
    add_option(c, "--table", sbl_serve_reading(real, "table"));
    add_option(c, "--real-labels", sbl_serve_reading(real, "labels"));
    if (!held_out) return;
    add_option(c, "--train", own->path);
    add_option(c, "--train-table", sbl_serve_reading(own, "table"));
    add_option(c, "--train-labels", sbl_serve_reading(own, "labels"));
}

static sbl_status compare(command *c, const char *name, sbl_progress progress, void *context, sbl_error *err)
{
    char page[SBL_FOLDER_PATH_SIZE], records[SBL_FOLDER_PATH_SIZE], certificate[SBL_FOLDER_PATH_SIZE];
    char schema[SBL_FOLDER_PATH_SIZE], names[SBL_MOST_READINGS][24];
    const sbl_serve_run *run = &c->run;
    sbl_serve_question asked;
    sbl_serve_dataset other;
    sbl_status status = sbl_serve_comparison_question(&asked, c->place->root, run->folder, name, err);
    const bool held_out = asked.held_out[0] != '\0';
    if (status == SBL_OK) status = sbl_serve_run_file(page, run->folder, name, err);
    if (status == SBL_OK) status = sbl_serve_run_records(records, run, "", err);
    if (status == SBL_OK) status = sbl_serve_run_records(certificate, run, SBL_ENDING_CERTIFICATE, err);
    if (status == SBL_OK) status = sbl_serve_run_schema_path(schema, run, err);
    if (status == SBL_OK && !sbl_serve_run_has_records(run, c->place->root))
        status = sbl_cli_fail(err, SBL_EIO, "%s: this run has no output yet", run->folder);
    if (status == SBL_OK) status = check_file(c, certificate, err);
    if (status == SBL_OK && schema[0] != '\0') status = check_file(c, schema, err);
    if (status == SBL_OK) status = check_set(c, &run->data, err);
    if (status == SBL_OK && held_out) status = check_held_out(c, &other, &asked, err);
    if (status != SBL_OK) return status;
    begin(c, "evaluate");
    if (run->data.kind == SBL_KIND_IMAGES) add(c, "--images");
    add_option(c, run->data.kind == SBL_KIND_PACKAGE ? "--package" : "--schema", schema);
    add_sets(c, held_out ? &other : &run->data, held_out);
    add_reading(c, names);
    add_option(c, "--synthetic", records);
    add_option(c, "--certificate", certificate);
    add_option(c, "--report", page);
    add_option(c, "--models", asked.models ? NULL : "none");
    return sbl_serve_child_run(c->place, c->words, c->lock, progress, NULL, context, err);
}

sbl_status sbl_serve_run_work(const sbl_serve_place *place, const char *name, sbl_progress progress,
                              sbl_advice advice, void *context, sbl_error *err)
{
    char folder[SBL_FOLDER_PATH_SIZE];
    const char *slash = strrchr(name, '/');
    const bool compares = slash != NULL && sbl_serve_is_comparison(slash + 1);
    command *c = calloc(1, sizeof *c);
    if (c == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for a run");
    c->place = place;
    c->lock = -1;
    (void)snprintf(folder, sizeof folder, "%.*s", compares ? (int)(slash - name) : (int)strlen(name), name);
    sbl_status status = sbl_serve_run_load(&c->run, place->root, folder, err);
    if (status == SBL_OK) status = lock_run(c, err);
    if (status == SBL_OK)
        status =
            compares ? compare(c, slash + 1, progress, context, err) : fit(c, progress, advice, context, err);
    if (status == SBL_OK && !compares && strcmp(c->run.records, SBL_RUN_PARQUET) == 0)
        status = draw_some(c, progress, context, err);
    if (c->lock >= 0) (void)close(c->lock);
    free(c);
    return status;
}
