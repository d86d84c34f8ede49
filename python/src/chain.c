/* SPDX-License-Identifier: Apache-2.0 */
/* The Arrow stream of an object: its own, or one out of an iterator whose items have streams, batches that
 * come one after another. All must have the columns of the first. Where their types differ the stream ends, and
 * the library resumes it (semblance/data.h): no batch changes how another one is read. */
#include <errno.h>
#include <string.h>

#include "core.h"

typedef struct chain {
    PyObject *iterator;
    core_trouble *trouble;       /* of who reads it, and outlives it */
    struct ArrowArrayStream now; /* of the item that is being read */
    struct ArrowSchema types;    /* since the stream began or was resumed */
    bool turns;                  /* now has other types: to be resumed */
    const char *error;
} chain;

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* A count, and for each pair the sizes and bytes of key and value. */
static size_t metadata_size(const char *metadata)
{
    int32_t pairs, size;
    size_t at = sizeof pairs;
    memcpy(&pairs, metadata, sizeof pairs);
    for (int32_t i = 0; i < pairs && i < INT32_MAX / 2; i++)
        for (int part = 0; part < 2; part++) {
            memcpy(&size, metadata + at, sizeof size);
            at += sizeof size + (size_t)(size > 0 ? size : 0);
        }
    return at;
}

/* Metadata may say what a type means (extensions). */
static bool same_metadata(const char *a, const char *b)
{
    if (a == NULL || b == NULL) return a == b;
    const size_t size = metadata_size(a);
    return size == metadata_size(b) && memcmp(a, b, size) == 0;
}

static bool same_types(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    if (!same_text(a->format, b->format) || !same_text(a->name, b->name)) return false;
    if (a->n_children != b->n_children || (a->dictionary == NULL) != (b->dictionary == NULL))
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_types(a->children[i], b->children[i]) ||
            !same_metadata(a->children[i]->metadata, b->children[i]->metadata))
            return false;
    return a->dictionary == NULL || same_types(a->dictionary, b->dictionary);
}

static bool same_names(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    bool same = a->n_children == b->n_children;
    for (int64_t i = 0; same && i < a->n_children; i++)
        same = same_text(a->children[i]->name, b->children[i]->name);
    return same;
}

/* Are its columns those of the batches so far? Where their types differ the stream turns. */
static bool fits(chain *c)
{
    struct ArrowSchema there = {0};
    const bool good = c->now.get_schema(&c->now, &there) == 0 && same_names(&c->types, &there);
    c->turns = good && !same_types(&c->types, &there);
    if (c->turns) {
        c->types.release(&c->types);
        c->types = there;
    } else if (there.release != NULL) {
        there.release(&there);
    }
    if (!good) PyErr_SetString(PyExc_TypeError, "the batches differ in their columns");
    return good;
}

/* Is the exception that is set one of this package? */
static bool is_ours(void)
{
    PyObject *error[3], *kind = NULL;
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyObject *errors = PyImport_ImportModule("semblance._errors");
    if (errors != NULL) kind = PyObject_GetAttrString(errors, "SemblanceError");
    const bool found = kind != NULL && PyErr_GivenExceptionMatches(error[0], kind);
    PyErr_Clear();
    Py_XDECREF(errors);
    Py_XDECREF(kind);
    PyErr_Restore(error[0], error[1], error[2]);
    return found;
}

/* A library's own words may quote cells: what it raised is replaced. Passed on are exceptions of this package, interrupts,
 * missing packages and want of memory. */
static void hide_words(void)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError) ||
        PyErr_ExceptionMatches(PyExc_ImportError) || is_ours())
        return;
    PyErr_Clear();
    const sbl_error err = {.status = SBL_EINPUT,
                           .message =
                               "the library that holds the table cannot give it as Arrow: "
                               "convert it to a table of pyarrow first"};
    (void)core_fail(&err, err.status, "");
}

static bool stream_of(struct ArrowArrayStream *stream, PyObject *object)
{
    if (!PyObject_HasAttrString(object, "__arrow_c_stream__")) {
        PyErr_SetString(PyExc_TypeError, "every batch must have __arrow_c_stream__");
        return false;
    }
    PyObject *capsule = PyObject_CallMethod(object, "__arrow_c_stream__", NULL);
    if (capsule == NULL) {
        hide_words();
        return false;
    }
    struct ArrowArrayStream *theirs = PyCapsule_GetPointer(capsule, CORE_STREAM);
    if (theirs != NULL && theirs->release == NULL)
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was already read; pass a new one");
    const bool good = theirs != NULL && theirs->release != NULL;
    if (good) {
        *stream = *theirs;
        theirs->release = NULL; /* moved */
    }
    Py_DECREF(capsule);
    return good;
}

/* The stream of the next item. 1: there is one; 0: that was the last; -1: an exception is set. */
static int next_item(chain *c, struct ArrowArrayStream *stream)
{
    PyObject *item = PyIter_Next(c->iterator);
    if (item == NULL) return PyErr_Occurred() != NULL ? -1 : 0;
    const bool good = stream_of(stream, item);
    Py_DECREF(item);
    return good ? 1 : -1;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    if (stream->release != NULL) stream->release(stream);
    stream->release = NULL;
}

static int advance(chain *c)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    release_stream(&c->now);
    int found = next_item(c, &c->now);
    if (found == 1 && !fits(c)) found = -1;
    if (found == -1) {
        release_stream(&c->now);
        core_trouble_keep(c->trouble);
        c->error = "the iterable of batches failed";
    }
    PyGILState_Release(lock);
    return found;
}

/* Asked at the beginning, and after each turn: the item at hand has them. */
static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    chain *c = stream->private_data;
    return c->now.release != NULL ? c->now.get_schema(&c->now, out) : EINVAL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    chain *c = stream->private_data;
    memset(out, 0, sizeof *out);
    while (!c->turns) {
        if (c->now.release != NULL) {
            const int code = c->now.get_next(&c->now, out);
            if (code != 0 || out->release != NULL) return code;
        }
        const int found = advance(c);
        memset(out, 0, sizeof *out);
        if (found != 1) return found == 0 ? 0 : EIO;
    }
    return 0;
}

int core_stream_resume(void *context, struct ArrowArrayStream *stream)
{
    chain *c = stream->private_data;
    const bool more = c->turns;
    (void)context;
    c->turns = false;
    return more ? 1 : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((const chain *)stream->private_data)->error;
}

static void release(struct ArrowArrayStream *stream)
{
    chain *c = stream->private_data;
    const PyGILState_STATE lock = PyGILState_Ensure();
    release_stream(&c->now);
    if (c->types.release != NULL) c->types.release(&c->types);
    Py_CLEAR(c->iterator);
    PyMem_Free(c);
    PyGILState_Release(lock);
    stream->release = NULL;
}

static bool chain_items(struct ArrowArrayStream *stream, PyObject *iterator, core_trouble *trouble)
{
    chain *c = PyMem_Calloc(1, sizeof *c);
    if (c == NULL) return PyErr_NoMemory() != NULL;
    c->iterator = iterator;
    c->trouble = trouble;
    const int found = next_item(c, &c->now);
    const bool typed = found == 1 && c->now.get_schema(&c->now, &c->types) == 0;
    if (!typed) {
        if (found == 0) PyErr_SetString(PyExc_ValueError, "the iterable has no batches");
        if (found == 1) PyErr_SetString(PyExc_TypeError, "the first batch has no columns");
        release_stream(&c->now);
        PyMem_Free(c);
        return false;
    }
    Py_INCREF(iterator);
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = c};
    return true;
}

bool core_stream_open(struct ArrowArrayStream *stream, PyObject *source, core_trouble *trouble)
{
    if (PyObject_HasAttrString(source, "__arrow_c_stream__")) return stream_of(stream, source);
    PyObject *iterator = PyObject_GetIter(source);
    const bool good = iterator != NULL && chain_items(stream, iterator, trouble);
    Py_XDECREF(iterator);
    return good;
}
