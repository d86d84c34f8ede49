/* SPDX-License-Identifier: Apache-2.0 */
/* A store outside the library: a few items in an array, and a line for everything that is done to them. */
#ifndef SBL_TESTS_FRAMEWORK_TOY_STORE_H
#define SBL_TESTS_FRAMEWORK_TOY_STORE_H

#include "base/store/store.h"

enum { TOY_ITEMS = 8, TOY_SIZE = 1 << 16, TOY_TRACE = 4096 };

typedef struct toy_item {
    char name[32]; /* empty: none */
    uint8_t bytes[TOY_SIZE];
    size_t size;
} toy_item;

typedef struct toy_store {
    sbl_store store; /* what is handed to a job */
    toy_item items[TOY_ITEMS];
    char trace[TOY_TRACE]; /* "write release\n", "append RESERVE\n", ... */
    int locks;             /* that are held */
} toy_store;

void toy_store_init(toy_store *toy);

#endif
