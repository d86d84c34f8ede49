/* SPDX-License-Identifier: Apache-2.0 */
/* A run on disk: a folder INPUT.runs/K that holds all of it. What state it is in follows from its files, so that a
 * server that was killed loses nothing; `semblance resume --job INPUT.runs/K/job.json`, in the folder that is served,
 * goes on with it, too. */
#ifndef SBL_SERVE_RUNS_H
#define SBL_SERVE_RUNS_H

#include <jansson.h>
#include <stdbool.h>

#include "dataset.h"
#include "jobs.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "served_folder.h"

#define SBL_RUNS_ENDING ".runs"

/* The files of a run, each beside the others in its folder. What was drawn is called by its kind (records below); its
 * release and its certificate are called as it is, with an ending. */
#define SBL_RUN_JOB "job.json"
#define SBL_RUN_SCHEMA "schema.json"
#define SBL_RUN_TABLE "synthetic.csv"
#define SBL_RUN_PARQUET "synthetic.parquet"
#define SBL_RUN_FOLDER "synthetic" /* of images and of linked tables */
#define SBL_RUN_PREVIEW "preview.png"
#define SBL_RUN_MODEL "model.safetensors"
#define SBL_RUN_REPORT "report.html"
#define SBL_RUN_PICTURES "pictures.json" /* what the report shows, with intervals */
#define SBL_RUN_COMPARISON "comparison-NOT-PRIVATE.html"
/* Drawn later from the model: rows-1.csv, ...; a folder images-1 with images-1.png, a folder tables-1, ... */
#define SBL_RUN_ROWS "rows-"
#define SBL_RUN_IMAGES "images-"
#define SBL_RUN_TABLES "tables-"

#define SBL_RUN_MOST_SETTINGS 16

/* What a run was asked for. */
typedef struct sbl_serve_run {
    char folder[SBL_FOLDER_PATH_SIZE];
    sbl_serve_dataset data;
    bool has_schema; /* of a table; else one is discovered with a part of the budget */
    char epsilon[40];
    char delta[40];
    char method[40];
    char title[208];
    char by[208];
    char records[24]; /* SBL_RUN_TABLE, _PARQUET or _FOLDER */
    char format[8];   /* of images: "idx" or "png" */
    struct sbl_serve_setting {
        char name[32];
        char text[64];                 /* "true" of a flag */
    } settings[SBL_RUN_MOST_SETTINGS]; /* options of the method; the first without a name ends them */
} sbl_serve_run;

/* RECORDS + ending, in the run's folder. */
sbl_status sbl_serve_run_records(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                 const char *ending, sbl_error *err);
/* Its schema: that of the run, that was discovered, or the package; "" of images. */
sbl_status sbl_serve_run_schema_path(char path[SBL_FOLDER_PATH_SIZE], const sbl_serve_run *run,
                                     sbl_error *err);
/* Are they there? */
bool sbl_serve_run_has_records(const sbl_serve_run *run, int root);
/* Add an option of a method.   Returns: SBL_EARG: too many, too long, or none that a request may set */
sbl_status sbl_serve_run_set(sbl_serve_run *run, const char *name, const char *text, sbl_error *err);
/* May a request set it: an option of some methods alone, and no file? */
bool sbl_serve_run_may_set(const sbl_option *option);
/* All of what was asked for, as the library's options. Texts are borrowed from run. */
sbl_status sbl_serve_run_options(sbl_synth_options *options, const sbl_serve_run *run, sbl_error *err);

struct sbl_serve_request;
/* The options of the method that a request names, as texts, numbers and true. */
sbl_status sbl_serve_run_take_options(sbl_serve_run *run, const struct sbl_serve_request *request,
                                      sbl_error *err);

/* A new folder for a run: its job file and its schema (NULL: none).
 * In/out: run  all but folder is set; folder is set here */
sbl_status sbl_serve_run_create(sbl_serve_run *run, int root, const char *schema, sbl_error *err);
/* Removes the folder of a run that has not begun. */
void sbl_serve_run_drop(int root, const char *folder);
/* What the job file in a folder says. */
sbl_status sbl_serve_run_load(sbl_serve_run *run, int root, const char *folder, sbl_error *err);

/* FOLDER/NAME. */
sbl_status sbl_serve_run_file(char path[SBL_FOLDER_PATH_SIZE], const char *folder, const char *name,
                              sbl_error *err);
/* Is FOLDER the name of a run's folder? The number of bytes of the name of its input then; else 0. */
size_t sbl_serve_run_input_length(const char *folder);

/* All that is left of a run, or of the comparison that is to be the page of this name (comparison.h, NOT PRIVATE), by processes of
 * their own (run_command.c). */
sbl_status sbl_serve_run_work(const sbl_serve_place *place, const char *name, sbl_progress progress,
                              sbl_advice advice, void *context, sbl_error *err);

/* Run the program once, and wait for it (run_child.c).
 * In:      words  its command line, with a NULL behind it
 *          lock   an open file, which the child holds open, too
 * Returns: SBL_OK; SBL_ESTOPPED; else what the program said */
sbl_status sbl_serve_child_run(const sbl_serve_place *place, const char *const *words, int lock,
                               sbl_progress progress, sbl_advice advice, void *context, sbl_error *err);

#endif
