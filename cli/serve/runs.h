/* A run on disk: a folder INPUT.runs/K that holds all of it. What state it is in follows from its files, so that a
 * server that was killed loses nothing; `semblance resume --job INPUT.runs/K/job.json`, in the folder that is served,
 * goes on with it, too. */
#ifndef SBL_SERVE_RUNS_H
#define SBL_SERVE_RUNS_H

#include <jansson.h>
#include <stdbool.h>

#include "folder.h"
#include "semblance/options.h"
#include "semblance/status.h"

#define SBL_RUNS_ENDING ".runs"

/* The files of a run, each beside the others in its folder. */
#define SBL_RUN_JOB "job.json"
#define SBL_RUN_SCHEMA "schema.json"
#define SBL_RUN_TABLE "synthetic.csv"
#define SBL_RUN_MODEL "model.safetensors"
#define SBL_RUN_REPORT "report.html"
#define SBL_RUN_COMPARISON "comparison-NOT-PRIVATE.html"
#define SBL_RUN_ROWS "rows-" /* rows-1.csv, ...: drawn later from the model */

/* What a run was asked for; options.txt texts live as long as the struct. */
typedef struct sbl_serve_run {
    char folder[SBL_FOLDER_PATH_SIZE];
    char input[SBL_FOLDER_PATH_SIZE];
    bool has_schema; /* else one is discovered with a part of the budget */
    char epsilon[40];
    char delta[40];
    char method[40];
    char title[208];
    char by[208];
} sbl_serve_run;

/* A new folder for a run: its job file and its schema (NULL: none).
 * In/out: run  all but folder is set; folder is set here */
sbl_status sbl_serve_run_create(sbl_serve_run *run, int root, const char *schema, sbl_error *err);
/* What the job file in a folder says. */
sbl_status sbl_serve_run_load(sbl_serve_run *run, int root, const char *folder, sbl_error *err);

/* FOLDER/NAME. */
sbl_status sbl_serve_run_file(char path[SBL_FOLDER_PATH_SIZE], const char *folder, const char *name,
                              sbl_error *err);
/* Is FOLDER the name of a run's folder? The number of bytes of the name of its input then; else 0. */
size_t sbl_serve_run_input_length(const char *folder);

/* All that is left of a run: fit or go on with it, draw, report. */
sbl_status sbl_serve_run_work(int root, const char *folder, sbl_progress progress,
                              sbl_advice advice, void *context, sbl_error *err);

/* The run's table beside the real one, as a page: NOT PRIVATE. */
sbl_status sbl_serve_compare_work(int root, const char *folder, sbl_progress progress,
                                  void *context, sbl_error *err);

/* The work of a job by its name: a run's folder, or the path of its comparison. */
sbl_status sbl_serve_work_by_name(int root, const char *name, sbl_progress progress,
                                  sbl_advice advice, void *context, sbl_error *err);

#endif
