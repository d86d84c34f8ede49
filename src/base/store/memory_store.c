/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: a list of named bytes. It has one owner, who makes one call at a time, so locks and
 * syncs do nothing. Everything else is as with files. */
#include <string.h>

#include "base/alloc.h"
#include "base/store/store.h"
#include "base/text.h"

typedef struct held {
    char *name;
    uint8_t *bytes; /* (size + 1), the last a NUL */
    size_t size;
} held;

typedef struct memory {
    held *items;
    size_t count;
} memory;

static held *find(const sbl_store *store, const char *name)
{
    const memory *m = store->state;
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i].name, name) == 0) return &m->items[i];
    return NULL;
}

static void clear(held *item)
{
    sbl_free(item->name);
    sbl_free_wiped(item->bytes, item->size);
}

/* An item of that name, which is empty where it is new. */
static sbl_status find_or_add(held **item, const sbl_store *store, const char *name, sbl_error *err)
{
    memory *m = store->state;
    char *copy = NULL;
    sbl_status status = SBL_OK;
    *item = find(store, name);
    if (*item != NULL) return SBL_OK;
    SBL_RESIZE(m->items, m->count + 1, name);
    SBL_TRY(sbl_copy_text(&copy, name, name, err));
    *item = &m->items[m->count++];
    **item = (held){.name = copy};
done:
    return status;
}

static sbl_status fail_missing(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EIO, "there is no %s", name);
}

static sbl_status read_item(uint8_t **bytes, size_t *size, const sbl_store *store, const char *name,
                            size_t limit, sbl_error *err)
{
    const held *item = find(store, name);
    sbl_status status = SBL_OK;
    *bytes = NULL;
    *size = 0;
    if (item == NULL) return fail_missing(name, err);
    if (item->size > limit)
        return sbl_fail(err, SBL_EINPUT, "%s is too large: such a file may have at most %zu bytes", name,
                        limit);
    SBL_ALLOC(*bytes, item->size + 1, name);
    memcpy(*bytes, item->bytes, item->size);
    *size = item->size;
done:
    return status;
}

static bool is_ledger(const held *item)
{
    const size_t length = strlen(SBL_LEDGER_MAGIC);
    return item->size >= length && memcmp(item->bytes, SBL_LEDGER_MAGIC, length) == 0;
}

static sbl_status check_item(const sbl_store *store, const char *name, bool overwrite, sbl_error *err)
{
    const held *item = find(store, name);
    if (item == NULL) return SBL_OK;
    if (!overwrite) return sbl_fail_hint(err, SBL_EIO, SBL_HINT_OVERWRITE, name, "%s exists already", name);
    return is_ledger(item)
               ? sbl_fail(err, SBL_EARG, "%s is a ledger, which is never replaced: choose another name", name)
               : SBL_OK;
}

/* The first `keep` bytes of an item and these behind them. */
static sbl_status put(const sbl_store *store, const char *name, size_t keep, const void *bytes, size_t size,
                      sbl_error *err)
{
    held *item = NULL;
    uint8_t *next = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(next, keep + size + 1, name);
    SBL_TRY(find_or_add(&item, store, name, err));
    if (keep > 0) memcpy(next, item->bytes, keep);
    if (size > 0) memcpy(next + keep, bytes, size);
    sbl_free_wiped(item->bytes, item->size);
    item->bytes = next;
    item->size = keep + size;
    next = NULL;
done:
    sbl_free(next);
    return status;
}

static sbl_status write_item(const sbl_store *store, const char *name, const void *bytes, size_t size,
                             sbl_file_write_options options, sbl_error *err)
{
    if (options.appeared != NULL) *options.appeared = false;
    sbl_status status = check_item(store, name, options.overwrite, err);
    if (status == SBL_OK) status = put(store, name, 0, bytes, size, err);
    if (status == SBL_OK && options.appeared != NULL) *options.appeared = true;
    return status;
}

static bool item_exists(const sbl_store *store, const char *name) { return find(store, name) != NULL; }

static void remove_item(const sbl_store *store, const char *name)
{
    memory *m = store->state;
    held *item = find(store, name);
    if (item == NULL) return;
    clear(item);
    *item = m->items[--m->count];
}

/* ---- ledgers ---- */

static sbl_status open_ledger(sbl_log *log, bool writing, sbl_error *err)
{
    (void)writing;
    log->descriptor = -1;
    return sbl_store_memory_look(log->store, log->name, &log->size) != NULL
               ? SBL_OK
               : sbl_fail_hint(err, SBL_EIO, SBL_HINT_LEDGER_MAKE, log->name, "ledger %s does not exist",
                               log->name);
}

static sbl_status read_ledger(const sbl_log *log, char *bytes, size_t size, size_t offset, sbl_error *err)
{
    const held *item = find(log->store, log->name);
    if (item == NULL || size > item->size || offset > item->size - size) return fail_missing(log->name, err);
    memcpy(bytes, item->bytes + offset, size);
    return SBL_OK;
}

static sbl_status append_to_ledger(const sbl_log *log, size_t keep, const char *bytes, size_t size,
                                   sbl_error *err)
{
    return put(log->store, log->name, keep, bytes, size, err);
}

static void close_ledger(sbl_log *log) { (void)log; }

/* ---- the store ---- */

sbl_status sbl_store_memory_new(sbl_store **store, sbl_error *err)
{
    static const sbl_store_kind kind = {
        .read = read_item,
        .write = write_item,
        .check = check_item,
        .exists = item_exists,
        .remove = remove_item,
        .log_open = open_ledger,
        .log_read = read_ledger,
        .log_append = append_to_ledger,
        .log_close = close_ledger,
    };
    sbl_store *made = NULL;
    sbl_status status = SBL_OK;
    *store = NULL;
    SBL_ALLOC(made, 1, "a store");
    made->kind = &kind;
    made->state = sbl_alloc_array(1, sizeof(memory));
    if (made->state == NULL) SBL_TRY(sbl_no_memory(err, "a store"));
    *store = made;
    made = NULL;
done:
    sbl_free(made);
    return status;
}

void sbl_store_memory_free(sbl_store *store)
{
    if (store == NULL) return;
    memory *m = store->state;
    for (size_t i = 0; i < m->count; i++) clear(&m->items[i]);
    sbl_free(m->items);
    sbl_free(m);
    sbl_free(store);
}

const uint8_t *sbl_store_memory_look(const sbl_store *store, const char *name, size_t *size)
{
    const held *item = find(store, name);
    *size = item != NULL ? item->size : 0;
    return item != NULL ? item->bytes : NULL;
}
