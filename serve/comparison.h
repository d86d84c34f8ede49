/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of what a run made with real records: NOT PRIVATE. The plain one is the page comparison-NOT-PRIVATE.html; one
 * with records that were held out, or with models, is comparison-K-NOT-PRIVATE.html, and what was asked stands in
 * comparison-K.json. */
#ifndef SBL_SERVE_COMPARISON_H
#define SBL_SERVE_COMPARISON_H

#include <stdbool.h>

#include "semblance/status.h"
#include "served_folder.h"

#define SBL_COMPARISON_NAME 64 /* bytes of a page's name, with the NUL */

typedef struct sbl_serve_question {
    char held_out
        [SBL_FOLDER_PATH_SIZE]; /* a data set of the folder, read as the run's own is; "": the run's own */
    char labels[SBL_FOLDER_PATH_SIZE]; /* of held-out IDX images; "": none */
    bool models;                       /* what models learn of both, too, which takes minutes */
} sbl_serve_question;

/* Is it the name of a page of a comparison? */
bool sbl_serve_is_comparison(const char *name);
/* The page of this question: of one that was asked before, or a new one.
 * In:  folder  of the run
 * Out: is_new  the question was written just now */
sbl_status sbl_serve_comparison_name(char name[SBL_COMPARISON_NAME], bool *is_new, int root,
                                     const char *folder, const sbl_serve_question *question, sbl_error *err);
/* Removes the question of a page that was not begun. */
void sbl_serve_comparison_drop(int root, const char *folder, const char *name);
/* The question of a page. */
sbl_status sbl_serve_comparison_question(sbl_serve_question *question, int root, const char *folder,
                                         const char *name, sbl_error *err);

#endif
