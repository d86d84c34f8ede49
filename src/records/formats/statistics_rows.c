/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a file of SPSS, Stata or SAS as a stream.
 *
 * The library calls a handler for every value until the file ends. It runs in a thread that fills two blocks of rows in turn;
 * the caller empties the block that is full. The library converts no text: a byte that its encoding does not have would
 * end the file for all rows. Texts are decoded cell by cell (statistics_format.c). */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/readstat/readstat_library.h"
#include "records/formats/statistics.h"

#define BLOCK_VALUES ((size_t)1 << 16)
#define BLOCK_ROWS ((size_t)1024)

/* Privacy: records. */
typedef struct row_block {
    sbl_statistics_value *values; /* (capacity rows, columns) */
    size_t rows;
    char *texts;
    size_t used, room;
    bool full; /* the caller's; under the lock */
} row_block;

struct sbl_statistics_rows {
    sbl_readstat library;
    sbl_statistics_kind kind;
    char *path;
    const char *name; /* borrowed */
    size_t columns;
    size_t capacity; /* rows of a block */
    row_block blocks[2];
    /* The thread's. */
    size_t filling;
    int first; /* the number of the first row of its block */
    bool no_memory;
    /* The caller's. */
    size_t reading, row;
    /* Shared. */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopped; /* the caller wants no more */
    bool ended;   /* the thread is at the end */
    readstat_error_t error;
};

/* ---- the thread ---- */

/* Give the block away, and wait for the other one. False: the reader was closed. */
static bool hand_over(sbl_statistics_rows *rows)
{
    (void)pthread_mutex_lock(&rows->lock);
    rows->blocks[rows->filling].full = true;
    rows->filling = 1 - rows->filling;
    (void)pthread_cond_broadcast(&rows->changed);
    while (rows->blocks[rows->filling].full && !rows->stopped)
        (void)pthread_cond_wait(&rows->changed, &rows->lock);
    const bool more = !rows->stopped;
    (void)pthread_mutex_unlock(&rows->lock);
    return more;
}

static bool keep_text(sbl_statistics_value *value, row_block *block, const char *text)
{
    const size_t length = strlen(text);
    const size_t needed = block->used + length + SBL_CELL_PADDING;
    if (needed > block->room) {
        char *more = sbl_alloc_array(2 * needed, 1);
        if (more == NULL) return false;
        if (block->used > 0) memcpy(more, block->texts, block->used);
        sbl_free_wiped(block->texts, block->room);
        block->texts = more;
        block->room = 2 * needed;
    }
    memcpy(block->texts + block->used, text, length);
    *value = (sbl_statistics_value){.sort = SBL_STATISTICS_TEXT, .place = block->used, .length = length};
    block->used = needed;
    return true;
}

static bool store(sbl_statistics_value *to, row_block *block, const sbl_readstat *library,
                  readstat_value_t value)
{
    *to = (sbl_statistics_value){.sort = SBL_STATISTICS_MISSING};
    if (library->value_type_class(value) == READSTAT_TYPE_CLASS_STRING) {
        const char *text = library->string_value(value);
        return text == NULL || keep_text(to, block, text);
    }
    if (library->value_is_tagged_missing(value))
        to->tag = library->value_tag(value);
    else if (!library->value_is_system_missing(value))
        *to = (sbl_statistics_value){.sort = SBL_STATISTICS_NUMBER, .number = library->double_value(value)};
    return true;
}

static int take_value(int number, readstat_variable_t *variable, readstat_value_t value, void *context)
{
    sbl_statistics_rows *rows = context;
    const int column = rows->library.variable_get_index(variable);
    if (number < rows->first || column < 0 || (size_t)column >= rows->columns) return READSTAT_HANDLER_ABORT;
    while ((size_t)(number - rows->first) >= rows->capacity) {
        rows->blocks[rows->filling].rows = rows->capacity;
        if (!hand_over(rows)) return READSTAT_HANDLER_ABORT;
        rows->first += (int)rows->capacity;
        row_block *next = &rows->blocks[rows->filling];
        next->rows = next->used = 0;
        memset(next->values, 0, rows->capacity * rows->columns * sizeof *next->values);
    }
    row_block *block = &rows->blocks[rows->filling];
    const size_t row = (size_t)(number - rows->first);
    if (row >= block->rows) block->rows = row + 1;
    if (store(&block->values[row * rows->columns + (size_t)column], block, &rows->library, value))
        return READSTAT_HANDLER_OK;
    rows->no_memory = true;
    return READSTAT_HANDLER_ABORT;
}

/* The library knows no variables without it. */
static int pass_variable(int index, readstat_variable_t *variable, const char *set, void *context)
{
    (void)index, (void)variable, (void)set, (void)context;
    return READSTAT_HANDLER_OK;
}

static readstat_error_t parse(sbl_statistics_rows *rows)
{
    const sbl_readstat *library = &rows->library;
    readstat_parser_t *parser = library->parser_init();
    readstat_error_t error = READSTAT_ERROR_MALLOC;
    if (parser == NULL) return error;
    (void)library->set_variable_handler(parser, pass_variable);
    (void)library->set_value_handler(parser, take_value);
    /* From one encoding of single bytes into the same: every byte passes. */
    (void)library->set_file_character_encoding(parser, "ISO-8859-1");
    (void)library->set_handler_character_encoding(parser, "ISO-8859-1");
    if (rows->kind == SBL_STATISTICS_STATA)
        error = library->parse_dta(parser, rows->path, rows);
    else if (rows->kind == SBL_STATISTICS_SAS)
        error = library->parse_sas7bdat(parser, rows->path, rows);
    else if (rows->kind == SBL_STATISTICS_XPORT)
        error = library->parse_xport(parser, rows->path, rows);
    else
        error = library->parse_sav(parser, rows->path, rows);
    library->parser_free(parser);
    return error;
}

static void *run(void *context)
{
    sbl_statistics_rows *rows = context;
    const readstat_error_t error = parse(rows);
    (void)pthread_mutex_lock(&rows->lock);
    rows->error = rows->no_memory ? READSTAT_ERROR_MALLOC : error;
    rows->blocks[rows->filling].full = true;
    rows->ended = true;
    (void)pthread_cond_broadcast(&rows->changed);
    (void)pthread_mutex_unlock(&rows->lock);
    return NULL;
}

/* ---- the caller ---- */

/* Signals are for the threads of the host. */
static bool start(sbl_statistics_rows *rows)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    rows->started = pthread_create(&rows->thread, NULL, run, rows) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rows->started;
}

sbl_status sbl_statistics_rows_open(sbl_statistics_rows **rows, sbl_statistics_kind kind, const char *path,
                                    const char *name, size_t columns, sbl_error *err)
{
    sbl_statistics_rows *made = NULL;
    sbl_status status = SBL_OK;
    *rows = NULL;
    SBL_ALLOC(made, 1, name);
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->changed, NULL);
    made->kind = kind;
    made->name = name;
    made->columns = columns;
    made->capacity = BLOCK_VALUES / columns;
    if (made->capacity > BLOCK_ROWS) made->capacity = BLOCK_ROWS;
    if (made->capacity == 0) made->capacity = 1;
    SBL_TRY(sbl_readstat_open(&made->library, name, err));
    SBL_TRY(sbl_copy_text(&made->path, path, name, err));
    for (size_t i = 0; i < 2; i++) SBL_ALLOC(made->blocks[i].values, made->capacity * columns, name);
    if (!start(made)) SBL_TRY(sbl_no_memory(err, name));
    *rows = made;
    made = NULL;
done:
    sbl_statistics_rows_close(made);
    return status;
}

/* The end of the file. A row that cannot be read does not lead here: only the container can be broken. */
static sbl_status check_end(const sbl_statistics_rows *rows, sbl_error *err)
{
    if (rows->error == READSTAT_OK) return SBL_OK;
    if (rows->error == READSTAT_ERROR_MALLOC) return sbl_no_memory(err, rows->name);
    return sbl_fail(err, SBL_EINPUT, "%s is damaged, or it ends too early", rows->name);
}

sbl_status sbl_statistics_rows_next(sbl_statistics_rows *rows, const sbl_statistics_value **values,
                                    const char **texts, sbl_error *err)
{
    *values = NULL;
    for (;;) {
        row_block *block = &rows->blocks[rows->reading];
        (void)pthread_mutex_lock(&rows->lock);
        while (!block->full && !rows->ended) (void)pthread_cond_wait(&rows->changed, &rows->lock);
        const bool full = block->full;
        (void)pthread_mutex_unlock(&rows->lock);
        if (!full) return check_end(rows, err);
        if (rows->row < block->rows) {
            *values = block->values + rows->columns * rows->row++;
            *texts = block->texts;
            return SBL_OK;
        }
        rows->row = 0;
        (void)pthread_mutex_lock(&rows->lock);
        block->full = false;
        rows->reading = 1 - rows->reading;
        (void)pthread_cond_broadcast(&rows->changed);
        (void)pthread_mutex_unlock(&rows->lock);
    }
}

void sbl_statistics_rows_close(sbl_statistics_rows *rows)
{
    if (rows == NULL) return;
    if (rows->started) {
        (void)pthread_mutex_lock(&rows->lock);
        rows->stopped = true;
        (void)pthread_cond_broadcast(&rows->changed);
        (void)pthread_mutex_unlock(&rows->lock);
        (void)pthread_join(rows->thread, NULL);
    }
    for (size_t i = 0; i < 2; i++) {
        sbl_free_wiped(rows->blocks[i].values,
                       rows->capacity * rows->columns * sizeof *rows->blocks[i].values);
        sbl_free_wiped(rows->blocks[i].texts, rows->blocks[i].room);
    }
    (void)pthread_mutex_destroy(&rows->lock);
    (void)pthread_cond_destroy(&rows->changed);
    sbl_free(rows->path);
    sbl_free(rows);
}
