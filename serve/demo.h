/* SPDX-License-Identifier: Apache-2.0 */
/* The demo: the made-up clinic of examples/, its table and its schema, compiled in. */
#ifndef SBL_SERVE_DEMO_H
#define SBL_SERVE_DEMO_H

#include <stdbool.h>

#include "semblance/status.h"

#define SBL_DEMO_FOLDER "demo-clinic"
#define SBL_DEMO_TABLE SBL_DEMO_FOLDER "/patients.csv"

/* A cross-compiled build has none: its table is made by a program of the build. */
bool sbl_serve_demo_is_there(void);
/* Write both files into the folder of the demo, where they are not there yet. */
sbl_status sbl_serve_demo_write(int root, sbl_error *err);

#endif
