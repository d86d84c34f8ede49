/* [1] What all kinds of sources share, by their tables of functions, and the kind that reads
 * encoded records from memory in batches of 8192. */
#include "source/source.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

sbl_status sbl_source_new(sbl_source **source, const sbl_source_kind *kind, const char *name,
                          const sbl_facts *facts, sbl_error *err)
{
    const size_t size = strlen(name) + 1;
    sbl_source *made = sbl_alloc_array(1, sizeof *made);
    *source = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", name);
    made->name = sbl_alloc_array(size, 1);
    if (made->name == NULL) {
        sbl_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", name);
    }
    memcpy(made->name, name, size);
    made->kind = kind;
    made->facts = facts;
    *source = made;
    return SBL_OK;
}

bool sbl_source_is_stream(const char *path)
{
    struct stat seen;
    return strcmp(path, "-") == 0 ||
           (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode) && !S_ISDIR(seen.st_mode));
}

bool sbl_source_unchanged(const char *path, const struct stat *seen)
{
    struct stat now;
    return stat(path, &now) == 0 && now.st_dev == seen->st_dev && now.st_ino == seen->st_ino &&
           now.st_size == seen->st_size && now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec;
}

sbl_status sbl_source_read(sbl_source *source, const sbl_records **batch, sbl_error *err)
{
    *batch = &source->batch;
    return source->kind->read(source, err);
}

sbl_status sbl_source_rewind(sbl_source *source, sbl_error *err)
{
    return source->kind->rewind(source, err);
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
    const sbl_facts *facts = source->facts;
    const size_t first = memory->next;
    const size_t left = all->rows - first;
    (void)err;
    source->batch.rows = left < MEMORY_BATCH ? left : MEMORY_BATCH;
    if (all->numeric != NULL)
        source->batch.numeric = all->numeric + first * facts->heads.numeric_count;
    if (all->codes != NULL)
        source->batch.codes = all->codes + first * facts->heads.categorical_count;
    if (all->pixels != NULL) source->batch.pixels = all->pixels + first * facts->shape.numeric;
    if (all->labels != NULL) source->batch.labels = all->labels + first;
    if (all->units != NULL) source->batch.units = all->units + first;
    if (all->misfits != NULL) source->batch.misfits = all->misfits + first * facts->columns;
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
    static const sbl_source_kind kind = {read_memory, rewind_memory, close_memory};
    const sbl_status status = sbl_source_new(source, &kind, name, facts, err);
    if (status != SBL_OK) return status;
    memory_source *memory = (*source)->state = sbl_alloc_array(1, sizeof *memory);
    if (memory == NULL) {
        sbl_source_close(*source);
        *source = NULL;
        return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", name);
    }
    memory->all = *records;
    (*source)->count = records->rows;
    (*source)->can_rewind = true;
    return SBL_OK;
}
