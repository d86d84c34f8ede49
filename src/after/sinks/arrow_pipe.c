/* SPDX-License-Identifier: Apache-2.0 */
/* One place for an array, a lock, and a condition that is signalled on every change. */
#include "after/sinks/arrow_pipe.h"

#include <errno.h>
#include <pthread.h>

#include "after/sinks/arrow_build.h"
#include "base/alloc.h"

struct sbl_arrow_pipe {
    const sbl_schema *schema; /* borrowed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    struct ArrowArray waiting; /* release NULL: there is room */
    bool ended;                /* the writer's */
    bool broken;               /* the writer's: not whole */
    bool closed;               /* the reader's */
};

sbl_status sbl_arrow_pipe_new(sbl_arrow_pipe **pipe, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*pipe, 1, "a few rows");
    (*pipe)->schema = schema;
    (void)pthread_mutex_init(&(*pipe)->lock, NULL);
    (void)pthread_cond_init(&(*pipe)->changed, NULL);
done:
    return status;
}

static void drop_waiting(sbl_arrow_pipe *pipe)
{
    if (pipe->waiting.release != NULL) pipe->waiting.release(&pipe->waiting);
    pipe->waiting = (struct ArrowArray){0};
}

void sbl_arrow_pipe_free(sbl_arrow_pipe *pipe)
{
    if (pipe == NULL) return;
    drop_waiting(pipe);
    (void)pthread_cond_destroy(&pipe->changed);
    (void)pthread_mutex_destroy(&pipe->lock);
    sbl_free(pipe);
}

static void unlock_changed(sbl_arrow_pipe *pipe)
{
    (void)pthread_cond_broadcast(&pipe->changed);
    (void)pthread_mutex_unlock(&pipe->lock);
}

/* ---- the reader ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const sbl_arrow_pipe *pipe = stream->private_data;
    sbl_error err = {0};
    return sbl_arrow_export_schema(out, pipe->schema, &err) == SBL_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    sbl_arrow_pipe *pipe = stream->private_data;
    (void)pthread_mutex_lock(&pipe->lock);
    while (pipe->waiting.release == NULL && !pipe->ended)
        (void)pthread_cond_wait(&pipe->changed, &pipe->lock);
    const bool broken = pipe->broken;
    *out = broken ? (struct ArrowArray){0} : pipe->waiting; /* empty: the end */
    if (!broken) pipe->waiting = (struct ArrowArray){0};
    unlock_changed(pipe);
    return broken ? ECANCELED : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the rows broke off";
}

static void release_stream(struct ArrowArrayStream *stream) { stream->release = NULL; }

void sbl_arrow_pipe_stream(sbl_arrow_pipe *pipe, struct ArrowArrayStream *stream)
{
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, pipe};
}

void sbl_arrow_pipe_close(sbl_arrow_pipe *pipe)
{
    (void)pthread_mutex_lock(&pipe->lock);
    pipe->closed = true;
    unlock_changed(pipe);
}

/* ---- the writer ---- */

bool sbl_arrow_pipe_put(sbl_arrow_pipe *pipe, struct ArrowArray *array)
{
    (void)pthread_mutex_lock(&pipe->lock);
    while (pipe->waiting.release != NULL && !pipe->closed)
        (void)pthread_cond_wait(&pipe->changed, &pipe->lock);
    const bool taken = !pipe->closed;
    if (taken) pipe->waiting = *array;
    unlock_changed(pipe);
    if (!taken && array->release != NULL) array->release(array);
    *array = (struct ArrowArray){0};
    return taken;
}

void sbl_arrow_pipe_end(sbl_arrow_pipe *pipe, bool whole)
{
    (void)pthread_mutex_lock(&pipe->lock);
    pipe->ended = true;
    pipe->broken = pipe->broken || !whole;
    unlock_changed(pipe);
}
