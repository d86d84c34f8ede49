/* SPDX-License-Identifier: Apache-2.0 */
/* What every kind of model file must stand: damage and lack of memory. */
#ifndef SBL_TESTS_MODEL_MODEL_FILE_H
#define SBL_TESTS_MODEL_MODEL_FILE_H

#include "base/error.h"
#include "support/one_folder.h"

/* For ALL_TESTS(model_file_setup, remove_folder): a file in a temporary folder. */
extern char model_path[300];
int model_file_setup(void **state);

/* Loads the model, checks that a failure leaves nothing behind, and clears it. */
typedef sbl_status (*model_loader)(const char *path);

/* model_path holds a good file. Cut anywhere or with a bit turned it is refused, and so is a file
 * that is not there. */
void damaged_files_are_refused(model_loader load);
/* model_path holds a good file. Each allocation fails once. Returns how many there were. */
long lack_of_memory_is_an_error(model_loader load);

#endif
