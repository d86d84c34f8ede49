/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run keeps what it makes: releases, certificate, ledger, checkpoint, model, the schema that was
 * discovered. A store is one table of functions; there are files, where an item's name is its path, and
 * memory. Whatever the store, what is written is whole and safe when the call returns, and a log (the
 * ledger) is read, extended and synced under its lock, so that the order of charge, noise and release is
 * the same everywhere (door/privatise/privatise.h). */
#ifndef SBL_STORE_STORE_H
#define SBL_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"

typedef struct sbl_store sbl_store;

/* A log that is open and locked until it is closed. */
typedef struct sbl_log {
    const sbl_store *store;
    const char *name; /* borrowed */
    size_t size;      /* when it was opened */
    int descriptor;   /* the store's own; -1: none */
} sbl_log;

typedef struct sbl_store_kind {
    /* All of an item of at most `limit` bytes, with a NUL behind it; sbl_free(). SBL_EIO: there is none. */
    sbl_status (*read)(uint8_t **bytes, size_t *size, const sbl_store *store, const char *name, size_t limit,
                       sbl_error *err);
    /* All of it or nothing, as base/file.h says of files; a ledger is never replaced. */
    sbl_status (*write)(const sbl_store *store, const char *name, const void *bytes, size_t size,
                        sbl_file_write_options options, sbl_error *err);
    /* Would a write be refused for a reason that can be seen beforehand? */
    sbl_status (*check)(const sbl_store *store, const char *name, bool overwrite, sbl_error *err);
    bool (*exists)(const sbl_store *store, const char *name);
    void (*remove)(const sbl_store *store, const char *name);

    /* Open and lock, for others to read along or, for writing, alone; sets log->size and what the store
     * keeps. log->store and ->name are set. Whatever is returned, the caller closes it. */
    sbl_status (*log_open)(sbl_log *log, bool writing, sbl_error *err);
    sbl_status (*log_read)(const sbl_log *log, char *bytes, size_t size, size_t offset, sbl_error *err);
    /* Keeps the first `keep` bytes, replaces what follows with these bytes, and syncs. If that fails, a part
     * of the new or of the old bytes follows. */
    sbl_status (*log_append)(const sbl_log *log, size_t keep, const char *bytes, size_t size, sbl_error *err);
    void (*log_close)(sbl_log *log); /* the lock goes */
} sbl_store_kind;

struct sbl_store {
    const sbl_store_kind *kind;
    void *state; /* the kind's own */
};

/* One item of a store; the name is borrowed. store NULL: none. */
typedef struct sbl_store_entry {
    const sbl_store *store;
    const char *name;
} sbl_store_entry;

/* The file of that path; NULL: none. */
sbl_store_entry sbl_file_item(const char *path);
/* The path of an item that is a file; NULL: it is none. */
const char *sbl_store_entry_path(sbl_store_entry item);

/* A store in memory, of items whose names are any text; for one thread at a time.
 * Returns: SBL_OK, SBL_EMEM.   Owner: the caller; sbl_store_memory_free() */
sbl_status sbl_store_memory_new(sbl_store **store, sbl_error *err);
void sbl_store_memory_free(sbl_store *store); /* NULL is fine */
/* The bytes of an item, with a NUL behind them, borrowed until it is written or removed; NULL: there is none. */
const uint8_t *sbl_store_memory_look(const sbl_store *store, const char *name, size_t *size);

static inline sbl_status sbl_store_entry_read(uint8_t **bytes, size_t *size, sbl_store_entry item,
                                              size_t limit, sbl_error *err)
{
    return item.store->kind->read(bytes, size, item.store, item.name, limit, err);
}

static inline sbl_status sbl_store_entry_write(sbl_store_entry item, const void *bytes, size_t size,
                                               sbl_file_write_options options, sbl_error *err)
{
    return item.store->kind->write(item.store, item.name, bytes, size, options, err);
}

static inline sbl_status sbl_store_entry_check(sbl_store_entry item, bool overwrite, sbl_error *err)
{
    return item.store->kind->check(item.store, item.name, overwrite, err);
}

/* SHA-256 of all of it, as hex text. */
sbl_status sbl_store_entry_sha256(char hash[SBL_SHA256_TEXT_SIZE], sbl_store_entry item, sbl_error *err);

static inline bool sbl_store_entry_exists(sbl_store_entry item)
{
    return item.store->kind->exists(item.store, item.name);
}

static inline void sbl_store_entry_remove(sbl_store_entry item)
{
    item.store->kind->remove(item.store, item.name);
}

#endif
