/* SPDX-License-Identifier: Apache-2.0 */
#include "toy_store.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static toy_item *find(const sbl_store *store, const char *name)
{
    toy_store *toy = store->state;
    for (size_t i = 0; i < TOY_ITEMS; i++)
        if (strcmp(toy->items[i].name, name) == 0) return &toy->items[i];
    return NULL;
}

static void note(const sbl_store *store, const char *what, const char *of, size_t length)
{
    toy_store *toy = store->state;
    const size_t used = strlen(toy->trace);
    (void)snprintf(toy->trace + used, TOY_TRACE - used, "%s %.*s\n", what, (int)length, of);
}

static sbl_status put(const sbl_store *s, const char *name, size_t keep, const void *b, size_t n)
{
    toy_item *item = find(s, name);
    if (item == NULL) item = find(s, "");
    if (item == NULL || keep + n > TOY_SIZE) return SBL_EIO;
    (void)snprintf(item->name, sizeof item->name, "%s", name);
    memcpy(item->bytes + keep, b, n);
    item->size = keep + n;
    return SBL_OK;
}

static sbl_status toy_read(uint8_t **bytes, size_t *size, const sbl_store *store, const char *name,
                           size_t limit, sbl_error *err)
{
    const toy_item *item = find(store, name);
    if (item == NULL || item->size > limit) return (void)err, SBL_EIO;
    *bytes = sbl_alloc_array(item->size + 1, 1);
    memcpy(*bytes, item->bytes, item->size);
    *size = item->size;
    return SBL_OK;
}

static sbl_status toy_check(const sbl_store *s, const char *name, bool overwrite, sbl_error *err)
{
    (void)err;
    return overwrite || find(s, name) == NULL ? SBL_OK : SBL_EIO;
}

static sbl_status toy_write(const sbl_store *store, const char *name, const void *bytes, size_t size,
                            sbl_file_write_options options, sbl_error *err)
{
    if (toy_check(store, name, options.overwrite, err) != SBL_OK) return SBL_EIO;
    note(store, "write", name, strlen(name));
    if (options.appeared != NULL) *options.appeared = true;
    return put(store, name, 0, bytes, size);
}

static bool toy_exists(const sbl_store *store, const char *name) { return find(store, name); }

static void toy_remove(const sbl_store *store, const char *name)
{
    if (find(store, name) != NULL) find(store, name)->name[0] = '\0';
}

static sbl_status toy_open(sbl_log *log, bool writing, sbl_error *err)
{
    const toy_item *item = find(log->store, log->name);
    (void)writing, (void)err;
    ((toy_store *)log->store->state)->locks++;
    log->size = item != NULL ? item->size : 0;
    return item != NULL ? SBL_OK : SBL_EIO;
}

static sbl_status toy_log_read(const sbl_log *log, char *to, size_t size, size_t at, sbl_error *err)
{
    (void)err;
    memcpy(to, find(log->store, log->name)->bytes + at, size);
    return SBL_OK;
}

static sbl_status toy_append(const sbl_log *log, size_t keep, const char *bytes, size_t size, sbl_error *err)
{
    const char *op = strstr(bytes, "op=");
    (void)err;
    note(log->store, "append", op, strcspn(op, " "));
    return put(log->store, log->name, keep, bytes, size);
}

static void toy_close(sbl_log *log) { ((toy_store *)log->store->state)->locks--; }

void toy_store_init(toy_store *toy)
{
    static const sbl_store_kind kind = {toy_read, toy_write,    toy_check,  toy_exists, toy_remove,
                                        toy_open, toy_log_read, toy_append, toy_close};
    *toy = (toy_store){.store = {&kind, toy}};
}
