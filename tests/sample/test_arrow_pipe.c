/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that go from one thread to another: all of them, in order, and what happens where either side leaves early. */
#include <pthread.h>

#include "after/sinks/arrow_pipe.h"
#include "base/arrow_owned.h"
#include "support/cmocka_all.h"

FREES(sbl_arrow_pipe_free);

#define ARRAYS 500

/* Puts arrays of 1, 2, ... rows; gives how many were taken. */
typedef struct writer {
    sbl_arrow_pipe *pipe;
    size_t arrays, taken;
    bool whole;
} writer;

static void *write_arrays(void *context)
{
    writer *w = context;
    sbl_error err = {0};
    for (size_t i = 0; i < w->arrays; i++) {
        struct ArrowArray array;
        if (sbl_arrow_array_make(&array, i + 1, 1, 0, &err) != SBL_OK) break;
        if (!sbl_arrow_pipe_put(w->pipe, &array)) break;
        w->taken++;
    }
    sbl_arrow_pipe_end(w->pipe, w->whole);
    return NULL;
}

static pthread_t begin(writer *w)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_arrays, w), 0);
    return thread;
}

TEST(all_arrays_come_in_order_and_then_the_end)
{
    FREED(sbl_arrow_pipe_free) sbl_arrow_pipe *pipe;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    sbl_error err = {0};
    assert_ok(sbl_arrow_pipe_new(&pipe, NULL, &err));
    sbl_arrow_pipe_stream(pipe, &stream);
    writer w = {.pipe = pipe, .arrays = ARRAYS, .whole = true};
    const pthread_t thread = begin(&w);
    for (int64_t rows = 1; rows <= ARRAYS; rows++) {
        assert_int_equal(stream.get_next(&stream, &array), 0);
        assert_non_null(array.release);
        assert_int_equal(array.length, rows);
        array.release(&array);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(stream.get_next(&stream, &array), 0);
        assert_null(array.release);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(w.taken, ARRAYS);
    stream.release(&stream);
    assert_null(stream.release);
}

TEST(a_writer_that_breaks_off_is_an_error_of_the_stream)
{
    FREED(sbl_arrow_pipe_free) sbl_arrow_pipe *pipe;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    sbl_error err = {0};
    assert_ok(sbl_arrow_pipe_new(&pipe, NULL, &err));
    sbl_arrow_pipe_stream(pipe, &stream);
    writer w = {.pipe = pipe, .arrays = 1, .whole = false};
    assert_int_equal(pthread_join(begin(&w), NULL), 0);
    assert_int_not_equal(stream.get_next(&stream, &array),
                         0); /* and the one that waits is freed with the pipe */
    assert_null(array.release);
    assert_non_null(stream.get_last_error(&stream));
}

TEST(a_reader_that_leaves_frees_the_writer)
{
    FREED(sbl_arrow_pipe_free) sbl_arrow_pipe *pipe;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    sbl_error err = {0};
    assert_ok(sbl_arrow_pipe_new(&pipe, NULL, &err));
    sbl_arrow_pipe_stream(pipe, &stream);
    writer w = {.pipe = pipe, .arrays = ARRAYS, .whole = true};
    const pthread_t thread = begin(&w);
    assert_int_equal(stream.get_next(&stream, &array), 0);
    array.release(&array);
    sbl_arrow_pipe_close(pipe);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(w.taken >= 1 && w.taken <= 2); /* one read, one waits */
}
