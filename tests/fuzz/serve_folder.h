/* SPDX-License-Identifier: Apache-2.0 */
/* A folder as `semblance serve` has it, for a fuzzer: a table, its schema, its ledger and a run that is finished; images
 * and linked tables; beside the folder a file that must stay unknown. What a request changes is undone. */
#ifndef SBL_TESTS_FUZZ_SERVE_FOLDER_H
#define SBL_TESTS_FUZZ_SERVE_FOLDER_H

#include "serve/server.h"

#define SERVE_TABLE "t.csv"
#define SERVE_IMAGES "i-images-idx3-ubyte"
#define SERVE_LABELS "i-labels-idx1-ubyte"
#define SERVE_PACKAGE "shop/datapackage.json"
#define SERVE_SECRET "the secret outside"

/* Makes the folder, enters it, and makes the run. Once. */
void serve_folder_begin(sbl_serve_server *server);
/* The table is as it was, the ledger begins as it did, and nothing was made outside. Else the program ends. */
void serve_folder_check(void);
/* All as it was. */
void serve_folder_restore(void);

#endif
