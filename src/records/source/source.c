/* SPDX-License-Identifier: Apache-2.0 */
/* [1] What all kinds of sources share, by their tables of functions, and the kind that reads encoded
 * records from memory in batches of 8192. */
#include "records/source/source.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"

sbl_status sbl_source_new(sbl_source **source, const sbl_source_kind *kind, size_t size, const char *name,
                          const sbl_facts *facts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*source, 1, name);
    (*source)->kind = kind;
    (*source)->facts = facts;
    SBL_TRY(sbl_copy_text(&(*source)->name, name, name, err));
    if (size == 0) goto done;
    (*source)->state = sbl_alloc_array(size, 1);
    if ((*source)->state == NULL) status = sbl_no_memory(err, name);
done:
    return status;
}

sbl_status sbl_source_opened(sbl_source **source, sbl_status status)
{
    if (status == SBL_OK) return SBL_OK;
    sbl_source_close(*source);
    *source = NULL;
    return status;
}

sbl_file_stamp sbl_file_stamp_read(const char *path)
{
    sbl_file_stamp look = {0};
    look.taken = path != NULL && stat(path, &look.seen) == 0;
    return look;
}

bool sbl_file_stamp_equal(const sbl_file_stamp *look, const char *path)
{
    const sbl_file_stamp now = sbl_file_stamp_read(look->taken ? path : NULL);
    const struct stat *was = &look->seen;
    return !look->taken ||
           (now.taken && now.seen.st_dev == was->st_dev && now.seen.st_ino == was->st_ino &&
            now.seen.st_size == was->st_size && now.seen.st_mtim.tv_sec == was->st_mtim.tv_sec &&
            now.seen.st_mtim.tv_nsec == was->st_mtim.tv_nsec);
}

sbl_status sbl_source_read(sbl_source *source, const sbl_records **batch, sbl_error *err)
{
    *batch = &source->batch;
    return source->kind->read(source, err);
}

sbl_status sbl_source_read_wave(sbl_source *source, const sbl_records **batches, size_t *count,
                                sbl_error *err)
{
    if (source->kind->read_wave != NULL) return source->kind->read_wave(source, batches, count, err);
    SBL_CHECK(sbl_source_read(source, batches, err));
    *count = source->batch.rows != 0;
    return SBL_OK;
}

sbl_status sbl_source_rewind(sbl_source *source, sbl_error *err) { return source->kind->rewind(source, err); }

sbl_status sbl_source_count(uint64_t *records, sbl_source *source, sbl_error *err)
{
    const sbl_records *batch;
    *records = 0;
    if (source->kind->count != NULL) return source->kind->count(records, source, err);
    do {
        SBL_CHECK(sbl_source_read(source, &batch, err));
        *records += batch->rows;
    } while (batch->rows != 0 || source->working);
    return sbl_source_rewind(source, err);
}

void sbl_source_close(sbl_source *source)
{
    if (source == NULL) return;
    source->kind->close(source);
    sbl_free(source->name);
    sbl_free(source);
}

/* ---- memory ---- */

typedef struct memory_source {
    sbl_records all;
    size_t next;
} memory_source;

#define MEMORY_BATCH 8192

static sbl_status read_memory(sbl_source *source, sbl_error *err)
{
    memory_source *memory = source->state;
    const sbl_records *all = &memory->all;
    const size_t first = memory->next;
    const size_t left = all->rows - first;
    (void)err;
    source->batch = sbl_records_slice(all, source->facts, first, left < MEMORY_BATCH ? left : MEMORY_BATCH);
    memory->next += source->batch.rows;
    return SBL_OK;
}

static sbl_status rewind_memory(sbl_source *source, sbl_error *err)
{
    memory_source *memory = source->state;
    (void)err;
    memory->next = 0;
    return SBL_OK;
}

static void close_memory(sbl_source *source) { sbl_free(source->state); }

sbl_status sbl_source_open_memory(sbl_source **source, const sbl_records *records, const char *name,
                                  const sbl_facts *facts, sbl_error *err)
{
    static const sbl_source_kind kind = {.read = read_memory, .rewind = rewind_memory, .close = close_memory};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &kind, sizeof(memory_source), name, facts, err));
    *(memory_source *)(*source)->state = (memory_source){.all = *records};
    (*source)->count = records->rows;
    (*source)->can_rewind = true;
done:
    return sbl_source_opened(source, status);
}
